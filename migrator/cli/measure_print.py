"""Prints measurements, choices and fits as tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.table import Table

from migrator.cli import console
from migrator.measure import device_memory
from migrator.measure.compare import NOT_FINITE
from migrator.measure.fit import Fit, Try
from migrator.measure.records import CellResult
from migrator.measure.tune import Choice
from migrator.report import text


def _console() -> Console:
    """The terminal, or something wide enough for a table where output goes to a file."""
    found = console.stdout(wrap=True)
    return found if found.is_terminal else console.stdout(max(found.width, 140), wrap=True)


def difference(value: float | None) -> str:
    """The largest difference of outputs, relative."""
    if value is None:
        return "–"
    return "not finite" if value >= NOT_FINITE else f"{value:.1e}" if value else "0"


def _resident(r: CellResult) -> int | None:
    """Most bytes that the processes of a command had resident together."""
    return max((s.extra.get("rss_peak") or 0 for s in r.samples), default=0) or None


def results(found: Sequence[CellResult]) -> None:
    """One row a cell, then why those without figures have none."""
    machines = {r.machine for r in found} - {""}
    table = Table(box=box.SIMPLE_HEAD)
    columns = ["workload", "batch", "variant", "requested peak", "allocator peak", "step",
               "processes", "stored", "difference"]  # fmt: skip
    programs = any(r.cell.execution == "command" for r in found)
    if programs:  # of a program without TensorFlow, or on TF 1.15, it is all that is known
        columns.insert(5, "resident")
    if len(machines) > 1:
        columns.insert(0, "machine")
    for column in columns:
        left = column in ("workload", "variant", "machine")
        # a name that is one long word is folded, not cut
        table.add_column(
            column, justify="left" if left else "right", overflow="fold" if left else "ellipsis"
        )
    for r in found:
        stored = r.samples[0].compressed if r.samples else None
        row = [
            r.cell.workload, str(r.cell.batch), r.cell.title,
            text.size(r.requested_peak) if r.ok else text.status(r.status), text.size(r.allocator_peak),
            *([text.size(_resident(r))] if programs else []),
            text.duration(r.step_seconds) + text.spread(r.spread), str(len(r.samples)),
            text.size(stored) if stored else "–", difference(r.difference),
        ]  # fmt: skip
        table.add_row(*([r.machine] if len(machines) > 1 else []), *row)
    _console().print(table)
    _device(found)
    for r in found:
        if not r.ok:
            how = text.status(r.status)
            console.echo(
                f"{r.cell.workload}, {r.cell.title}, batch {r.cell.batch}: {how}: {r.reason}", err=True
            )


def _device(found: Sequence[CellResult]) -> None:
    """On a GPU: the driver's figure for each process, and what it is made of."""
    table = Table(box=box.SIMPLE_HEAD, title="On the GPU, as the driver counts", title_justify="left")
    for column in ("workload", "batch", "variant", "process", "tensors", "reserved, not in use",
                   "context and libraries"):  # fmt: skip
        table.add_column(column, justify="left" if column in ("workload", "variant") else "right")
    for r in found:
        parts = device_memory.of_sample(r.samples[0]) if r.samples else ()
        if parts:
            last = parts[-1]
            table.add_row(
                r.cell.workload, str(r.cell.batch), r.cell.title, text.size(last.process),
                text.size(last.in_use), text.size(last.slack), text.size(last.outside),
            )  # fmt: skip
    if table.row_count:
        _console().print(table)


def choices(found: Iterable[Choice]) -> None:
    """What was picked, and against what."""
    for c in found:
        table = Table(box=box.SIMPLE_HEAD, title=f"{c.workload}, batch {c.batch}: best for "
                      f"{c.objective}", title_justify="left")  # fmt: skip
        for column in ("candidate", "peak", "step", "first step", "pays after", "difference", "score", ""):
            table.add_column(column, justify="left" if column in ("candidate", "") else "right")
        for k in c.candidates:
            picked = k == c.chosen
            table.add_row(
                ("→ " if picked else "  ") + k.title, text.size(k.peak), text.duration(k.step),
                text.duration(k.first), _steps(k.pays_after),
                difference(k.difference), "–" if k.score is None else f"{k.score:.2f}",
                "picked" if picked else k.rejected,
            )  # fmt: skip
        _console().print(table)


def _steps(count: int | None) -> str:
    return "–" if count is None else "at once" if not count else f"{count:,} steps"


def tried(t: Try) -> str:
    """One line for one batch size of a fit."""
    return f"batch {t.batch}: {'fits' if t.status == 'ok' else text.status(t.status)}" + (
        f", allocator peak {text.size(t.allocator_peak)}" if t.allocator_peak else ""
    )


def fit(found: Fit) -> None:
    """The largest batch, and between which sizes it was found."""
    how = f"{found.execution}, {found.precision}" + (f", {found.strategy}" if found.strategy else "")
    where = f" in {text.size(found.limit)}" if found.limit else ""
    where += f" with at most {text.size(found.memory_limit)} resident" if found.memory_limit else ""
    if not found.largest:
        console.echo(f"{found.workload} ({how}): not even the smallest batch fits{where}")
        return
    above = " (the search's own limit: larger ones may fit, see --most)" if found.ceiling else ""
    console.echo(f"{found.workload} ({how}): batch {found.largest} fits{where}{above}")
