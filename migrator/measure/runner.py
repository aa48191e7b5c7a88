"""Runs the matrix: each cell in fresh child processes, interleaved, resumable, never fatal."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import migrator
from migrator.measure import environment, matrix
from migrator.measure.records import Cell, CellResult, Measurement, Sample, sample_from_json
from migrator.model import to_json, to_jsonable
from migrator.workload import child
from migrator.workload.spec import Workload

PROGRAMS = Path(__file__).parent / "programs"
GIB = 2**30


@dataclass(frozen=True, slots=True)
class Settings:
    """How each cell is measured.

    repeats: processes a cell. arena_bytes: one block of this size is taken and dropped before the
      model, so that the allocator has room and its chunk layout repeats (0 on GPUs).
    timeout: seconds a process may take.
    """

    repeats: int = 1
    warmups: int = 3
    steps: int = 10
    threads: int = 1
    arena_bytes: int = 8 * GIB
    timeout: float = 600.0
    trace: bool = True
    tf1_python: str = ""


Progress = Callable[[Cell, int, int], None]


def run(
    before: Path,
    after: Path,
    workloads: Sequence[Workload],
    out: Path,
    axes: matrix.Matrix | None = None,
    settings: Settings | None = None,
    progress: Progress | None = None,
) -> Measurement:
    """Measures every cell and writes `out`/measure.json; finished processes are not run again.

    before, after: the repository as it was and as migrated. progress is called with the cell and how
    many of how many processes are done.
    """
    settings = settings or Settings()
    cells = matrix.cells(workloads, axes or matrix.Matrix())
    by_name = {w.name: w for w in workloads}
    samples: dict[Cell, list[Sample]] = {c: [] for c in cells}
    failures: dict[Cell, tuple[str, str]] = {}
    (out / "cells").mkdir(parents=True, exist_ok=True)
    done, total = 0, len(cells) * settings.repeats
    # whole rounds over all cells: slow drifts of the machine then touch before and after alike
    for repeat in range(settings.repeats):
        for cell in cells:
            if cell not in failures:
                root = before if cell.side == "before" else after
                sample, failure = _one(cell, by_name[cell.workload], root, out, repeat, settings)
                if sample is not None:
                    samples[cell].append(sample)
                elif failure is not None:
                    failures[cell] = failure
            done += 1
            if progress is not None:
                progress(cell, done, total)
    results = tuple(
        CellResult(c, failures[c][0], tuple(samples[c]), failures[c][1]) if c in failures
        else CellResult(c, "ok", tuple(samples[c]))
        for c in cells
    )  # fmt: skip
    measured = Measurement(environment.describe(), results, to_jsonable(settings))
    _write(out / "measure.json", to_json(measured))
    return measured


def _write(path: Path, text: str) -> None:
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, path)


def _config(
    cell: Cell, workload: Workload, root: Path, repeat: int, settings: Settings
) -> dict[str, Any]:
    return {
        "root": str(root.resolve()), "roots": list(workload.roots),
        "workload": to_jsonable(workload), "batch": cell.batch, "mode": cell.mode,
        "execution": cell.execution, "precision": cell.precision, "allocator": cell.allocator,
        "steps": settings.steps, "warmups": settings.warmups, "threads": settings.threads,
        "arena_bytes": settings.arena_bytes, "trace": settings.trace and repeat == 0,
        "repeat": repeat,
    }  # fmt: skip


def _command(cell: Cell, settings: Settings, config: Path) -> list[str]:
    if cell.side == "after":
        return [sys.executable, "-m", "migrator.measure.programs.measure_migrated", str(config)]
    program = str(PROGRAMS / "measure_graph_session.py")
    if settings.tf1_python:
        return [settings.tf1_python, program, str(config)]
    return [sys.executable, "-m", "migrator.workload.compat_runtime", program, str(config)]


def _environment(cell: Cell, workload: Workload, settings: Settings) -> dict[str, str]:
    env = child.quiet_environment(workload.env)
    env["TF_CPU_ALLOCATOR_USE_BFC"] = "true"
    env.setdefault("TF_ENABLE_ONEDNN_OPTS", "1")
    if cell.allocator == "cuda_malloc_async":
        env["TF_GPU_ALLOCATOR"] = "cuda_malloc_async"
    if not (cell.side == "before" and settings.tf1_python):
        env["PYTHONPATH"] = str(Path(migrator.__file__).resolve().parent.parent)
    return env


def _fingerprint(config: dict[str, Any], root: Path) -> str:
    """Identifies a finished process: its configuration and the Python sources it ran."""
    digest = hashlib.sha256(json.dumps(config, sort_keys=True).encode())
    for path in sorted(root.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _one(
    cell: Cell, workload: Workload, root: Path, out: Path, repeat: int, settings: Settings
) -> tuple[Sample | None, tuple[str, str] | None]:
    """One process of a cell: (its sample, None) or (None, (status, last lines of its log))."""
    config = _config(cell, workload, root, repeat, settings)
    name = f"{cell.id}-{repeat}-{_fingerprint(config, root)}"
    result = out / "cells" / f"{name}.json"
    if not result.exists():
        config["out"] = str(result.resolve())
        path = out / "cells" / f"{name}.config"
        path.write_text(json.dumps(config), encoding="utf-8")
        cwd = (
            out / "cells" / f"{name}.cwd"
        )  # what a program writes beside itself stays out of the repository
        cwd.mkdir(exist_ok=True)
        outcome = child.run(
            _command(cell, settings, path.resolve()), cwd, _environment(cell, workload, settings),
            min(settings.timeout, workload.timeout),
        )  # fmt: skip
        shutil.rmtree(cwd, ignore_errors=True)
        path.unlink()
        if not outcome.ok or not result.exists():
            status = outcome.status if not outcome.ok else "failed"
            return None, (status, "\n".join(outcome.tail.splitlines()[-12:]))
    try:
        return sample_from_json(json.loads(result.read_text(encoding="utf-8")), result.name), None
    except ValueError as error:
        result.unlink()
        return None, ("failed", str(error))
