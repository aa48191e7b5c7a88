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


def arrays(
    workload: str,
    name: str,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    tolerance: float,
    kind: str = "tensor",
) -> Check:
    """The check that every array of `before` is in `after`, and equal within the tolerance.

    A difference is taken relative to the largest value of its tensor (see NOISE for tensors of
    small values); integers, strings and whole numbers have to be exactly equal.
    """
    if not before:
        return Check(workload, name, Status.NOT_RUN, detail=f"the original gave no {kind}s")
    lost = [k for k in before if k not in after]
    added = sum(k not in before for k in after)
    worst, where, whys, exact = 0.0, "", [], 0
    group = max((_magnitude(a) for a in before.values()), default=0.0)
    bad = []
    for key, reference in before.items():
        if key not in after:
            continue
        needs_equality = is_exact(reference)
        exact += needs_equality
        own = _magnitude(reference)
        scale = 1.0 if needs_equality else max(own, NOISE * group) or 1.0
        found = difference(reference, after[key], scale)
        if found.value > worst or not where:
            worst, where = found.value, key
        # written so that a NaN is a difference
        if not found.value <= (0.0 if needs_equality else tolerance):
            bad.append(key)
            whys += [f"{key}: {found.why}"] if found.why else []
    compared = f"{len(before) - len(lost)} of {len(before)} {kind}s compared"
    compared += f", {exact} of them exactly" if exact else ""
    details = [compared]
    if lost:
        details.append(f"not there after the migration: {listed(lost)}")
    if bad:
        details.append(f"{len(bad)} differ: {listed(bad)}")
    details += whys[:_NAMES]
    if added:
        details.append(f"{added} more after the migration than before")
    status = Status.DIFFERS if lost or bad else Status.EQUAL
    finite = worst if np.isfinite(worst) else None
    return Check(workload, name, status, finite, tolerance, where, "; ".join(details))
