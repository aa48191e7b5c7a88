"""The sections on memory and speed: before and after, where memory goes, and every cell."""

from __future__ import annotations

import collections
from collections.abc import Iterable, Sequence

from migrator.measure.records import Attribution, CellResult, Measurement
from migrator.report import compared, text, view
from migrator.report.charts import Bar, Chart, colour
from migrator.report.compared import Pair
from migrator.report.model import NO, UNKNOWN, YES, Row, Section, Statement, Table

REST = "kept and rounded"  # what the allocator's peak has on top of requested bytes
# Kinds of memory that are no layer's doing, whatever scope they have a name in.
NO_LAYERS = ("weights", "optimizer slots", "inputs", "update temporaries")
_MARK = {YES: "good", NO: "bad", UNKNOWN: "open"}


def cells_of(measured: Measurement) -> list[CellResult]:
    """The cells that are a step of a workload as it is: no whole program, no strategy."""
    return [r for r in measured.cells if not compared.program(r) and not r.cell.strategy]


def comparison(
    results: Sequence[CellResult], pairs: Sequence[Pair], suffix: str = "", note: str = ""
) -> Section | None:
    """Every workload before and after, one a line, and what else was tried of it; None where there is
    nothing to compare."""
    if not pairs:
        return None
    rows = []
    for pair in pairs:
        memory, speed = pair.memory(), pair.speed()
        worse = compared.worst([(pair, memory), (pair, speed)])[1]
        rows.append(Row((
            pair.name, "–" if compared.program(pair.after) else str(pair.after.cell.batch),
            memory.before or "–", memory.after or "–", memory.change or "–", speed.before or "–",
            speed.after or "–", speed.change or "–", f"{memory.line}; {speed.line}",
        ), kind=_MARK[worse.verdict]))  # fmt: skip
    variants = tuple(s for pair in pairs if (s := _variants(results, pair)) is not None)
    fine = sum(r.kind == "good" for r in rows)
    table = Table(
        "Before and after",
        ("workload", "batch", "peak before", "after", "change", "step before", "after", "×", "what it says"),
        tuple(rows), frozenset(range(1, 8)),
        "Peaks are the largest of all processes, step times medians; × is after over before, so that more "
        f"than 1 is slower. Up to {compared.NOISE['inference']:.0%} (inference) and "
        f"{compared.NOISE['training']:.0%} (training) of memory and {compared.SLOWER - 1:.0%} of time count "
        "as no change.",
    )  # fmt: skip
    return Section(
        f"compared{suffix}", f"Before and after{note}",
        f"{fine} of {text.plural(len(rows), 'workload')} no worse than before", "",
        variants, (), (table,), open=True,
    )  # fmt: skip


def _variants(results: Sequence[CellResult], pair: Pair) -> Statement | None:
    """What XLA and half precision make of a workload, in time and memory, over what it was before."""
    if not pair.before.ok:
        return None
    said = []
    for r in results:
        c, plain = r.cell, pair.after.cell
        same = (c.workload, c.mode, c.batch) == (plain.workload, plain.mode, plain.batch)
        if not same or r.machine != pair.after.machine or not r.ok or compared.plain(r) or (
            c.side == "before" or c.strategy or c.allocator != "default" or c.execution == "eager"
        ):
            continue
        other = Pair(pair.before, r)
        peaks = other.peaks
        if r.step_seconds and peaks:
            took = (
                "" if other.carries_results()
                else f"{text.duration(r.step_seconds)} "
                f"({text.ratio(r.step_seconds, pair.before.step_seconds)}), "
            )  # fmt: skip
            said.append(
                f"{view.variant(r).removeprefix('after: ')}: {took}{text.size(peaks[1])} "
                f"({text.ratio(peaks[1], peaks[0])})"
            )
    if not said:
        return None
    return Statement("neutral", f"{pair.title}, over before: {'; '.join(said)}.", pair.name)


def main_cell(measured: Measurement, pairs: Sequence[Pair]) -> CellResult | None:
    """The cell that the page shows first: the migrated side of what matters most."""
    steps = [p.after for p in pairs if not compared.program(p.after) and p.after.ok]
    if steps:
        return steps[0]
    ran = [r for r in cells_of(measured) if r.ok and view.traced(r)]
    return max(ran, key=lambda r: (compared.plain(r), r.peak or 0), default=None)


def where(result: CellResult | None) -> str:
    """In a sentence, what fills the peak of a cell; "" where nothing tells."""
    one = view.traced(result) if result is not None and result.reconciles else None
    if one is None or result is None:
        return ""
    found = one[1]
    kind, size = max(found.categories.items(), key=lambda kv: kv[1])
    weights = text.percent(found.categories.get("weights", 0), found.requested_peak)
    layer = next(iter(by_layer(found)), "")
    return (
        f"{text.percent(size, found.requested_peak)} of the peak is {kind}"
        + (f", {weights} weights" if kind != "weights" else "")
        + (f"; most of it in {layer}." if layer and layer != "(unnamed)" else ".")
    )


def by_layer(found: Attribution) -> dict[str, int]:
    """{layer: bytes} of what layers hold at the peak, most first."""
    layers: collections.Counter[str] = collections.Counter()
    for h in found.holders:
        if h.category not in NO_LAYERS:
            layers[h.layer] += h.bytes
    return dict(layers.most_common())


def sections(
    measured: Measurement, pairs: Sequence[Pair], suffix: str = "", note: str = ""
) -> list[Section]:
    """Before and after, where memory goes, and everything that was measured.

    suffix: makes ids unique where a page has several measurements; note: stands in their headings.
    """
    results = cells_of(measured)
    found = []
    told = comparison(results, pairs, suffix, note)
    if told is not None:
        found.append(told)
    if not results:
        return found
    shown = view.data(results)
    main = main_cell(measured, pairs)
    if shown["cells"]:
        if main is not None:
            shown["first"] = list(view.about(main))
        apart = [r for r in results if r.ok and view.traced(r) and not r.reconciles]
        said = [told(r) for r in _largest(results) for told in (_initialisation, _on_card)]
        lead = where(main)
        found.append(Section(
            f"memory{suffix}", f"Where memory goes{note}", lead or "by layer, tensor and line", lead,
            tuple(s for s in said if s) + _unreconciled(apart),
            (_kinds(results, suffix), _times(results, suffix)), (), view=shown, open=True,
        ))  # fmt: skip
    failed = [r for r in results if not r.ok and r.status != "unsupported"]
    impossible = sum(r.status == "unsupported" for r in results)
    gist = text.plural(len(results), "cell")
    gist += f", {len(failed)} did not finish" if failed else ""
    gist += f", {impossible} not possible" if impossible else ""
    phases = _phases(results)
    found.append(Section(
        f"cells{suffix}", f"Everything that was measured{note}", gist, "",
        tuple(
            Statement("bad", f"{view.about(r)[0]}, batch {r.cell.batch}, {view.variant(r)}: "
                      f"{text.status(r.status)} ({r.reason})", view.about(r)[0]) for r in failed
        ),
        (), (_table(results), *([phases] if phases else [])),
    ))  # fmt: skip
    return found


def _largest(results: Iterable[CellResult]) -> list[CellResult]:
    """For each workload, the plain migrated cell at the largest batch."""
    best: dict[str, CellResult] = {}
    for r in results:
        name = view.about(r)[0]
        if r.ok and compared.plain(r) and view.traced(r):
            if name not in best or r.cell.batch > best[name].cell.batch:
                best[name] = r
    return list(best.values())


def _initialisation(result: CellResult) -> Statement | None:
    """What stands in memory once the model is there, and what a step takes on top."""
    sample = result.samples[0]
    held = next((p for p in sample.phases if p.name == "initialisation"), None)
    if held is None or held.in_use is None or not sample.weights or not result.peak:
        return None
    name = view.about(result)[0]
    return Statement(
        "neutral",
        f"{name}: weights take {text.size(sample.weights)}"
        + (f", optimizer slots {text.size(sample.slots)}" if sample.slots else "")
        + f"; a step at batch {result.cell.batch} peaks at {text.size(result.peak)}, "
        f"{result.peak / sample.weights:,.0f} times the weights.",
        name,
    )


def _on_card(result: CellResult) -> Statement | None:
    """The driver's figure for the process, by parts; None without a GPU."""
    parts = compared.on_card(result)
    peak = result.allocator_peak
    if parts is None or not peak:
        return None
    name = view.about(result)[0]
    return Statement(
        "neutral",
        f"{name}: the driver counts {text.size(parts.process)} for the process at batch "
        f"{result.cell.batch}. At the fullest moment of a step {text.size(peak)} of it are tensors; the "
        f"allocator has reserved {text.size(parts.in_use + parts.slack)}, as much as the first step's trials "
        f"asked for; {text.size(parts.outside)} are the CUDA context and libraries.",
        name,
    )


def _unreconciled(apart: Sequence[CellResult]) -> tuple[Statement, ...]:
    """What is not drawn, because the trace and the allocator disagree."""
    said = []
    for r in apart:
        one = view.traced(r)
        assert one is not None
        said.append(Statement(
            "open",
            f"{view.about(r)[0]}, batch {r.cell.batch}, {view.variant(r)} is not drawn: its trace holds "
            f"{text.size(one[1].replay_peak)}, the allocator counted {text.size(one[1].allocator_peak)}.",
            view.about(r)[0],
        ))  # fmt: skip
    return tuple(said)


def _kinds(results: Iterable[CellResult], suffix: str) -> Chart:
    """What fills the peak of each cell whose trace the allocator confirms."""
    bars = []
    for r in results:
        one = view.traced(r)
        if one is None:
            continue
        found = one[1]
        if not r.reconciles:
            parts = {"not broken down": found.allocator_peak}
        else:
            rest = max(found.allocator_peak - sum(found.categories.values()), 0)
            parts = {**found.categories, REST: rest}
        bars += [
            Bar(view.variant(r), kind, float(size), text.size(size), colour(kind), view.about(r))
            for kind, size in parts.items() if size > 0
        ]  # fmt: skip
    return Chart(
        f"kinds{suffix}", "What fills the peak", "stack", "Kinds of memory at the peak of each cell",
        tuple(bars),
        note="Requested bytes of all that lived at the fullest moment, and, up to the allocator's own peak, "
        "what kernels keep between steps (constants, copies of constant weights) and what rounding to "
        "chunks adds.",
    )  # fmt: skip


def _times(results: Iterable[CellResult], suffix: str) -> Chart:
    bars = tuple(
        Bar(f"{view.about(r)[0]}, batch {r.cell.batch}", view.variant(r), r.step_seconds,
            text.duration(r.step_seconds) + text.spread(r.spread), view.tint(r), view.about(r))
        for r in results if r.ok and r.step_seconds
    )  # fmt: skip
    return Chart(f"times{suffix}", "Step time", "bars", "Step time of each cell", bars)


def _before(results: Iterable[CellResult], of: CellResult) -> CellResult | None:
    """The "before" cell that `of` is compared with."""
    return next(
        (r for r in results if r.ok and r.cell.side == "before"
         and (r.cell.workload, r.cell.batch) == (of.cell.workload, of.cell.batch)), None,
    )  # fmt: skip


def _table(results: list[CellResult]) -> Table:
    rows = []
    for r in results:
        name, batch, how = view.about(r)
        if not r.ok:
            row = (name, batch, how, text.status(r.status), "", "", "", "", "", "", "", r.reason)
            rows.append(Row(row, "bad" if r.status != "unsupported" else ""))
            continue
        reference = _before(results, r)
        pair = Pair(reference, r) if reference is not None else None
        peaks = pair.peaks if pair else None
        sample = r.samples[0]
        rows.append(Row((
            name, batch, how, text.size(r.requested_peak) + ("" if r.reconciles else " ?"),
            text.size(r.allocator_peak), text.ratio(peaks[1], peaks[0]) if peaks else "–",
            text.duration(r.step_seconds) + text.spread(r.spread),
            text.ratio(r.step_seconds, reference.step_seconds) if reference else "–",
            str(len(r.samples)), "–" if sample.traces is None else str(sample.traces),
            _predicted(r), "",
        )))  # fmt: skip
    return Table(
        "Every cell",
        ("workload", "batch", "variant", "requested peak", "allocator peak", "× before", "step", "× before",
         "processes", "traces", "predicted", "why not"),
        tuple(rows), frozenset({1, *range(3, 11)}),
        "Requested peak: weights, optimizer slots, inputs and the bytes that the step asked for at its "
        "fullest moment; it repeats (with ?: the allocator counted otherwise). Allocator peak: in the "
        "allocator's chunks, with their slack. ±: half the range of the steps. Predicted: the requested "
        "peak from the traced graph alone, and how far off it is.",
    ).told()  # fmt: skip


def _predicted(result: CellResult) -> str:
    """The peak that was predicted for the cell before it ran, and its error."""
    for s in result.samples:
        told = s.extra.get("predicted_step")
        if told and not result.reconciles and told.get("allocator") and result.allocator_peak:
            off = told["allocator"] / result.allocator_peak - 1
            return f"{text.size(told['allocator'])} ({off:+.1%} of the allocator's)"
        if told and s.attribution and s.attribution.requested_peak:
            peak = told["bytes"] + s.weights + s.slots + s.inputs
            return f"{text.size(peak)} ({peak / s.attribution.requested_peak - 1:+.1%})"
    return "–"


def _phases(results: Iterable[CellResult]) -> Table | None:
    """The phases of one process of each workload's plain cell at its largest batch, before and after."""
    rows = []
    results = list(results)
    for after in _largest(results):
        for r in (_before(results, after), after):
            for p in r.samples[0].phases if r is not None else ():
                whole = f"{p.fragmentation:.0%}" if p.fragmentation is not None else "–"
                assert r is not None
                rows.append(Row((
                    view.about(r)[0], view.variant(r), p.name, text.duration(p.seconds),
                    text.size(p.in_use), text.size(p.peak), text.size(p.reserved), whole,
                    text.size(p.rss), text.size(p.device_process), text.size(p.device_used),
                )))  # fmt: skip
    if not rows:
        return None
    return Table(
        "Phases of a process",
        ("workload", "variant", "phase", "time", "in use", "peak so far", "reserved", "fragmented",
         "process (RSS)", "this process on the GPU", "whole GPU (driver)"),
        tuple(rows), frozenset(range(3, 11)),
        "At the largest batch, first process. In use, peak and reserved are the allocator's figures at the "
        "end of the phase; RSS is the whole process with its libraries. What the driver counts over the "
        "reserved bytes is the CUDA context and the code of libraries.", folded=True,
    ).told()  # fmt: skip
