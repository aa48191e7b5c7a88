"""The section on whole programs that were run under the probe, before and after."""

from __future__ import annotations

from typing import Any

from migrator.measure.records import CellResult, Measurement
from migrator.report import text
from migrator.report.charts import Area, Chart, colour
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


def section(measured: Measurement) -> Section | None:
    """What whole programs did under the probe; None where none was run."""
    cells = [r for r in measured.cells if r.cell.execution == "command"]
    if not cells:
        return None
    said: list[Statement] = []
    charts: list[Chart] = []
    groups: dict[str, list[CellResult]] = {}
    for r in cells:
        groups.setdefault(r.cell.workload, []).append(r)
    for workload, sides in groups.items():
        areas = []
        for r in sides:
            side = r.cell.side
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
                top = text.size(max(y for _, y in line))
                areas.append(Area(f"{side}: peak {top}", colour(side), line, filled=side == "after"))
        if areas:
            charts.append(Chart(
                f"run-{len(charts)}", f"Resident memory over the run: {workload}", "area",
                f"Resident memory over the run of {workload}", areas=tuple(areas[::-1]),
            ))  # fmt: skip
    table = Table(
        "Programs under the probe",
        ("program", "side", "result", "allocator peak", "resident peak", "run time", "CPU time",
         "traces", "processes", "probe", "last line"),
        tuple(_row(r) for r in cells), frozenset({3, 4, 5, 6, 7, 8, 9}),
        "Run unmodified, each on a copy of its tree; the peak is of the process that held most. Probe: "
        "the time that the probe itself took.",
    )  # fmt: skip
    gist = text.plural(len(groups), "program")
    return Section(
        "programs", "Whole programs", gist, "", tuple(said), tuple(charts), (table.told(),),
        open=bool(said),
    )  # fmt: skip
