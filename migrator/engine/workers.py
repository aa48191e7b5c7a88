"""Runs a function over many items in worker processes, one item's crash costing only that item."""

from __future__ import annotations

import gc
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

_RECURSION = 20_000  # the ast of `a + b + ...` is as deep as the expression is long
_STACK = 256 * 1024 * 1024
_COLLECT_EVERY = 16
_AHEAD = 4  # chunks for each process that are begun or done, and not yet asked for
_state: dict[str, Any] = {}


def worker_count(jobs: int, items: int) -> int:
    """How many processes to use: `jobs` (0 for one per usable CPU), never more than pay off."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    wanted = jobs or usable or 1
    return max(1, min(wanted, items // 8))


def _begin(setup: Callable[..., None], arguments: tuple[Any, ...]) -> None:
    sys.setrecursionlimit(max(_RECURSION, sys.getrecursionlimit()))
    setup(*arguments)
    gc.collect()
    gc.freeze()


def _chunk(function: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    results = []
    enabled = gc.isenabled()
    gc.disable()  # a file's trees are one big, short-lived, acyclic heap
    try:
        for item in items:
            results.append(function(item))
            _state["count"] = _state.get("count", 0) + 1
            # Results pile up in the oldest generation, which is left alone.
            gc.collect(1 if _state["count"] % _COLLECT_EVERY == 0 else 0)
    finally:
        if enabled:
            gc.enable()
    return results


def run(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    jobs: int,
    setup: Callable[..., None],
    arguments: tuple[Any, ...],
    failed: Callable[[Item, str], Result],
) -> Iterator[Result]:
    """Yield ``function(item)`` for all items, in any order.

    `setup(*arguments)` runs once per process. `failed(item, why)` stands in for an item whose
    process died. One job runs in this process.
    """
    count = worker_count(jobs, len(items))
    if count == 1:
        limit = sys.getrecursionlimit()
        try:
            sys.setrecursionlimit(max(limit, 3000))
            setup(*arguments)
            for item in items:
                yield _chunk(function, [item])[0]
        finally:
            sys.setrecursionlimit(limit)
        return
    method = "fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn"
    context = multiprocessing.get_context(method)
    size = max(1, min(8, len(items) // (count * 8)))
    chunks = [items[i : i + size] for i in range(0, len(items), size)]
    waiting: list[Sequence[Item]] = []
    with ProcessPoolExecutor(count, context, _begin, (setup, arguments)) as pool:
        futures: dict[Future[list[Result]], Sequence[Item]] = {}
        pending = iter(chunks)
        while True:
            # No more than these: what is done piles up where the caller is slower than the workers.
            for chunk in islice(pending, count * _AHEAD - len(futures)):
                try:
                    futures[pool.submit(_chunk, function, chunk)] = chunk
                except BrokenProcessPool:
                    waiting.append(chunk)
            if not futures:
                waiting += pending
                break
            done, _ = wait(futures, return_when=FIRST_COMPLETED)
            for future in done:
                chunk = futures.pop(future)
                try:
                    yield from future.result()
                except BrokenProcessPool:
                    waiting.append(chunk)
    for chunk in waiting:
        for item in chunk:
            yield _alone(function, item, context, setup, arguments, failed)


def _alone(
    function: Callable[[Item], Result],
    item: Item,
    context: Any,
    setup: Callable[..., None],
    arguments: tuple[Any, ...],
    failed: Callable[[Item, str], Result],
) -> Result:
    """One item in a process of its own, after some item broke the pool."""
    with ProcessPoolExecutor(1, context, _begin, (setup, arguments)) as pool:
        try:
            return pool.submit(_chunk, function, [item]).result()[0]
        except BrokenProcessPool:
            return failed(item, "the worker process died on it (out of memory or a crash)")
