"""The section that says which batch fits which GPU, and which strategy to take first where it does not."""

from __future__ import annotations

import collections
from collections.abc import Sequence
from dataclasses import dataclass

from migrator.measure.predict import devices
from migrator.measure.predict.forecast import Forecasts
from migrator.measure.records import PRECISIONS, Measurement
from migrator.report import text
from migrator.report.model import Section, Statement, Table

SLACK = 1.10  # chunks over the requested bytes, where the allocator was not followed
TARGET = 16  # the batch that advice is given for, where the settings do not name larger ones
AS_IT_IS = "as it is"
BEYOND = 8  # times the largest batch that was measured: further, a line through two points says nothing


@dataclass(frozen=True, slots=True)
class Load:
    """What one workload needs in one precision: a line over the batch, where it came from, and the
    largest batch of it that is known."""

    workload: str
    mode: str
    precision: str
    line: devices.Line
    predicted: bool
    known: int

    @property
    def key(self) -> tuple[str, str]:
        return self.workload, self.mode


def _line(points: Sequence[tuple[int, int]]) -> devices.Line:
    return devices.line([(b, int(p * SLACK)) for b, p in points])


def loads(measured: Measurement | None, forecasts: Forecasts | None) -> list[Load]:
    """Lines through at least two batch sizes; a prediction for GPUs wins over CPU measurements."""
    found: dict[tuple[str, str, str], Load] = {}
    groups: dict[tuple[str, str, str], dict[int, int]] = collections.defaultdict(dict)
    for r in measured.cells if measured else ():
        cell = r.cell
        plain = cell.side == "after" and cell.execution == "function" and not cell.strategy
        if plain and cell.allocator == "default" and r.ok and r.peak:
            groups[cell.workload, cell.mode, cell.precision][cell.batch] = r.peak
    for key, points in groups.items():
        if len(points) >= 2:
            found[key] = Load(*key, _line(list(points.items())), False, max(points))
    for f in forecasts.forecasts if forecasts else ():
        if f.status == "ok" and len(f.points) >= 2:
            key = (f.workload, f.mode, f.precision)
            line = devices.line(f.chunks) if f.chunks else _line(f.peaks)
            found[key] = Load(*key, line, True, max(p.batch for p in f.points))
    order = {p: i for i, p in enumerate(PRECISIONS)}
    return sorted(found.values(), key=lambda v: (v.workload, v.mode, order.get(v.precision, 9)))


def _largest(device: devices.Device, load: Load) -> int | None:
    """The largest batch, None where the card has no hardware for the precision."""
    has = {"mixed_float16": device.float16, "mixed_bfloat16": device.bfloat16}
    if not has.get(load.precision, True):
        return None
    return load.line.largest(device.usable)


def told(fitting: int | None, load: Load) -> str:
    """The largest batch as text; beyond what the line can carry, only that there is room for more."""
    if fitting is None:
        return "no hardware"
    if not fitting:
        return "does not fit"
    limit = BEYOND * load.known
    return f"{fitting:,}" if fitting <= limit else f"over {limit:,}"


def advice(device: devices.Device, mine: Sequence[Load], target: int) -> str:
    """What to do first so that `target` fits: nothing, a precision, smaller parts, or another model."""
    fits = {v.precision: _largest(device, v) or 0 for v in mine}
    plain = fits.get("float32", 0)
    if plain >= target:
        return AS_IT_IS
    for precision in PRECISIONS[1:]:
        if fits.get(precision, 0) >= target:
            return precision
    best, precision = max((b, p) for p, b in fits.items())
    if best >= 1 and mine[0].mode == "training":
        # equal ones: what is updated is the mean of the parts' gradients
        parts = next(n for n in range(-(-target // best), target + 1) if target % n == 0)
        inside = "" if precision == "float32" else f" in {precision}"
        return f"accumulate {parts} parts of {target // parts}{inside}"
    if best >= 1:
        return f"batches of {best}" + ("" if precision == "float32" else f" in {precision}")
    return "recompute, a smaller image or a smaller model"


def _grouped(rows: Sequence[tuple[devices.Device, tuple[str, ...]]]) -> tuple[tuple[str, ...], ...]:
    """One row for all cards of which the same is said, by their memory."""
    same: dict[tuple[str, ...], list[devices.Device]] = {}
    for device, cells in rows:
        same.setdefault(cells, []).append(device)
    made = []
    for cells, cards in same.items():
        sizes = sorted({round(d.memory / devices.GIB) for d in cards})
        names = ", ".join(d.name for d in cards[:3])
        if len(cards) > 3:
            names = f"{cards[0].name} … {cards[-1].name} ({len(cards)} cards)"
        memory = f"{sizes[0]} GiB" if len(sizes) == 1 else f"{sizes[0]}–{sizes[-1]} GiB"
        made.append((names, memory, *cells))
    return tuple(made)


def tables(
    found: Sequence[Load], catalogue: Sequence[devices.Device], target: int
) -> tuple[Table, Table | None]:
    """(largest batches by card, what to do first where the target does not fit as it is)."""
    groups: dict[tuple[str, str], list[Load]] = collections.defaultdict(list)
    for load in found:
        groups[load.key].append(load)
    batches, first = [], []
    for device in catalogue:
        batches.append((device, tuple(told(_largest(device, load), load) for load in found)))
        todo = tuple(advice(device, g, target) for g in groups.values())
        if any(word != AS_IT_IS for word in todo):
            first.append((device, todo))
    columns = tuple(f"{text.titled(v.workload, v.mode)}, {v.precision}" for v in found)
    return (
        Table(
            "Largest batch that fits", ("card", "memory", *columns), _grouped(batches),
            frozenset(range(1, len(columns) + 2)),
            "From the line through the peaks of the allocator (its chunks predicted, else 10 % over the "
            "requested bytes), the driver's share taken off, and no further than "
            f"{BEYOND} times the largest batch that is known. Workspaces of cuDNN are not in it: an upper "
            "bound to start from; `migrator measure fit` finds the real one on the card.",
        ),
        Table(
            f"What to take first for a batch of {target}",
            ("card", "memory", *(text.titled(w, m) for w, m in groups)), _grouped(first), frozenset({1}),
        ) if first else None,
    )  # fmt: skip


def section(
    measured: Measurement | None,
    catalogue: Sequence[devices.Device],
    forecasts: Forecasts | None = None,
    target: int = TARGET,
) -> Section | None:
    """Which batch fits which card; None without two batch sizes of anything."""
    found = loads(measured, forecasts)
    if not found:
        return None
    batches, first = tables(found, catalogue, target)
    plain = [v for v in found if v.precision == "float32"]
    findings = []
    for load in plain:
        titled = text.titled(load.workload, load.mode)
        source = "predicted" if load.predicted else "from measured peaks"
        limit = BEYOND * load.known
        tight = [d for d in catalogue if (_largest(d, load) or 0) <= limit]
        room = (
            f"over {limit:,} fit on all {len(catalogue)} cards" if not tight
            else ", ".join(f"{told(_largest(d, load), load)} on {d.name}" for d in _spread(tight))
        )
        findings.append(Statement(
            "neutral",
            f"{titled}: in float32 batches of {room} ({source}; {text.size(load.line.per_item)} an item on "
            f"top of {text.size(load.line.fixed)}).", titled,
        ))  # fmt: skip
    gist = (
        f"a batch of {target} fits as it is on all {len(catalogue)} cards" if first is None
        else f"not every card has room for a batch of {target}"
    )
    lead = (
        "Peaks predicted from the traced graphs, with nothing run on these cards."
        if any(v.predicted for v in found) else "From the peaks measured on this machine."
    )  # fmt: skip
    shown = (batches,) if first is None else (batches, first)
    return Section(
        "cards", "Which batch fits which GPU", gist, f"{lead} {gist[:1].upper()}{gist[1:]}.",
        tuple(findings), (), shown,
    )


def _spread(catalogue: Sequence[devices.Device]) -> list[devices.Device]:
    """One card of each of a few memory sizes, for a sentence."""
    found: dict[int, devices.Device] = {}
    for device in catalogue:
        found.setdefault(round(device.memory / devices.GIB), device)
    return list(found.values())[:4]
