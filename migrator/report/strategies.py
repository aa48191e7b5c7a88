"""The section that puts strategies beside each other: size, peak, step time and output difference."""

from __future__ import annotations

import collections

from migrator.measure import strategies
from migrator.measure.compare import NOT_FINITE
from migrator.measure.records import CellResult, Measurement
from migrator.report import text
from migrator.report.charts import COLOURS, OTHER, Bar, Chart
from migrator.report.model import Section, Statement, Table

REDUCED = ("mixed_float16", "mixed_bfloat16")


def _plain(result: CellResult) -> bool:
    cell = result.cell
    return (
        cell.execution == "function" and cell.precision == "float32" and not cell.strategy
        and cell.allocator == "default"
    )  # fmt: skip


def _name(result: CellResult) -> str:
    cell = result.cell
    if cell.strategy:
        return cell.strategy
    if cell.precision in REDUCED:
        return cell.precision
    parts = {"eager": "eager", "xla": "XLA", "function": "tf.function"}
    name = parts.get(cell.execution, cell.execution)
    return name if cell.allocator == "default" else f"{name}, {cell.allocator}"


def _why(result: CellResult) -> str:
    try:
        return strategies.of(result.cell.strategy).title if result.cell.strategy else ""
    except KeyError:  # of a later version
        return ""


def _difference(value: float | None) -> str:
    if value is None:
        return "–"
    return "not finite" if value >= NOT_FINITE else "0" if value == 0 else f"{value:.1e}"


def _peak(result: CellResult | None) -> int | None:
    return None if result is None else result.requested_peak or result.allocator_peak


def _row(result: CellResult, plain: CellResult | None) -> tuple[str, ...]:
    if not result.ok:
        return (_name(result), text.status(result.status), "", "", "", "", "", "", result.reason)
    sample = result.samples[0]
    step = plain.step_seconds if plain else None
    return (
        _name(result), text.size(_peak(result)), text.ratio(_peak(result), _peak(plain)),
        text.duration(result.step_seconds), text.ratio(result.step_seconds, step),
        text.size(sample.size), text.size(sample.compressed), _difference(result.difference),
        _why(result),
    )  # fmt: skip


def _finding(workload: str, results: list[CellResult], plain: CellResult) -> Statement | None:
    """The strategy that saves most memory, and what it costs."""
    base, pace = _peak(plain), plain.step_seconds
    if not base:
        return None
    found = [
        (_peak(r) or base, r) for r in results
        if r.ok and r is not plain and _peak(r) and r.cell.execution != "tflite"
    ]  # fmt: skip
    if not found:
        return None
    peak, best = min(found, key=lambda pair: pair[0])
    where = f"{workload}, batch {best.cell.batch}"
    if peak > 0.98 * base:
        return Statement("neutral", f"{where}: no strategy needs less memory than a tf.function.",
                         workload)  # fmt: skip
    cost = text.ratio(best.step_seconds, pace) if pace else "–"
    apart = ""
    if best.difference is not None:
        apart = f", outputs differ by {_difference(best.difference)}"
    return Statement(
        "good",
        f"{where}: {_name(best)} needs least memory, {text.size(peak)} instead of "
        f"{text.size(base)} ({text.percent(base - peak, base)} less), at {cost} of the step time{apart}.",
        workload,
    )


def section(measured: Measurement) -> tuple[Section | None, tuple[Statement, ...]]:
    """(section, findings); None where only plain cells were measured."""
    groups: dict[tuple[str, str, int], list[CellResult]] = collections.defaultdict(list)
    for r in measured.cells:
        if r.cell.side == "after" and r.cell.execution != "command":
            groups[r.cell.workload, r.cell.mode, r.cell.batch].append(r)
    largest: dict[tuple[str, str], int] = {}
    for workload, mode, batch in groups:
        largest[workload, mode] = max(batch, largest.get((workload, mode), 0))
    tables: list[Table] = []
    findings: list[Statement] = []
    charts: list[Chart] = []
    for (workload, mode, batch), results in groups.items():
        tried = any(r.cell.strategy for r in results)
        if batch != largest[workload, mode] and not tried or len(results) < 2:
            continue
        plain = next((r for r in results if r.ok and _plain(r)), None)
        ordered = sorted(results, key=lambda r: (r is not plain, bool(r.cell.strategy)))
        tables.append(Table(
            f"{text.titled(workload, mode)}, batch {batch}",
            ("strategy", "peak", "of plain", "step", "of plain", "stored", "gzipped",
             "output difference", "what it is"),
            tuple(_row(r, plain) for r in ordered), frozenset(range(1, 8)),
            "Plain is tf.function in float32. Output difference: largest difference over the largest "
            "value of the plain outputs, with the same weights.",
        ))  # fmt: skip
        if plain is not None:
            said = _finding(text.titled(workload, mode), results, plain)
            findings += [said] if said else []
        bars = tuple(
            Bar(f"batch {batch}", _name(r), float(_peak(r) or 0), text.size(_peak(r)),
                COLOURS.get(r.cell.precision if r.cell.precision in REDUCED else r.cell.execution,
                            OTHER))
            for r in ordered if r.ok and _peak(r)
        )  # fmt: skip
        charts.append(Chart(
            f"strategies-{len(charts)}", f"Peak by strategy: {workload}", "bars", "bytes",
            f"Peak memory of {text.titled(workload, mode)} at batch {batch} by strategy", bars,
        ))  # fmt: skip
    if not tables:
        return None, ()
    made = Section(
        "strategies", "Strategies compared", "", tuple(findings), tuple(tables),
        tuple(c for c in charts if c.bars),
    )  # fmt: skip
    return made, tuple(findings)
