"""Runs a function over many items on a Ray cluster; a worker that dies costs no item.

Ray is an extra (`pip install 'migrator[ray]'`) and imported only here, when it is asked for.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

ATTEMPTS = 3  # times that an item may see its worker die before it is believed to kill workers
_OBJECT_STORE = 256 << 20  # bytes, of a local cluster: items and results are small texts
_QUEUED = 2  # chunks that an actor holds: the one that it works on, and the next
_PATIENCE = 10.0  # seconds without any worker, after which the cluster is asked for its room again


class RayError(RuntimeError):
    """Ray is not installed, or the cluster cannot do the work; the message says the way out."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Where to run and what one worker takes of it.

    `address`: of a running cluster (``auto``, ``host:6379``, ``ray://host:10001``); empty starts
    one on this machine for as long as it is needed. `workers`: how many, 0 for as many as the
    cluster's CPUs (or GPUs) allow. `cpus`, `gpus`, `memory` (bytes): what each worker reserves.
    `resources`: custom resources that each reserves, such as ("accelerator_type:T4", 0.001).
    """

    address: str = ""
    workers: int = 0
    cpus: float = 1.0
    gpus: float = 0.0
    memory: int = 0
    resources: tuple[tuple[str, float], ...] = ()


def run(
    function: Callable[..., Result],
    items: Sequence[Item],
    setup: Callable[..., None],
    arguments: tuple[Any, ...],
    failed: Callable[[Item, str], Result],
    cluster: Cluster,
    *,
    load: Callable[[Item], Any] | None = None,
    chunk: int = 1,
) -> Iterator[Result]:
    """Yield ``function(item)`` for all items, in any order.

    `function` and `setup` are functions of modules that the cluster's machines have installed.
    `setup(*arguments)` runs once in each worker. With `load`, which runs here just before an item
    is sent, workers call ``function(item, load(item))``: so that they need not see our disk.
    `chunk` items go to a worker at a time; at most two chunks for each worker are on their way.

    An item whose worker dies (killed, out of memory, machine lost) is given to another one, alone;
    after ATTEMPTS deaths `failed(item, why)` stands in for it.
    Raises RayError: no Ray, no cluster at the address, workers that cannot be set up, no room for
    one. What `function` raises is raised here.
    """
    if not items:
        return
    with connected(cluster):
        pool = _Pool(_ray(), cluster, setup, arguments, len(items))
        try:
            yield from pool.run(function, items, failed, load, max(1, chunk))
        finally:
            pool.close()


def _ray() -> Any:
    try:
        import ray
    except ImportError as error:
        raise RayError(
            f"Ray cannot be imported ({error}); install it: pip install 'migrator[ray]'"
        ) from error
    return ray


@contextmanager
def connected(cluster: Cluster) -> Iterator[None]:
    """A connection to the cluster, for several runs; one that there is already is used and kept.

    Raises RayError as `run` does.
    """
    ray = _ray()
    if ray.is_initialized():
        yield
        return
    settings: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if cluster.address:
        settings["address"] = cluster.address
    else:
        # "local": never a cluster that happens to be advertised in the environment.
        settings |= {
            "address": "local", "include_dashboard": False, "object_store_memory": _OBJECT_STORE,
        }  # fmt: skip
        if cluster.workers:
            settings["num_cpus"] = max(1, round(cluster.workers * cluster.cpus))
    try:
        ray.init(**settings)
    except Exception as error:  # Ray raises ConnectionError, RuntimeError, gRPC's own, ...
        where = f"the Ray cluster at {cluster.address}" if cluster.address else "a Ray cluster"
        raise RayError(f"{where} cannot be used: {error}") from error
    try:
        yield
    finally:
        ray.shutdown()


class _Worker:
    """What lives in a process of the cluster."""

    def __init__(self, setup: Callable[..., None], arguments: tuple[Any, ...]) -> None:
        setup(*arguments)

    def ready(self) -> list[Any]:
        """Nothing, once the worker is set up."""
        return []

    def work(self, function: Callable[..., Any], calls: list[tuple[Any, ...]]) -> list[Any]:
        return [function(*call) for call in calls]


@dataclass
class _Chunk:
    """Items on their way, with how many of their workers have died so far."""

    items: list[Any]
    deaths: int = 0


class _Pool:
    """The actors and the chunks that each of them holds.

    Only actors that are set up get any: one that takes the place of another waits for room, for
    ever where a machine was lost.
    """

    def __init__(
        self, ray: Any, cluster: Cluster, setup: Callable[..., None], arguments: Any, items: int
    ) -> None:
        self.ray, self.cluster, self.items = ray, cluster, items
        needs: dict[str, Any] = {"num_cpus": cluster.cpus, "num_gpus": cluster.gpus}
        if cluster.memory:
            needs["memory"] = cluster.memory
        if cluster.resources:
            needs["resources"] = dict(cluster.resources)
        count = _workers(ray.cluster_resources(), cluster, items)
        self.actor = ray.remote(_Worker).options(max_restarts=0, max_task_retries=0, **needs)
        # One copy in the object store, however many workers read it.
        self.setup, self.arguments = setup, ray.put(arguments)
        self.starting: dict[Any, Any] = {}  # by reference to what is there once it is set up
        self.actors: list[Any] = []  # that are set up
        self.held: dict[Any, tuple[Any, _Chunk]] = {}  # by reference to the result
        self.barren = 0  # workers that died one after the other without any result
        for _ in range(count):
            self._start()

    def _start(self) -> None:
        actor = self.actor.remote(self.setup, self.arguments)
        self.starting[actor.ready.remote()] = actor

    def run(
        self, function: Callable[..., Result], items: Sequence[Item],
        failed: Callable[[Item, str], Result], load: Callable[[Item], Any] | None, size: int,
    ) -> Iterator[Result]:  # fmt: skip
        """See `run`."""
        waiting = deque(_Chunk(list(items[i : i + size])) for i in range(0, len(items), size))
        while waiting or self.held:
            self._send(function, waiting, load)
            done, _ = self.ray.wait(
                [*self.held, *self.starting], num_returns=1,
                timeout=None if self.held else _PATIENCE,
            )  # fmt: skip
            if not done:
                _workers(self.ray.cluster_resources(), self.cluster, self.items)
            for reference in done:
                yield from self._arrived(reference, waiting, failed)

    def _arrived(
        self, reference: Any, waiting: deque[_Chunk], failed: Callable[[Any, str], Any]
    ) -> Iterator[Any]:
        """What a reference that is there brings: results, a worker, or the end of one."""
        results, error = self._result(reference)
        if reference in self.starting:
            actor = self.starting.pop(reference)
            if error is None:
                self.actors.append(actor)
            else:  # on a crowded machine: it did not die of any item
                self._replace(error)
        elif error is None:
            del self.held[reference]
            self.barren = 0
            yield from results
        else:
            yield from self._died(self.held[reference][0], error, waiting, failed)

    def _result(self, reference: Any) -> tuple[list[Any], Exception | None]:
        """(results, None), or ([], how the worker died); raises what the function raised."""
        errors = self.ray.exceptions
        deaths = (
            errors.RayActorError, errors.WorkerCrashedError, errors.OutOfMemoryError,
            errors.ObjectLostError, errors.NodeDiedError,
        )  # fmt: skip
        try:
            return self.ray.get(reference), None
        except deaths as error:
            return [], error
        except errors.RayTaskError as error:
            raise error.as_instanceof_cause() from None

    def _send(
        self, function: Callable[..., Any], waiting: deque[_Chunk], load: Any
    ) -> None:
        """Give each actor up to _QUEUED chunks; one whose item killed before has one to itself, or
        it would be blamed again for what comes behind it (replies get lost when a worker dies)."""
        for actor in self.actors:
            while waiting and self._load_of(actor) < (1 if waiting[0].deaths else _QUEUED):
                if any(c.deaths for held, c in self.held.values() if held is actor):
                    break
                chunk = waiting.popleft()
                calls = [(item,) if load is None else (item, load(item)) for item in chunk.items]
                self.held[actor.work.remote(function, calls)] = (actor, chunk)

    def _load_of(self, actor: Any) -> int:
        return sum(1 for held, _ in self.held.values() if held is actor)

    def _died(
        self, actor: Any, error: Exception, waiting: deque[_Chunk],
        failed: Callable[[Any, str], Any],
    ) -> Iterator[Any]:  # fmt: skip
        """Replace an actor; what it held goes to others, one item at a time."""
        self.actors = [other for other in self.actors if other is not actor]
        self._replace(error)
        blamed = False
        for reference in [r for r, (holder, _) in self.held.items() if holder is actor]:
            _, chunk = self.held.pop(reference)
            results, problem = self._result(reference)
            if problem is None:  # finished before its worker died
                yield from results
            elif blamed:  # workers take chunks in order: this one was still waiting
                waiting.append(chunk)
            else:
                blamed = True
                yield from self._blame(chunk, problem, waiting, failed)

    def _replace(self, error: Exception) -> None:
        """Another worker for one that died. Raises RayError where that has no prospect."""
        if getattr(error, "actor_init_failed", False):
            raise RayError(f"a worker on the Ray cluster cannot be set up: {error}") from error
        self.barren += 1
        if self.barren > max(10, 3 * (len(self.actors) + len(self.starting))):
            raise RayError(f"workers on the Ray cluster keep dying: {error}") from error
        self._start()

    def _blame(
        self, chunk: _Chunk, error: Exception, waiting: deque[_Chunk],
        failed: Callable[[Any, str], Any],
    ) -> Iterator[Any]:  # fmt: skip
        """What was being worked on when a worker died: again, item by item, or given up."""
        chunk.deaths += 1
        if len(chunk.items) > 1:
            waiting.extend(_Chunk([item], chunk.deaths) for item in chunk.items)
        elif chunk.deaths < ATTEMPTS:
            waiting.append(chunk)
        else:
            first = (str(error).strip().splitlines() or [type(error).__name__])[0]
            yield failed(chunk.items[0], f"{ATTEMPTS} workers died on it ({first})")

    def close(self) -> None:
        """Give the workers' resources back to the cluster."""
        for actor in (*self.actors, *self.starting.values()):
            try:
                self.ray.kill(actor)
            except Exception:  # a cluster that is gone has nothing to give back
                continue


def _workers(resources: dict[str, float], cluster: Cluster, items: int) -> int:
    """How many workers fit into the cluster, at most one an item. Raises RayError for none."""
    fits = [items]
    for name, needed in (
        ("CPU", cluster.cpus), ("GPU", cluster.gpus), ("memory", float(cluster.memory)),
        *cluster.resources,
    ):  # fmt: skip
        if not needed:
            continue
        fits.append(int(resources.get(name, 0.0) // needed))
        if fits[-1] < 1:
            raise RayError(
                f"the Ray cluster has {resources.get(name, 0.0):g} {name}, a worker needs "
                f"{needed:g}"
            )
    if cluster.workers:
        fits.append(cluster.workers)
    return max(1, min(fits))
