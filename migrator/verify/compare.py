"""Compares two sets of named arrays and says how much, and where, they differ most."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
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
    """How far one array is from another: the largest difference relative to `scale`, and the root
    mean square of all relative to that of the first; `why` if not comparable."""

    value: float
    why: str = ""
    rms: float = 0.0


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
    gap = np.abs(a[finite] - b[finite])
    size = float(np.sqrt(np.mean(np.abs(a[finite]) ** 2))) if gap.size else 0.0
    rms = float(np.sqrt(np.mean(gap**2))) / (size or 1.0) if gap.size else 0.0
    return Difference(float(np.max(gap, initial=0.0)) / scale, rms=rms)


def _magnitude(array: Any) -> float:
    if array.dtype.kind not in "fiuc":
        return 0.0
    finite = array[np.isfinite(array)]
    return float(np.max(np.abs(finite.astype(np.complex128)), initial=0.0))


def renamed(before: Iterable[str], after: Iterable[str]) -> dict[str, str]:
    """{new name: old name} of names that only lost or got the number with which TF1 told apart what
    has the same name in one graph ("loss_1/total", "loss/total")."""

    def plain(name: str) -> str:
        return re.sub(r"_\d+(?=/|$| \()", "", name)

    old, new = list(before), list(after)
    waiting: dict[str, list[str]] = {}
    for name in new:
        if name not in old:
            waiting.setdefault(plain(name), []).append(name)
    found = {}
    for name in old:
        others = waiting.get(plain(name), []) if name not in new else []
        if others:
            found[others.pop(0)] = name
    return found


def tolerances(
    moved: Mapping[Any, float], tolerance: float, kinds: Mapping[Any, str] | None = None
) -> dict[Any, float]:
    """What each distance may be, where it is known how far each value moves in the original itself
    when rounding is added to it: some times as far (ROUNDING) as it does, or as most do, of all or of
    its kind (see `slots`). One that moves by more than CHAOS is left to rounding: it may be anything,
    infinity."""
    kinds = kinds or {}
    groups: dict[str, list[float]] = {"": [v for v in moved.values() if np.isfinite(v)]}
    for key, kind in kinds.items():
        if np.isfinite(moved[key]):
            groups.setdefault(kind, []).append(moved[key])
    usual = {k: min(float(np.quantile(v, 0.75)), CHAOS) if v else 0.0 for k, v in groups.items()}
    return {
        k: np.inf if own > CHAOS else max(tolerance, ROUNDING * max(
            own, usual[""], usual.get(kinds.get(k, ""), 0.0)))
        for k, own in moved.items()
    }  # fmt: skip


def slots(names: Iterable[str]) -> dict[str, str]:
    """What an optimizer keeps for a variable, by name: its kind ("Momentum" of "w/Momentum", where
    there is a "w"). A gradient that rounding turns over one relu of moves it; weights hardly move in a
    few steps, and do not tell how far such a thing may be off."""
    known = set(names)
    split = {name: name.rpartition("/") for name in known}
    return {name: kind for name, (owner, _, kind) in split.items() if owner in known}


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
    shaken: Sequence[Mapping[str, Any]] = (),
) -> Check:
    """The check that every array of `before` is in `after`, and equal within the tolerance.

    A difference is taken relative to the largest value of its tensor (see NOISE for tensors of
    small values); integers, strings and whole numbers have to be exactly equal. shaken: the same
    arrays of runs of the original that rounding was added to: what moves there may differ, see
    `tolerances`.
    """
    if not before:
        return Check(workload, name, Status.NOT_RUN, detail=f"the original gave no {kind}s")
    lost = [k for k in before if k not in after]
    added = sum(k not in before for k in after)
    found = distances(before, after)
    exact = {k for k in found if is_exact(before[k])}
    allowed = {k: 0.0 if k in exact else tolerance for k in found}
    # written so that a NaN is a difference
    bad = [k for k in found if not found[k].value <= allowed[k]]
    chaotic: list[str] = []
    noise = 0.0
    if bad and shaken:
        # single values jump (what an optimizer makes of a gradient that is nearly zero); how far a
        # tensor moves as a whole is steadier
        moved = dict.fromkeys(found, 0.0)
        for run in shaken:
            moves = distances(before, run)
            for k in found:
                own = moves[k].rms if k in moves and not moves[k].why else np.inf
                moved[k] = max(moved[k], own)
        loose = tolerances(moved, tolerance, slots(found))
        chaotic = [k for k in found if np.isinf(loose[k])]
        noise = max((moved[k] for k in found if k not in chaotic), default=0.0)
        bad = [
            k for k in bad if k not in chaotic
            and not (found[k].rms <= loose[k] and not found[k].why and (k not in exact or moved[k]))
        ]  # fmt: skip
        if noise > tolerance:
            allowed.update({k: max(allowed[k], found[k].value) for k in found if k not in bad})
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
    if noise > tolerance:
        details.append(f"rounding alone moves the original by up to {noise:.1e}")
    status = Status.DIFFERS if lost or bad else Status.EQUAL if compared else Status.NOT_RUN
    worst = found[where].value if where else 0.0
    return Check(
        workload, name, status, worst if np.isfinite(worst) else None, tolerance, where,
        "; ".join(details),
    )  # fmt: skip
