"""Runs the matrix on a Ray cluster, once on each kind of accelerator that it has.

Trees travel through Ray's object store, so that machines need migrator and TensorFlow, but neither
our disk nor the repository. A worker that dies costs nothing: its process is started again elsewhere.
"""

from __future__ import annotations

import atexit
import io
import os
import shutil
import tarfile
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil

from migrator.engine import ray_pool
from migrator.engine.ray_pool import Cluster, RayError
from migrator.measure import environment, jobs, matrix, merge, runner
from migrator.measure.jobs import Job, Outcome, Settings
from migrator.measure.records import Measurement
from migrator.model import to_jsonable
from migrator.project.paths import STATE_FOLDER
from migrator.workload.archives import unpack as laid_out
from migrator.workload.spec import Workload

__all__ = ["RayError", "kinds", "run"]

PREFIX = "accelerator_type:"  # of the resource by which Ray names what a node has
CPU = "CPU"
_LEFT_OUT = (".git", STATE_FOLDER, "__pycache__")
_FOLDER = "migrator-trees-"
_trees: dict[str, Path] = {}  # in a worker: where the trees were unpacked


def pack(root: Path) -> bytes:
    """A tree as a compressed tar archive, without its history and our state."""
    made = io.BytesIO()

    def wanted(info: tarfile.TarInfo) -> tarfile.TarInfo | None:
        return None if Path(info.name).name in _LEFT_OUT else info

    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        archive.add(root, arcname=".", filter=wanted)
    return made.getvalue()


def unpack(archives: dict[str, bytes]) -> None:
    """In a worker: the trees, in a folder that goes when the worker goes."""
    _sweep()
    folder = Path(tempfile.mkdtemp(prefix=f"{_FOLDER}{os.getpid()}-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for side, data in archives.items():
        laid_out(data, folder / side)
        _trees[side] = folder / side


def _sweep() -> None:
    """Removes the trees of workers that were killed: those could not do it themselves."""
    for path in Path(tempfile.gettempdir()).glob(f"{_FOLDER}*-*"):
        owner = path.name.removeprefix(_FOLDER).partition("-")[0]
        if owner.isdigit() and not psutil.pid_exists(int(owner)):
            shutil.rmtree(path, ignore_errors=True)


def execute(job: Job) -> tuple[Job, Outcome, dict[str, Any]]:
    """In a worker: one process of a cell, and the machine that it ran on."""
    return job, jobs.execute(job, _trees[job.cell.side]), environment.describe()


def _lost(job: Job, why: str) -> tuple[Job, Outcome, dict[str, Any]]:
    return job, Outcome(status="killed", detail=why), {}


def kinds(nodes: Sequence[dict[str, Any]]) -> dict[str, Cluster]:
    """{accelerator type: what a worker reserves} of a cluster's living nodes (`ray.nodes()`).

    On a GPU node each worker has one GPU and its share of the processors. Processors are a kind of
    their own only where no node has a GPU: a worker then takes a whole node, for quiet times.
    """
    found: dict[str, Cluster] = {}
    plain: list[float] = []
    for node in nodes:
        if not node.get("Alive"):
            continue
        has = node.get("Resources", {})
        cpus, gpus = has.get("CPU", 0.0), has.get("GPU", 0.0)
        if gpus < 1:
            plain.append(cpus)
            continue
        for name in (n for n in has if n.startswith(PREFIX)):
            kind = name.removeprefix(PREFIX)
            share = max(1.0, cpus // gpus)
            known = found.get(kind)
            found[kind] = Cluster(
                cpus=min(share, known.cpus) if known else share, gpus=1.0,
                resources=((name, 0.001),),
            )  # fmt: skip
    if found:
        return found
    if not any(plain):
        return {}
    return {CPU: Cluster(cpus=max(1.0, min(c for c in plain if c)))}


def run(
    before: Path,
    after: Path,
    workloads: Sequence[Workload],
    out: Path,
    axes: matrix.Matrix | None = None,
    settings: Settings | None = None,
    progress: runner.Progress | None = None,
    address: str = "",
    wanted: Sequence[str] = (),
) -> Measurement:
    """Measures every cell on each kind of accelerator, and writes `out`/measure.json.

    address: of the cluster ("" starts one on this machine). wanted: only these kinds. Finished
    processes are not run again on the kind that they ran on.

    Raises:
      RayError: no Ray, no cluster, or a kind that the cluster does not have.
    """
    settings = settings or Settings()
    cells = matrix.cells(workloads, axes or matrix.Matrix())
    waiting = runner.plan(cells, workloads, settings)
    roots = {"before": before, "after": after}
    needed = {c.side for c in cells}
    archives = {side: pack(root) for side, root in roots.items() if side in needed}
    ray = ray_pool._ray()
    with ray_pool.connected(Cluster(address=address)):
        there = kinds(ray.nodes())
        missing = [k for k in wanted if k not in there]
        if missing or not there:
            raise RayError(
                f"the cluster has no {', '.join(missing) or 'processors to spare'}; it has "
                f"{', '.join(there) or 'nothing'}"
            )
        chosen = {k: c for k, c in there.items() if not wanted or k in wanted}
        states = {kind: runner.Kept(out, roots, kind) for kind in chosen}
        machines: dict[str, dict[str, Any]] = {}
        counter = _Counter(len(waiting) * len(chosen), progress)

        def measure(kind: str) -> None:
            kept = states[kind]
            todo = [j for j in waiting if not kept.settled(j)]
            counter.add(len(waiting) - len(todo))
            results = ray_pool.run(
                execute, todo, unpack, (archives,), _lost, chosen[kind]
            )
            for job, outcome, where in results:
                kept.keep(job, outcome)
                if where:
                    machines[kind] = where
                    runner.replace(
                        kept.folder / f"machine-{_safe(kind)}.json", runner.to_json(where)
                    )
                counter.add(1, job)

        errors = _all(measure, list(chosen))
    if errors:
        raise errors[0]
    parts = []
    for kind, kept in states.items():
        where = machines.get(kind) or runner.stored(kept.folder / f"machine-{_safe(kind)}.json")
        parts.append(Measurement(
            {**where, "accelerator": kind}, kept.results(cells, waiting), to_jsonable(settings),
            machines={kind: {**where, "accelerator": kind}},
        ))  # fmt: skip
    measured = merge.merge(parts)
    runner.write(out, measured)
    return measured


def _safe(kind: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in kind)


def _all(function: Any, arguments: list[str]) -> list[BaseException]:
    """Calls the function on all arguments at the same time; what they raised."""
    errors: list[BaseException] = []

    def guarded(argument: str) -> None:
        try:
            function(argument)
        except BaseException as error:  # handed to the caller's thread
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(a,)) for a in arguments]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


class _Counter:
    """Tells the progress of several threads as one."""

    def __init__(self, total: int, progress: runner.Progress | None) -> None:
        self.total, self.progress, self.done = total, progress, 0
        self.lock = threading.Lock()

    def add(self, number: int, job: Job | None = None) -> None:
        with self.lock:
            self.done += number
            if self.progress is not None and job is not None:
                self.progress(job.cell, self.done, self.total)
