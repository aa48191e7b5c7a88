"""Runs the matrix: each cell in fresh child processes, interleaved, resumable, never fatal."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from migrator.measure import commands, compare, environment, jobs, matrix
from migrator.measure.jobs import Job, Outcome, Settings
from migrator.measure.records import (
    Cell,
    CellResult,
    Measurement,
    Sample,
    sample_from_json,
    with_one_list,
)
from migrator.measure.warm import Warm
from migrator.model import to_json, to_jsonable
from migrator.project.tree import read_named, write_named
from migrator.workload.spec import Workload

__all__ = ["Settings", "run", "run_commands"]

Progress = Callable[[Cell, int, int], None]
# Ways of ending that would be the same again; a crash or an error is tried again the next time.
LASTING = ("oom", "timeout", "unsupported")
NOT_YET = "not measured yet"  # in a file that is written while cells are still to come


def run(
    before: Path,
    after: Path,
    workloads: Sequence[Workload],
    out: Path,
    axes: matrix.Matrix | None = None,
    settings: Settings | None = None,
    progress: Progress | None = None,
    only: Sequence[Cell] | None = None,
    also: Sequence[CellResult] = (),
) -> Measurement:
    """Measures every cell and writes `out`/measure.json after each; finished processes are not run
    again.

    before, after: the repository as it was and as migrated. progress is called with the cell and how
    many of how many processes are done. only: these cells of the matrix. also: results from elsewhere
    that belong to the file.
    """
    settings = settings or Settings()
    cells = only if only is not None else matrix.cells(workloads, axes or matrix.Matrix())
    kept = Kept(out, {"before": before, "after": after})
    waiting = plan(cells, workloads, settings)
    clock = _Clock(settings.budget)
    machine = environment.describe()
    total, done = len(waiting), 0

    def measured() -> Measurement:
        found = (*kept.results(cells, waiting), *also)
        return Measurement(machine, found, to_jsonable(settings))

    with contextlib.nullcontext() if settings.fresh else Warm() as warm:
        for job in waiting:
            if not kept.settled(job) and clock.has_time_for(job):
                with clock.of(job):
                    kept.keep(job, jobs.execute(job, kept.root(job), warm))
                write(out, measured())  # what ends this process leaves what there is
            done += 1
            if progress is not None:
                progress(job.cell, done, total)
    found = measured()
    write(out, found)
    return found


class _Clock:
    """Knows how long each cell takes, and whether its repetition still fits into the budget."""

    def __init__(self, budget: float) -> None:
        self.budget, self.started = budget, time.monotonic()
        self.taken: dict[Cell, float] = {}

    @contextlib.contextmanager
    def of(self, job: Job) -> Iterator[None]:
        began = time.monotonic()
        yield
        self.taken[job.cell] = time.monotonic() - began

    def has_time_for(self, job: Job) -> bool:
        """The first process of a cell always runs."""
        if not self.budget or job.repeat == 0:
            return True
        spent = time.monotonic() - self.started
        return spent + self.taken.get(job.cell, 0.0) <= self.budget


def plan(
    cells: Sequence[Cell], workloads: Sequence[Workload], settings: Settings
) -> list[Job]:
    """All processes, in whole rounds over the cells: slow drifts of the machine then touch before
    and after alike. The cells that the verdict compares are repeated ahead of all others, so that
    it is they that stand on several processes where the budget ends."""
    by_name = {w.name: w for w in workloads}
    jobs_ = [
        Job(cell, by_name[cell.workload], repeat, settings)
        for repeat in range(settings.repeats)
        for cell in cells
    ]
    return sorted(jobs_, key=_round)


def _round(job: Job) -> tuple[bool, bool, int]:
    """What the rounds are ordered by; sorting by it leaves the order within a round."""
    cell = job.cell
    compared = cell.side == "before" or (
        cell.execution == "function" and cell.precision == "float32" and not cell.strategy
    )
    return job.repeat > 0, job.repeat > 0 and not compared, job.repeat


class Kept:
    """Results of finished processes, one file each, under `out`/cells."""

    def __init__(self, out: Path, roots: dict[str, Path], machine: str = "") -> None:
        self.folder, self.roots, self.machine = out / "cells", roots, machine
        self.folder.mkdir(parents=True, exist_ok=True)
        self.found: dict[tuple[Cell, int], Outcome] = {}
        self._lock = threading.Lock()

    def root(self, job: Job) -> Path:
        return self.roots[job.cell.side]

    def _path(self, job: Job) -> Path:
        prefix = "".join(c if c.isalnum() else "_" for c in self.machine)
        return self.folder / f"{prefix + '-' if prefix else ''}{job.name(self.root(job))}.json"

    def settled(self, job: Job) -> bool:
        """Whether the process need not run: it has, or an earlier one of its cell failed."""
        if job.key in self.found:
            return True
        failed = next(
            (o for (c, _), o in self.found.items() if c == job.cell and o.raw is None), None
        )
        if failed is not None:
            return True
        path = self._path(job)
        try:
            stored = json.loads(path.read_text(encoding="utf-8"))
            if "status" in stored and "raw" not in stored:
                if _given(job, stored["status"]) != stored.get("given"):
                    return False  # it may have more time or memory now
                outcome = Outcome(None, stored["status"], stored.get("detail", ""))
            else:
                outcome = Outcome(stored["raw"])
                sample_from_json(outcome.raw, path.name)
        except (OSError, ValueError, KeyError, TypeError):
            return False  # not there, or left half-written by a version that did so
        self.found[job.key] = outcome
        return True

    def keep(self, job: Job, outcome: Outcome) -> None:
        """Stores what a process found; failures only if they would be the same again."""
        with self._lock:
            self.found[job.key] = outcome
            if outcome.raw is not None:
                replace(self._path(job), json.dumps({"raw": outcome.raw}))
            elif outcome.status in LASTING:
                failed = {
                    "status": outcome.status, "detail": outcome.detail,
                    "given": _given(job, outcome.status),
                }  # fmt: skip
                replace(self._path(job), json.dumps(failed))

    def results(self, cells: Sequence[Cell], waiting: Sequence[Job]) -> tuple[CellResult, ...]:
        """What is known of every cell so far."""
        made: dict[Cell, CellResult] = {}
        raws: dict[Cell, dict[str, Any]] = {}
        for cell in cells:
            own = [j for j in waiting if j.cell == cell and j.key in self.found]
            samples: list[Sample] = []
            failed: Outcome | None = None
            for job in sorted(own, key=lambda j: j.repeat):
                outcome = self.found[job.key]
                if outcome.raw is None:
                    failed = outcome
                    continue
                try:
                    samples.append(sample_from_json(outcome.raw, cell.id))
                    raws.setdefault(cell, outcome.raw)
                except ValueError as error:
                    failed = Outcome(None, "failed", str(error))
            if failed is not None:
                made[cell] = CellResult(
                    cell, failed.status, with_one_list(samples), failed.detail, self.machine
                )
            elif samples:
                made[cell] = CellResult(cell, "ok", with_one_list(samples), "", self.machine)
            else:
                made[cell] = CellResult(cell, "failed", (), NOT_YET, self.machine)
        return compare.with_differences(made, raws)


def _given(job: Job, status: str) -> float | None:
    """What a process had of the thing that it ran out of: seconds, bytes."""
    limits = {"timeout": job.settings.timeout, "oom": float(job.settings.memory_limit)}
    return limits.get(status)


def run_commands(
    before: Path,
    after: Path,
    workloads: Sequence[Workload],
    out: Path,
    sides: Sequence[str] = ("before", "after"),
    settings: Settings | None = None,
    progress: Progress | None = None,
    in_place: bool = False,
) -> tuple[CellResult, ...]:
    """Measures the commands among the workloads as whole programs, never twice the same way: what
    they read besides the tree is not known, so that nothing is kept."""
    settings = settings or Settings()
    roots, by_name = {"before": before, "after": after}, {w.name: w for w in workloads}
    cells = commands.cells(workloads, sides)
    samples: dict[Cell, list[Sample]] = {c: [] for c in cells}
    failed: dict[Cell, Outcome] = {}
    machine = environment.describe()
    (out / "cells").mkdir(parents=True, exist_ok=True)

    def results() -> tuple[CellResult, ...]:
        return tuple(_command_result(c, samples[c], failed.get(c)) for c in cells)

    done, total = 0, len(cells) * settings.repeats
    for _ in range(settings.repeats):
        for cell in cells:
            if cell not in failed:
                outcome = commands.execute(
                    by_name[cell.workload], cell.side, roots[cell.side], settings, in_place
                )
                samples[cell].append(sample_from_json(outcome.raw, cell.id))
                if outcome.status != "ok":
                    failed[cell] = outcome
                write(out, Measurement(machine, results(), to_jsonable(settings)))
            done += 1
            if progress is not None:
                progress(cell, done, total)
    return results()


def _command_result(cell: Cell, samples: Sequence[Sample], failed: Outcome | None) -> CellResult:
    if not samples and failed is None:
        return CellResult(cell, "failed", (), NOT_YET)
    end = failed or Outcome()
    return CellResult(cell, end.status, tuple(samples), end.detail)


def replace(path: Path, text: str) -> None:
    """Writes a file whole or not at all."""
    write_named(path, text)


def stored(path: Path) -> dict[str, Any]:
    """What `replace` wrote as JSON, or {}."""
    try:
        found: dict[str, Any] = json.loads(read_named(path, 1 << 30)[0])
    except ValueError:  # it is not there, or damaged
        return {}
    return found


def write(out: Path, measured: Measurement) -> None:
    """Writes `out`/measure.json."""
    replace(out / "measure.json", to_json(measured))
