"""The section that puts strategies beside each other: size, peak, step time and output difference."""

from __future__ import annotations

import collections

from migrator.measure import strategies
from migrator.measure.compare import NOT_FINITE
from migrator.measure.records import CellResult, Measurement
from migrator.report import text, view
from migrator.report.charts import Bar, Chart
from migrator.report.compared import SLOWER
from migrator.report.compared import plain as plain_cell
from migrator.report.model import Row, Section, Statement, Table


def _name(result: CellResult) -> str:
    cell = result.cell
    if cell.strategy:
        return cell.strategy
    if cell.precision != "float32":
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


def _row(result: CellResult, plain: CellResult | None) -> Row:
    name, batch, _ = view.about(result)
    front = (name, batch, _name(result))
    if not result.ok:
        ended = text.status(result.status)
        return Row((*front, ended, "", "", "", "", "", "", result.reason))
    sample = result.samples[0]
    peak, step = (plain.peak, plain.step_seconds) if plain else (None, None)
    return Row((
        *front, text.size(result.peak), text.ratio(result.peak, peak),
        text.duration(result.step_seconds) + text.spread(result.spread),
        text.ratio(result.step_seconds, step), text.size(sample.size), text.size(sample.compressed),
        _difference(result.difference), _why(result),
    ))  # fmt: skip


def _finding(workload: str, results: list[CellResult], plain: CellResult) -> Statement | None:
    """The strategy that saves most memory, and what it costs."""
    base, pace = plain.peak, plain.step_seconds
    if not base:
        return None
    found = [
        (r.peak or base, r) for r in results
        if r.ok and r is not plain and r.peak and r.cell.execution != "tflite"
    ]  # fmt: skip
    if not found:
        return None
    peak, best = min(found, key=lambda pair: pair[0])
    where = f"{workload}, batch {best.cell.batch}"
    if peak > 0.98 * base:
        return Statement("neutral", f"{where}: no strategy needs less memory than a tf.function.",
                         workload)  # fmt: skip
    cost = text.ratio(best.step_seconds, pace)
    free = bool(pace and best.step_seconds and best.step_seconds <= SLOWER * pace)
    apart = ""
    if best.difference is not None:
        apart = f", outputs differ by {_difference(best.difference)}"
    return Statement(
        "good" if free else "neutral",
        f"{where}: {_name(best)} needs least memory, {text.size(peak)} instead of "
        f"{text.size(base)} ({text.percent(base - peak, base)} less), at {cost} of the step time{apart}.",
        workload,
    )


def section(measured: Measurement) -> Section | None:
    """Ways of running what was migrated, beside each other; None where only plain cells were measured."""
    groups: dict[tuple[str, str, int], list[CellResult]] = collections.defaultdict(list)
    for r in measured.cells:
        if r.cell.side == "after" and r.cell.execution != "command":
            groups[r.cell.workload, r.cell.mode, r.cell.batch].append(r)
    largest: dict[tuple[str, str], int] = {}
    for workload, mode, batch in groups:
        largest[workload, mode] = max(batch, largest.get((workload, mode), 0))
    rows: list[Row] = []
    findings: list[Statement] = []
    bars: list[Bar] = []
    for (workload, mode, batch), results in groups.items():
        tried = any(r.cell.strategy for r in results)
        if batch != largest[workload, mode] and not tried or len(results) < 2:
            continue
        plain = next((r for r in results if r.ok and plain_cell(r)), None)
        ordered = sorted(results, key=lambda r: (r is not plain, bool(r.cell.strategy)))
        rows += [_row(r, plain) for r in ordered]
        if plain is not None:
            said = _finding(text.titled(workload, mode), results, plain)
            findings += [said] if said else []
        name = f"{text.titled(workload, mode)}, batch {batch}"
        bars += [
            Bar(name, _name(r), float(r.peak or 0), text.size(r.peak), view.tint(r))
            for r in ordered if r.ok and r.peak and tried
        ]  # fmt: skip
    if not rows:
        return None
    table = Table(
        "Strategies",
        ("workload", "batch", "strategy", "peak", "× plain", "step", "× plain", "stored", "gzipped",
         "output difference", "what it is"),
        tuple(rows), frozenset({1, *range(3, 10)}),
        "Plain is tf.function in float32. Output difference: largest difference over the largest value of "
        "the plain outputs, with the same weights.",
    ).told()  # fmt: skip
    charts = (Chart("strategies", "Peak by strategy", "bars", "Peak memory by strategy", tuple(bars)),)
    gist = findings[0].text if findings else text.plural(len(rows), "way") + " of running"
    return Section(
        "strategies", "Precision, XLA and strategies", gist, "", tuple(findings),
        charts if bars else (), (table,),
    )  # fmt: skip
