"""One process of one cell: what it is told, how it is started, and what it says afterwards."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from migrator.measure import strategies
from migrator.measure.programs import allocator_log, xla_buffers
from migrator.measure.records import Cell
from migrator.measure.warm import Unavailable, Warm
from migrator.model import to_jsonable
from migrator.resources import templates_dir
from migrator.workload import child
from migrator.workload.spec import Workload

PROGRAMS = Path(__file__).parent / "programs"
GIB, MIB = 2**30, 2**20


@dataclass(frozen=True, slots=True)
class Settings:
    """How each cell is measured.

    repeats: processes a cell. budget: seconds after which no process beyond the first of each cell is
      begun, 0 for any time. arena_bytes: one block of this size is taken and dropped before the
      model, so that the allocator has room and its chunk layout repeats (0 on GPUs, and under a
      limit). timeout: seconds a process may take. memory_limit: resident bytes it may have, 0 for
      any. trace_dir: where profiles of the traced steps stay ("": they are thrown away). fresh: each
      process imports TensorFlow by itself, in the place of being a fork of one that has.
    """

    repeats: int = 3
    budget: float = 0.0
    warmups: int = 3
    steps: int = 10
    threads: int = 1
    arena_bytes: int = 8 * GIB
    timeout: float = 600.0
    trace: bool = True
    tf1_python: str = ""
    memory_limit: int = 0
    trace_dir: str = ""
    fresh: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """A cell's process: all that a machine needs besides the tree to run it."""

    cell: Cell
    workload: Workload
    repeat: int
    settings: Settings

    @property
    def key(self) -> tuple[Cell, int]:
        """What tells it from all others of a run."""
        return self.cell, self.repeat

    def config(self) -> dict[str, Any]:
        """What the child reads, but for the tree's place and the result's."""
        cell, settings = self.cell, self.settings
        workload = self.workload
        kind, _, argument = cell.strategy.partition(":")
        if kind == "variant":
            workload = workload.variant(argument)
        limited = cell.allocator.startswith("limit:")
        return {
            "roots": list(workload.roots), "workload": to_jsonable(workload),
            "batch": cell.batch, "mode": cell.mode, "execution": cell.execution,
            "precision": cell.precision, "allocator": cell.allocator, "strategy": cell.strategy,
            "steps": settings.steps, "warmups": settings.warmups, "threads": settings.threads,
            "arena_bytes": 0 if limited else settings.arena_bytes,
            "trace": settings.trace, "repeat": self.repeat,
        }  # fmt: skip

    def fingerprint(self, root: Path) -> str:
        """Identifies a finished process: its configuration, the sources it ran, and our programs."""
        digest = hashlib.sha256(json.dumps(self.config(), sort_keys=True).encode())
        digest.update(_sources(root).encode())
        digest.update(_sources(PROGRAMS).encode())
        digest.update(_sources(templates_dir() / "support").encode())  # what steps update with
        if self.workload.path and (root / self.workload.path).exists():
            stat = (root / self.workload.path).stat()
            digest.update(f"{stat.st_size} {stat.st_mtime_ns}".encode())
        return digest.hexdigest()[:16]

    def name(self, root: Path) -> str:
        """The file name of its result, without suffix."""
        return f"{self.cell.id}-{self.repeat}-{self.fingerprint(root)}"


@functools.cache
def _sources(root: Path) -> str:
    """A digest of the Python files of a tree."""
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(str(path.relative_to(root)).encode() + b"\0")
        digest.update(path.read_bytes())
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Outcome:
    """raw: the child's result; or status and detail of why there is none."""

    raw: dict[str, Any] | None = None
    status: str = "ok"
    detail: str = ""


def _command(job: Job, config: Path) -> list[str]:
    if job.cell.side == "after":
        program = "measure_migrated"
        if job.cell.strategy:
            program = strategies.of(job.cell.strategy).program
        return [sys.executable, "-m", f"migrator.measure.programs.{program}", str(config)]
    graph = str(PROGRAMS / "measure_graph_session.py")
    if job.settings.tf1_python:
        return [job.settings.tf1_python, graph, str(config)]
    return [sys.executable, "-m", "migrator.workload.compat_runtime", graph, str(config)]


def environment(job: Job) -> dict[str, str]:
    """The child's environment: the allocator, its limit and its log, and migrator's own path."""
    cell = job.cell
    env = child.quiet_environment({**job.workload.env, **allocator_log.ENVIRONMENT})
    env["TF_CPU_ALLOCATOR_USE_BFC"] = "true"
    env.setdefault("TF_ENABLE_ONEDNN_OPTS", "1")
    if cell.allocator == "cuda_malloc_async":
        env["TF_GPU_ALLOCATOR"] = "cuda_malloc_async"
    if cell.allocator.startswith("limit:"):
        limit = int(cell.allocator.partition(":")[2])
        env["TF_CPU_BFC_MEM_LIMIT_IN_MB"] = str(max(1, limit // MIB))
    if cell.strategy and strategies.of(cell.strategy).legacy:
        env["TF_USE_LEGACY_KERAS"] = "1"
    if not (cell.side == "before" and job.settings.tf1_python):
        env["PYTHONPATH"] = child.own_python_path()
    return env


def _with_dump(job: Job, env: dict[str, str], folder: Path) -> dict[str, str]:
    """The environment with which XLA tells into a folder, emptied here, what its buffers are."""
    if job.cell.side != "after" or not job.settings.trace:
        return env
    shutil.rmtree(folder, ignore_errors=True)
    flags = f"{env.get('XLA_FLAGS', '')} {xla_buffers.FLAGS.format(folder=folder)}".strip()
    return {**env, "XLA_FLAGS": flags, xla_buffers.FOLDER: str(folder)}


def _starter(job: Job, env: dict[str, str], warm: Warm | None) -> Any:
    """What forks the process where TensorFlow is imported already.

    Raises:
      Unavailable: it must be a process of its own.
    """
    plain = not job.cell.strategy or strategies.of(job.cell.strategy).program == "measure_migrated"
    if warm is None or not plain or (job.cell.side == "before" and job.settings.tf1_python):
        raise Unavailable("this process imports what it needs")
    return warm.starter(job.cell.side, env)


def execute(job: Job, root: Path, warm: Warm | None = None) -> Outcome:
    """Runs the process on the tree at root; every way of ending is an outcome.

    warm: processes that have imported TensorFlow, of which this one may be a fork.
    """
    with tempfile.TemporaryDirectory(prefix="migrator-cell-") as folder:
        # what a program writes beside itself stays out of the repository
        cwd, out = Path(folder) / "cwd", Path(folder) / "result.json"
        cwd.mkdir()
        config = {
            **job.config(), "root": str(root.resolve()), "out": str(out),
            "frozen_graph": str(templates_dir() / "support" / "frozen_graph.py"),
            "scratch": folder, "trace_dir": _trace_folder(job),
        }  # fmt: skip
        path = Path(folder) / "config.json"
        path.write_text(json.dumps(config), encoding="utf-8")
        env = _with_dump(job, environment(job), Path(folder) / "xla" if warm is None else warm.dump)
        command = _command(job, path)
        timeout = min(job.settings.timeout, job.workload.timeout)
        limit = job.settings.memory_limit
        try:
            start = _starter(job, env, warm)
            forked = command[command.index("-m") + 1 :][-2:]
            ended = child.run(forked, cwd, env, timeout, limit, start=start)
        except Unavailable:
            ended = child.run(command, cwd, env, timeout, limit)
        # a program that wrote its result and died while shutting down has done its work
        if out.exists():
            raw = json.loads(out.read_text(encoding="utf-8"))
            if "unusable" in raw:
                return Outcome(status="unsupported", detail=raw["unusable"])
            return Outcome(raw)
    status = ended.status if not ended.ok else "failed"
    lines = _said(ended.tail)
    if ended.status == "timeout":
        lines.append(f"stopped after {min(job.settings.timeout, job.workload.timeout):g} s")
    return Outcome(status=status, detail="\n".join(lines[-12:]))


def _said(tail: str) -> list[str]:
    """The lines of a process up to what went wrong: behind it TensorFlow says where it was made."""
    said, _, _ = tail.partition("\nOriginal stack trace for ")
    return [line for line in said.splitlines() if line.strip() and not line.lstrip().startswith("[[{{node ")]


def _trace_folder(job: Job) -> str:
    """Where the profile of this process stays: one for each cell, of its first process."""
    if not job.settings.trace_dir or job.repeat:
        return ""
    folder = Path(job.settings.trace_dir).resolve() / job.cell.id
    os.makedirs(folder, exist_ok=True)
    return str(folder)
