"""Compares two sets of named arrays and says how much, and where, they differ most."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from migrator.verify.records import Check, Status

# A tensor whose values are all this much smaller than the largest of its group (the gradient of a
# bias that batch norm cancels, say) is rounding noise: it is compared on the group's scale.
NOISE = 1e-3
# A result may be this many times as far off as it moves in the original through rounding; one that
# moves by more than CHAOS says nothing.
ROUNDING = 4.0
CHAOS = 0.05
_NAMES = 5


@dataclass(frozen=True, slots=True)
class Difference:
    """How far one array is from another: `value` is relative to `scale`; `why` if not comparable."""

    value: float
    why: str = ""


def listed(names: Iterable[str], count: int = _NAMES) -> str:
    """The first names, and how many more there are."""
    found = list(names)
    rest = len(found) - count
    return ", ".join(found[:count]) + (f" and {rest} more" if rest > 0 else "")


def is_exact(array: Any) -> bool:
    """Whether equality is what is asked of an array: anything but floats, and floats that are
    class ids or counts (whole numbers, and not all zero)."""
    if array.dtype.kind not in "fc":
        return True
    return bool(
        array.size and np.isfinite(array).all() and (array == np.round(array)).all()
        and (array != 0).any()
    )  # fmt: skip


def difference(before: Any, after: Any, scale: float) -> Difference:
    """The largest absolute difference of two arrays, divided by `scale`.

    NaNs and infinities have to be at the same places. Arrays that are not numbers differ by 0 or 1.
    """
    if before.shape != after.shape:
        return Difference(np.inf, f"shape {list(before.shape)} became {list(after.shape)}")
    numeric = before.dtype.kind in "fiucb" and after.dtype.kind in "fiucb"
    if not numeric:
        unequal = int(np.sum(before != after))
        return Difference(float(bool(unequal)), f"{unequal} of {before.size} values" * bool(unequal))
    wide = np.complex128 if "c" in before.dtype.kind + after.dtype.kind else np.float64
    a, b = before.astype(wide), after.astype(wide)
    finite = np.isfinite(a)
    if not (np.array_equal(finite, np.isfinite(b)) and np.array_equal(
        a[~finite], b[~finite], equal_nan=True
    )):  # fmt: skip
        return Difference(np.inf, "not the same values are finite")
    return Difference(float(np.max(np.abs(a[finite] - b[finite]), initial=0.0)) / scale)


def _magnitude(array: Any) -> float:
    if array.dtype.kind not in "fiuc":
        return 0.0
    finite = array[np.isfinite(array)]
    return float(np.max(np.abs(finite.astype(np.complex128)), initial=0.0))


def tolerances(
    distances: Mapping[Any, float], shaken: Mapping[Any, float] | None, tolerance: float
) -> dict[Any, float]:
    """What each of the distances may be.

    shaken: how far the original moves when its random numbers and restored weights change by
      rounding; a value may be some times as far off, and one that moves far (CHAOS) is left to
      rounding: it may be anything, infinity. None: nothing is known, `tolerance` for all.
    """
    if not shaken:
        return dict.fromkeys(distances, tolerance)
    finite = [v for v in shaken.values() if np.isfinite(v)]
    usual = float(np.median(finite)) if finite else 0.0
    allowed = {}
    for key in distances:
        own = shaken.get(key, np.inf)  # not there at all: nor would it be twice in the original
        allowed[key] = (
            max(tolerance, ROUNDING * max(own, min(usual, CHAOS))) if own <= CHAOS else np.inf
        )
    return allowed


def distances(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Difference]:
    """How far each array that both have moved, relative to its largest value (see NOISE for tensors
    of small values); whole numbers and strings by themselves."""
    group = max((_magnitude(a) for a in before.values()), default=0.0)
    found = {}
    for key, reference in before.items():
        if key in after:
            own = _magnitude(reference)
            scale = 1.0 if is_exact(reference) else max(own, NOISE * group) or 1.0
            found[key] = difference(reference, after[key], scale)
    return found


def arrays(
    workload: str,
    name: str,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    tolerance: float,
    kind: str = "tensor",
    shaken: Mapping[str, Any] | None = None,
) -> Check:
    """The check that every array of `before` is in `after`, and equal within the tolerance.

    A difference is taken relative to the largest value of its tensor (see NOISE for tensors of
    small values); integers, strings and whole numbers have to be exactly equal. shaken: the same
    arrays of a run of the original that rounding was added to, see `tolerances`.
    """
    if not before:
        return Check(workload, name, Status.NOT_RUN, detail=f"the original gave no {kind}s")
    lost = [k for k in before if k not in after]
    added = sum(k not in before for k in after)
    found = distances(before, after)
    moved = None
    if shaken is not None:
        moved = {k: d.value for k, d in distances(before, shaken).items()}
    exact = {k for k in found if is_exact(before[k])}
    allowed = tolerances({k: d.value for k, d in found.items()}, moved, tolerance)
    if moved is None:
        allowed.update(dict.fromkeys(exact, 0.0))
    else:  # what rounding changes need not be the same; what it leaves alone must be
        allowed.update({k: 0.0 for k in exact if moved.get(k) == 0})
    chaotic = [k for k in found if np.isinf(allowed[k])]
    # written so that a NaN is a difference
    bad = [k for k in found if not found[k].value <= allowed[k]]
    compared = [k for k in found if k not in chaotic]
    where = max(compared, key=lambda k: (k in bad, found[k].value), default="")
    whys = [f"{k}: {found[k].why}" for k in bad if found[k].why]
    details = [f"{len(compared)} of {len(before)} {kind}s compared"]
    details[0] += f", {len(exact)} of them exactly" if exact else ""
    if lost:
        details.append(f"not there after the migration: {listed(lost)}")
    if bad:
        details.append(f"{len(bad)} differ: {listed(bad)}")
    details += whys[:_NAMES]
    if added:
        details.append(f"{added} more after the migration than before")
    if chaotic:
        details.append(f"left to rounding in the original itself: {listed(chaotic)}")
    widest = max((allowed[k] for k in compared), default=tolerance)
    if widest > tolerance:
        details.append(f"the original itself moves by up to {widest / ROUNDING:.1e} through rounding")
    status = Status.DIFFERS if lost or bad else Status.EQUAL if compared else Status.NOT_RUN
    worst = found[where].value if where else 0.0
    return Check(
        workload, name, status, worst if np.isfinite(worst) else None,
        max(tolerance, allowed.get(where, 0.0)), where, "; ".join(details),
    )  # fmt: skip
