"""The section on whole programs that were run under the probe, before and after."""

from __future__ import annotations

import collections
from typing import Any

from migrator.measure.records import CellResult, Measurement
from migrator.report import text
from migrator.report.charts import Chart
from migrator.report.model import Section, Statement, Table

LEAK = 1 << 20  # bytes a second in the second half of a run that are worth a sentence


def _extra(result: CellResult) -> dict[str, Any]:
    return result.samples[0].extra if result.samples else {}


def _rss(result: CellResult) -> Any:
    return _extra(result).get("rss_peak")


def _row(result: CellResult) -> tuple[str, ...]:
    extra = _extra(result)
    sample = result.samples[0] if result.samples else None
    processes = extra.get("processes") or []
    return (
        result.cell.workload, result.cell.side, text.status(result.status), text.size(result.allocator_peak),
        text.size(_rss(result)), text.duration(result.step_seconds),
        text.duration(result.cpu_seconds),
        "–" if sample is None or sample.traces is None else str(sample.traces),
        str(len(processes)) if processes else "–", text.duration(extra.get("probe_overhead")),
        "" if result.ok else result.reason,
    )  # fmt: skip


def _verdict(before: CellResult, after: CellResult) -> Statement | None:
    """Before and after in one sentence, by the allocator where both have one, else by RSS."""
    old, new = before.allocator_peak, after.allocator_peak
    what = "allocator peak"
    if not old or not new:
        old, new, what = _rss(before), _rss(after), "resident memory"
    if not old or not new:
        return None
    change = new / old - 1
    how = (
        "stayed the same"
        if abs(change) <= 0.05
        else f"{'fell' if change < 0 else 'rose'} by {abs(change):.0%}"
    )
    speed = text.ratio(after.step_seconds, before.step_seconds)
    return Statement(
        "bad" if change > 0.05 else "good",
        f"{after.cell.workload} as a whole program: {what} {how} ({text.size(old)} before, "
        f"{text.size(new)} after); run time {speed} of before.",
        after.cell.workload,
    )


def section(measured: Measurement) -> tuple[Section | None, tuple[Statement, ...]]:
    """(section, findings); None where no command was run."""
    cells = [r for r in measured.cells if r.cell.execution == "command"]
    if not cells:
        return None, ()
    said: list[Statement] = []
    charts: list[Chart] = []
    groups: dict[str, dict[str, CellResult]] = collections.defaultdict(dict)
    for r in cells:
        groups[r.cell.workload][r.cell.side] = r
    for workload, sides in groups.items():
        if "before" in sides and "after" in sides:
            verdict = _verdict(sides["before"], sides["after"])
            said += [verdict] if verdict else []
        for side, r in sides.items():
            if not r.ok:
                said.append(
                    Statement("bad", f"{workload}, {side}: {text.status(r.status)} ({r.reason})",
                              workload)
                )  # fmt: skip
            grown = (_extra(r).get("growth") or {}).get("in_use") or 0
            if grown > LEAK:
                said.append(Statement(
                    "open", f"{workload}, {side}: memory still grows by {text.size(grown)} a second "
                    "in the second half of the run; that is how a leak looks.", workload,
                ))  # fmt: skip
            line = tuple(
                (float(p[0]), float(p[1]))
                for p in _extra(r).get("rss_timeline") or ()
                if len(p) >= 2 and p[1] is not None
            )
            if len(line) > 2:
                charts.append(Chart(
                    f"run-{len(charts)}", f"Resident memory of {workload}, {side}", "line", "bytes",
                    f"Resident memory over the run of {workload}, {side}", points=line,
                ))  # fmt: skip
    table = Table(
        "Programs under the probe",
        ("program", "side", "result", "allocator peak", "resident peak", "run time", "CPU time",
         "traces", "processes", "probe", "last line"),
        tuple(_row(r) for r in cells), frozenset({3, 4, 5, 6, 7, 8, 9}),
        "Run unmodified, each on a copy of its tree; the peak is of the process that held most. Probe: "
        "the time that the probe itself took.",
    )  # fmt: skip
    made = Section("programs", "Whole programs", "", tuple(said), (table,), tuple(charts))
    return made, tuple(said)
