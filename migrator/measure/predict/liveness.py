"""Replays a dataflow graph in the executor's order and finds the moment when most bytes live.

A buffer lives from the op that allocates it until the last op that reads it, or a view of it, has
run (tensorflow/core/common_runtime/executor.cc releases an op's inputs when it ends). Pure Python
over `Node` records; nothing here knows TensorFlow.
"""

from __future__ import annotations

import collections
import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field

ROUND = 256  # bytes: kAllocatorAlignment of the BFC allocator's chunks


@dataclass(frozen=True, slots=True)
class Output:
    """One output of a node: bytes of its tensor (None: unknown), and whether it is on the device."""

    bytes: int | None
    itemsize: int = 4
    resident: bool = False


@dataclass(frozen=True, slots=True)
class Node:
    """One op. inputs: (producer index, output number). alias: output number -> input position.

    forwards: input positions whose buffer output 0 may take over. extra: bytes held only while the
    op runs (workspace, or what a function body needs).
    """

    name: str
    op: str
    inputs: tuple[tuple[int, int], ...] = ()
    controls: tuple[int, ...] = ()
    outputs: tuple[Output, ...] = ()
    alias: dict[int, int] = field(default_factory=dict)
    forwards: tuple[int, ...] = ()
    extra: int = 0


@dataclass(frozen=True, slots=True)
class Peak:
    """bytes at the fullest moment, the op that ran then, and (bytes, owner) of what was live.

    unknown: how many outputs had no static size (counted as nothing). timeline: (op, live bytes).
    """

    bytes: int
    at: str
    live: tuple[tuple[int, str], ...]
    unknown: int
    timeline: tuple[tuple[str, int], ...] = ()


def rounded(size: int) -> int:
    """A request in whole allocator units."""
    return -(-size // ROUND) * ROUND


class _Order:
    """Which ready op runs next. "fifo": as they became ready, as one executor thread runs them;
    "depth": the newest first, as a thread pool that pushes to its own front does."""

    def __init__(self, kind: str) -> None:
        self.kind, self.queue = kind, collections.deque[int]()

    def push(self, ready: Sequence[int]) -> None:
        if self.kind == "fifo":
            self.queue.extend(ready)
        else:
            self.queue.extendleft(reversed(ready))

    def pop(self) -> int:
        return self.queue.popleft()


def replay(nodes: Sequence[Node], fetched: Sequence[tuple[int, int]], order: str = "fifo") -> Peak:
    """The peak of one run of the graph, on top of what is resident before it.

    fetched: outputs that stay alive to the end. order: "fifo" or "depth".
    """
    uses: collections.Counter[tuple[int, int]] = collections.Counter(fetched)
    waiting = [0] * len(nodes)
    after: list[list[int]] = [[] for _ in nodes]
    for i, node in enumerate(nodes):
        before = {p for p, _ in node.inputs} | set(node.controls)
        waiting[i] = len(before)
        for p in before:
            after[p].append(i)
        uses.update(node.inputs)
    buffer_of: dict[tuple[int, int], int | None] = {}
    count: dict[int, int] = {}
    size: dict[int, int] = {}
    owner: dict[int, str] = {}
    live = peak = unknown = 0
    at = ""
    snapshot: tuple[tuple[int, str], ...] = ()
    timeline: list[tuple[str, int]] = []
    queue = _Order(order)
    queue.push([i for i, n in enumerate(waiting) if n == 0])

    def release(buffer: int) -> None:
        nonlocal live
        count[buffer] -= 1
        if count[buffer] == 0:
            live -= size[buffer]

    while queue.queue:
        i = queue.pop()
        node = nodes[i]
        fresh: list[int] = []
        for number, out in enumerate(node.outputs):
            key = (i, number)
            if number in node.alias:
                source = buffer_of.get(node.inputs[node.alias[number]])
                buffer_of[key] = source
                if source is not None:
                    count[source] += uses[key]
                continue
            if out.resident or out.bytes == 0:
                buffer_of[key] = None
                continue
            if out.bytes is None:
                unknown += 1
                buffer_of[key] = None
                continue
            wanted = rounded(out.bytes)
            taken = _forwarded(node, number, wanted, out, nodes, buffer_of, count, size)
            if taken is not None:
                buffer_of[key] = taken
                count[taken] += uses[key]
                owner[taken] = node.name
                continue
            buffer = len(size)
            buffer_of[key], count[buffer], size[buffer] = buffer, uses[key], wanted
            owner[buffer] = node.name
            live += wanted
            fresh.append(buffer)
        if live + node.extra > peak:
            peak, at = live + node.extra, node.name
            snapshot = tuple((size[b], owner[b]) for b, c in count.items() if c > 0)
            if node.extra:
                snapshot += ((node.extra, f"{node.name} (while it runs)"),)
        timeline.append((node.name, live + node.extra))
        for buffer in fresh:
            if count[buffer] == 0:  # nobody reads it
                live -= size[buffer]
        for key in node.inputs:
            held = buffer_of.get(key)
            if held is not None:
                release(held)
        ready = []
        for j in after[i]:
            waiting[j] -= 1
            if waiting[j] == 0:
                ready.append(j)
        queue.push(ready)
    largest = tuple(heapq.nlargest(200, snapshot))
    return Peak(peak, at, largest, unknown, tuple(timeline))


def _forwarded(
    node: Node, number: int, wanted: int, out: Output, nodes: Sequence[Node],
    buffer_of: dict[tuple[int, int], int | None], count: dict[int, int], size: dict[int, int],
) -> int | None:  # fmt: skip
    """The input buffer that this output takes over, if the kernel may."""
    if number != 0:
        return None
    for position in node.forwards:
        key = node.inputs[position]
        buffer = buffer_of.get(key)
        if buffer is None or count[buffer] != 1 or size[buffer] != wanted:
            continue
        producer = nodes[key[0]].outputs[key[1]]
        if producer.itemsize == out.itemsize:
            return buffer
    return None
