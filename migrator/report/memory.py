"""The sections on memory and speed: before and after, by batch size and precision, and by layer."""

from __future__ import annotations

import collections
import statistics
from collections.abc import Iterable

from migrator.measure.records import Attribution, CellResult, Measurement
from migrator.report import text
from migrator.report.charts import COLOURS, OTHER, Bar, Chart
from migrator.report.model import Section, Statement, Table

NO_CHANGE = {"inference": 0.02, "training": 0.05}  # differences below are noise (docs/measuring.md)
SLOWER = 1.05  # step times up to this are called the same

REST = "kept and rounded"  # what the allocator's peak has on top of requested bytes
# Kinds of memory that are no layer's doing, whatever scope they have a name in.
NO_LAYERS = ("weights", "optimizer slots", "inputs", "update temporaries")


def _series(result: CellResult) -> tuple[str, str]:
    """(legend name, colour) of a cell within its workload."""
    cell = result.cell
    if cell.side == "before":
        return "before: graph session", COLOURS["before"]
    if cell.precision != "float32":
        return f"after: tf.function, {cell.precision}", COLOURS[cell.precision]
    name = {"eager": "eager", "function": "tf.function", "xla": "tf.function + XLA"}
    how = name.get(cell.execution, cell.execution)
    if cell.allocator != "default":
        how += f", {cell.allocator}"
    return f"after: {how}", COLOURS.get(cell.execution, OTHER)


def _peak(result: CellResult) -> int | None:
    return result.requested_peak or result.allocator_peak


def _bars(results: Iterable[CellResult], unit: str) -> tuple[Bar, ...]:
    bars = []
    for r in results:
        value = _peak(r) if unit == "bytes" else r.step_seconds
        if r.ok and value:
            shown = text.size(value) if unit == "bytes" else text.duration(value)
            series, colour = _series(r)
            bars.append(Bar(f"batch {r.cell.batch}", series, float(value), shown, colour))
    return tuple(bars)


def _reference(results: Iterable[CellResult], of: CellResult) -> CellResult | None:
    """The "before" cell that `of` is compared with."""
    return next(
        (r for r in results if r.ok and r.cell.side == "before"
         and (r.cell.workload, r.cell.batch) == (of.cell.workload, of.cell.batch)), None,
    )  # fmt: skip


def _best_known(results: list[CellResult]) -> CellResult | None:
    """The tf.function float32 cell at the largest batch that also has a "before"."""
    candidates = [
        r for r in results
        if r.ok and r.cell.execution == "function" and r.cell.precision == "float32"
        and _reference(results, r) is not None
    ]  # fmt: skip
    return max(candidates, key=lambda r: r.cell.batch, default=None)


def _verdict(workload: str, results: list[CellResult]) -> Statement | None:
    """«Training at batch 8 takes X instead of Y», with the noise taken into account."""
    after = _best_known(results)
    if after is None:
        return None
    before = _reference(results, after)
    assert before is not None
    new, old = _peak(after), _peak(before)
    if not new or not old:
        return None
    change = new / old - 1
    limit = NO_CHANGE[after.cell.mode]
    how = (
        "stayed the same" if abs(change) <= limit
        else f"{'fell' if change < 0 else 'rose'} by {text.percent(abs(change), 1)}"
    )  # fmt: skip
    kind = "bad" if change > limit else "open" if _slower(after, before) else "good"
    speed = text.ratio(after.step_seconds, before.step_seconds)
    call = "" if kind == "good" else _call(after)
    return Statement(
        kind,
        f"{workload}, batch {after.cell.batch}: peak memory {how} ({text.size(old)} before, "
        f"{text.size(new)} as a tf.function); step time {speed} of the graph session's"
        + (", measured once." if len(after.samples) == 1 else ".") + call,
        workload,
    )


def _call(result: CellResult) -> str:
    """What of the step time is the call's and not the step's: the same at every batch."""
    told = [c for s in result.samples if (c := s.extra.get("call"))]
    if not told:
        return ""
    seconds = statistics.median(c["seconds"] for c in told)
    return (
        f" Of its {text.duration(result.step_seconds)}, calling a tf.function over "
        f"{told[0]['variables']:,} variables takes {text.duration(seconds)}, at every batch."
    )


def _slower(after: CellResult, before: CellResult) -> bool:
    """Whether even the quickest process took longer than the slowest of before, noise included."""
    new, old = after.step_range, before.step_range
    return bool(new and old and new[0] > SLOWER * old[1])


def _share(workload: str, result: CellResult, found: Attribution) -> Statement:
    name, size = max(found.categories.items(), key=lambda kv: kv[1])
    layers = _by_layer(found)
    top = next(iter(layers), "")
    weights = text.percent(found.categories.get("weights", 0), found.requested_peak)
    return Statement(
        "neutral",
        f"{workload}, batch {result.cell.batch}: {text.percent(size, found.requested_peak)} of the peak "
        f"is {name}"
        + (f", {weights} weights" if name != "weights" else "")
        + (f"; the layer that holds most is {top}." if top else "."),
        workload,
    )


def _by_layer(found: Attribution) -> dict[str, int]:
    layers: collections.Counter[str] = collections.Counter()
    for h in found.holders:
        if h.category not in NO_LAYERS:
            layers[h.layer] += h.bytes
    return dict(layers.most_common())


def _attributed(results: list[CellResult]) -> tuple[CellResult, Attribution] | None:
    """The cell whose inside is shown: migrated tf.function, largest batch."""
    chosen = _best_known(results) or next((r for r in reversed(results) if r.ok), None)
    for r in [chosen, *reversed(results)]:
        if r is not None and r.ok:
            for s in r.samples:
                if s.attribution:
                    return r, s.attribution
    return None


def _table(results: list[CellResult]) -> Table:
    rows = []
    for r in results:
        reference = _reference(results, r)
        if not r.ok:
            rows.append(
                (str(r.cell.batch), _series(r)[0], text.status(r.status), "", "", "", "", r.reason, "")
            )
            continue
        sample = r.samples[0]
        traces = "–" if sample.traces is None else str(sample.traces)
        spread = "" if r.spread is None else f" ±{r.spread:.0%}"
        rows.append((
            str(r.cell.batch), _series(r)[0], text.size(r.requested_peak),
            text.size(r.allocator_peak),
            text.ratio(_peak(r), _peak(reference)) if reference else "–",
            text.duration(r.step_seconds) + spread,
            text.ratio(r.step_seconds, reference.step_seconds) if reference else "–",
            traces, _predicted(r),
        ))  # fmt: skip
    return Table(
        "Every cell that was measured",
        ("batch", "variant", "requested peak", "allocator peak", "of before", "step", "of before", "traces",
         "predicted"),
        tuple(rows),
        frozenset({0, 2, 3, 4, 5, 6, 7, 8}),
        "Requested peak: weights, optimizer slots, inputs and the bytes the step asked for at its "
        "fullest moment; it repeats. Allocator peak: the same in the allocator's chunks, with their "
        "slack. Differences below 2 % (inference) or 5 % (training) are noise. Predicted: the requested "
        "peak from the traced graph alone, and how far that is from what was measured.",
    ).told()  # fmt: skip


def _predicted(result: CellResult) -> str:
    """The peak that was predicted for the cell before it ran, and its error."""
    for s in result.samples:
        told = s.extra.get("predicted_step")
        if told and s.attribution and s.attribution.requested_peak:
            peak = told["bytes"] + s.weights + s.slots + s.inputs
            return f"{text.size(peak)} ({peak / s.attribution.requested_peak - 1:+.1%})"
    return "–"


def _phase_table(results: list[CellResult]) -> Table | None:
    shown = [r for r in results if r.ok and r.cell.batch == max(x.cell.batch for x in results)]
    rows = []
    for r in shown:
        for p in r.samples[0].phases:
            whole = f"{p.fragmentation:.0%}" if p.fragmentation is not None else "–"
            rows.append((
                _series(r)[0], p.name, text.duration(p.seconds), text.size(p.in_use),
                text.size(p.peak), text.size(p.reserved), whole, text.size(p.rss),
                text.size(p.device_process), text.size(p.device_used),
            ))  # fmt: skip
    if not rows:
        return None
    return Table(
        f"Phases of a process, batch {shown[0].cell.batch}",
        ("variant", "phase", "time", "in use", "peak so far", "reserved", "fragmented",
         "process (RSS)", "this process on the GPU", "whole GPU (driver)"),
        tuple(rows), frozenset(range(2, 10)),
        "In use, peak and reserved are the allocator's figures at the end of the phase; RSS is the "
        "whole process with its libraries. What the driver counts over the reserved bytes is the "
        "CUDA context and the code of libraries.",
    ).told()  # fmt: skip


def _initialisation(workload: str, results: list[CellResult]) -> Statement | None:
    """What stands in memory once the model is there, before its first step."""
    shown = _attributed(results)
    if shown is None:
        return None
    sample = shown[0].samples[0]
    held = next((p for p in sample.phases if p.name == "initialisation"), None)
    ready = next((p for p in reversed(sample.phases) if p.name == "steady"), None)
    if held is None or ready is None or held.in_use is None or not sample.weights:
        return None
    return Statement(
        "neutral",
        f"{workload}: weights take {text.size(sample.weights)}"
        + (f", optimizer slots {text.size(sample.slots)}" if sample.slots else "")
        + f"; after initialisation {text.size(held.in_use)} are in use and the process has "
        f"{text.size(held.rss)} resident; a step at batch {shown[0].cell.batch} peaks at "
        f"{text.size(_peak(shown[0]))}: "
        f"{(_peak(shown[0]) or 0) / sample.weights:.0f} times the weights.",
        workload,
    )


def sections(
    measured: Measurement, suffix: str = "", note: str = ""
) -> tuple[tuple[Section, ...], tuple[Statement, ...]]:
    """A section for each workload, and the sentences for the top of the report.

    suffix: makes ids unique where a page has several measurements; note: stands in their headings.
    """
    groups: dict[tuple[str, str], list[CellResult]] = collections.defaultdict(list)
    for r in measured.cells:
        if r.cell.execution != "command" and not r.cell.strategy:
            groups[r.cell.workload, r.cell.mode].append(r)
    found: list[Section] = []
    top: list[Statement] = []
    for index, ((workload, mode), results) in enumerate(groups.items()):
        number = f"{index}{suffix}"
        statements: list[Statement] = []
        titled = text.titled(workload, mode)
        verdict = _verdict(titled, results)
        if verdict:
            statements.append(verdict)
        for r in results:
            if r.status in ("oom", "timeout", "failed", "killed"):
                statements.append(Statement(
                    "bad",
                    f"{r.cell.title}, batch {r.cell.batch}: {text.status(r.status)} ({r.reason})",
                ))  # fmt: skip
        charts = [
            Chart(f"peak-{number}", "Peak memory by batch size", "bars", "bytes",
                  f"Peak memory of {workload} before and after, by batch size",
                  _bars(results, "bytes")),
            Chart(f"time-{number}", "Step time by batch size", "bars", "seconds",
                  f"Step time of {workload} before and after, by batch size",
                  _bars(results, "seconds")),
        ]  # fmt: skip
        inside = _attributed(results)
        if inside:
            cell_result, attribution = inside
            statements.append(_share(titled, cell_result, attribution))
            begun = _initialisation(titled, results)
            if begun is not None:
                statements.append(begun)
            charts += _inside_charts(number, workload, results, cell_result, attribution)
        tables = [_table(results)]
        phases = _phase_table(results)
        if phases:
            tables.append(phases)
        # a cell without figures is told in its section; a verdict stands above, good or bad
        top += [s for s in statements if s is verdict or s.kind != "bad"][:3]
        found.append(Section(
            f"memory-{number}", f"Memory and speed: {titled}{note}", "",
            tuple(statements), tuple(tables), tuple(c for c in charts if c.bars or c.points or c.tree),
        ))  # fmt: skip
    return tuple(found), tuple(top)


def _inside_charts(
    number: str, workload: str, results: list[CellResult], shown: CellResult, found: Attribution
) -> list[Chart]:
    where = f"{shown.cell.title}, batch {shown.cell.batch}"
    stack = []
    for r in results:
        attribution = (
            next((s.attribution for s in r.samples if s.attribution), None) if r.ok else None
        )
        if attribution and r.cell.batch == shown.cell.batch:
            rest = max(attribution.allocator_peak - sum(attribution.categories.values()), 0)
            stack += [
                Bar(_series(r)[0], kind, float(size), text.size(size), COLOURS.get(kind, OTHER))
                for kind, size in {**attribution.categories, REST: rest}.items() if size
            ]  # fmt: skip
    tree: list[tuple[str, str, str, float]] = []
    totals: collections.Counter[str] = collections.Counter()
    layers: collections.Counter[tuple[str, str]] = collections.Counter()
    for h in found.holders:
        totals[h.category] += h.bytes
        layers[h.category, h.layer] += h.bytes
    for kind, size in totals.items():
        tree.append((kind, kind, "", float(size)))
    for (kind, layer), size in layers.items():
        tree.append((f"{kind}|{layer}", layer, kind, float(size)))
    note = ""
    if found.allocator_peak:
        off = abs(found.missing) / found.allocator_peak
        note = (
            "The requested bytes of everything that lived at the peak; then, up to the allocator's own "
            "peak, what kernels keep between steps (constants, oneDNN's copies of constant weights) and "
            "what rounding to chunks adds. Replayed, the step's allocations give the allocator's peak "
            + ("exactly." if found.missing == 0 else f"within {off:.2%}.")
        )
    return [
        Chart(f"kinds-{number}", f"What fills the peak, batch {shown.cell.batch}", "stack", "bytes",
              f"Kinds of memory at the peak of {workload}", tuple(stack), note=note),
        Chart(f"layers-{number}", f"Which layers hold it ({where})", "treemap", "bytes",
              f"Layers that hold memory at the peak of {workload}", tree=tuple(tree)),
        Chart(f"line-{number}", f"Live memory over one step ({where})", "line", "bytes",
              f"Bytes live during one step of {workload}", points=found.timeline,
              note=f"The fullest moment is at {found.peak_op}." if found.peak_op else ""),
    ]  # fmt: skip
