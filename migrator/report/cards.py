"""The section that says which batch fits which GPU, and which strategy to take first where it does not."""

from __future__ import annotations

import collections
from collections.abc import Sequence
from dataclasses import dataclass

from migrator.measure.predict import devices
from migrator.measure.predict.forecast import Forecasts
from migrator.measure.records import PRECISIONS, Measurement
from migrator.report import text
from migrator.report.charts import SERIES, Bar, Chart
from migrator.report.model import Section, Statement, Table

SLACK = 1.10  # chunks over the requested bytes, where the allocator was not followed
TARGET = 16  # the batch that advice is given for, where the settings do not name larger ones


@dataclass(frozen=True, slots=True)
class Load:
    """What one workload needs in one precision: a line over the batch, and where it came from."""

    workload: str
    mode: str
    precision: str
    line: devices.Line
    predicted: bool

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
        if plain and cell.allocator == "default" and r.ok and r.requested_peak:
            groups[cell.workload, cell.mode, cell.precision][cell.batch] = r.requested_peak
    for key, points in groups.items():
        if len(points) >= 2:
            found[key] = Load(*key, _line(list(points.items())), False)
    for f in forecasts.forecasts if forecasts else ():
        if f.status == "ok" and len(f.points) >= 2:
            key = (f.workload, f.mode, f.precision)
            line = devices.line(f.chunks) if f.chunks else _line(f.peaks)
            found[key] = Load(*key, line, True)
    order = {p: i for i, p in enumerate(PRECISIONS)}
    return sorted(found.values(), key=lambda v: (v.workload, v.mode, order.get(v.precision, 9)))


def _largest(device: devices.Device, load: Load) -> int | None:
    """The largest batch, None where the card has no hardware for the precision."""
    has = {"mixed_float16": device.float16, "mixed_bfloat16": device.bfloat16}
    if not has.get(load.precision, True):
        return None
    return load.line.largest(device.usable)


def advice(device: devices.Device, mine: Sequence[Load], target: int) -> str:
    """What to do first so that `target` fits: nothing, a precision, smaller parts, or another model."""
    fits = {v.precision: _largest(device, v) or 0 for v in mine}
    plain = fits.get("float32", 0)
    if plain >= target:
        return "as it is"
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


def _tables(
    found: Sequence[Load], catalogue: Sequence[devices.Device], target: int
) -> tuple[Table, Table]:
    groups: dict[tuple[str, str], list[Load]] = collections.defaultdict(list)
    for load in found:
        groups[load.key].append(load)
    batches, first = [], []
    for device in catalogue:
        cells = []
        for load in found:
            fitting = _largest(device, load)
            cells.append(
                "no hardware" if fitting is None else f"{fitting:,}" if fitting else "does not fit"
            )
        size = f"{device.memory / devices.GIB:.0f} GiB"
        batches.append((device.name, size, *cells))
        first.append((device.name, size, *(advice(device, g, target) for g in groups.values())))
    columns = tuple(f"{text.titled(v.workload, v.mode)}, {v.precision}" for v in found)
    return (
        Table(
            "Largest batch that fits", ("card", "memory", *columns), tuple(batches),
            frozenset(range(1, len(columns) + 2)),
            "From the line through the peaks of the allocator (its chunks predicted, else 10 % over the "
            "requested bytes), the driver's share taken off. Workspaces of cuDNN are not in it: an upper "
            "bound to start from; `migrator fit` finds the real one on the card.",
        ),
        Table(
            f"What to take first for a batch of {target}",
            ("card", "memory", *(text.titled(w, m) for w, m in groups)), tuple(first), frozenset({1}),
        ),
    )  # fmt: skip


def section(
    measured: Measurement | None,
    catalogue: Sequence[devices.Device],
    forecasts: Forecasts | None = None,
    target: int = TARGET,
) -> tuple[Section | None, tuple[Statement, ...]]:
    """(section, findings); None without two batch sizes of anything."""
    found = loads(measured, forecasts)
    if not found:
        return None, ()
    tables = _tables(found, catalogue, target)
    findings = []
    for load in found:
        if load.precision != "float32":
            continue
        sizes = [f"{_largest(d, load) or 0:,} on {d.name}" for d in _spread(catalogue)]
        source = "predicted" if load.predicted else "from measured peaks"
        titled = text.titled(load.workload, load.mode)
        findings.append(Statement(
            "neutral",
            f"{titled}: in float32 the largest batch is {', '.join(sizes)} "
            f"({source}; {text.size(load.line.per_item)} an item on top of "
            f"{text.size(load.line.fixed)}).", titled,
        ))  # fmt: skip
    plain = [v for v in found if v.precision == "float32"]
    bars = tuple(
        Bar(device.name, text.titled(load.workload, load.mode), float(fitting), f"{fitting:,}",
            SERIES[number % len(SERIES)])
        for device in catalogue for number, load in enumerate(plain)
        if (fitting := _largest(device, load))
    )  # fmt: skip
    charts = [
        Chart("cards-chart", "Largest batch in float32 by card", "bars", "count",
              "Largest batch that fits each GPU in float32", bars)
    ] if bars else []  # fmt: skip
    lead = (
        "Peaks predicted from the traced graphs, with nothing run on these cards."
        if any(v.predicted for v in found)
        else "From the peaks measured on this machine."
    )
    made = Section(
        "cards", "Which batch fits which GPU", lead, tuple(findings), tables, tuple(charts)
    )
    return made, tuple(findings)


def _spread(catalogue: Sequence[devices.Device]) -> list[devices.Device]:
    """One card of each of a few memory sizes, for a sentence."""
    found: dict[int, devices.Device] = {}
    for device in catalogue:
        found.setdefault(round(device.memory / devices.GIB), device)
    wanted = [s for s in (4, 8, 16, 24) if s in found]
    return [found[s] for s in wanted] or list(found.values())[:4]
