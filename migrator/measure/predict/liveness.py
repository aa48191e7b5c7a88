"""Replays a dataflow graph in the executor's order and finds the moment when most bytes live.

A buffer lives from the op that allocates it until the last op that reads it, or a view of it, has
run (tensorflow/core/common_runtime/executor.cc releases an op's inputs when it ends). Pure Python
over `Node` records; nothing here knows TensorFlow.
"""

from __future__ import annotations

import collections
import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from migrator.measure.predict import bfc, executor, layout, ops

HELD = 5000  # buffers at the peak that are named, the largest
HEAVY = 16  # convolutions and matrix products, against writing their outputs


@dataclass(frozen=True, slots=True)
class Output:
    """One output of a node: bytes of its tensor (None: unknown), and whether it is on the device."""

    bytes: int | None
    dtype: str = "float32"
    resident: bool = False


@dataclass(frozen=True, slots=True)
class Node:
    """One op. inputs: (producer index, output number). alias: output number -> input position.

    forwards: input positions whose buffer output 0 may take over. extra: bytes held only while the
    op runs (workspace, or what a function body needs). reads, updates, assigns: the variable whose
    buffer the op's output is, that it writes in place, or that takes over input 1 as its value. times:
    how often the op's kernel runs in one call. bias_place: before which node the gradient of the bias
    stood that this one was merged with (`layout.WITH_BIAS`).
    """

    name: str
    op: str
    inputs: tuple[tuple[int, int], ...] = ()
    controls: tuple[int, ...] = ()
    outputs: tuple[Output, ...] = ()
    alias: Mapping[int, int] = field(default_factory=dict)
    forwards: tuple[int, ...] = ()
    extra: int = 0
    reads: str = ""
    updates: tuple[str, ...] = ()
    assigns: str = ""
    times: int = 1
    bias_place: int = 0

    @property
    def work(self) -> int:
        """Bytes of the outputs, as far as known, times what more than one pass over them is worth."""
        written = sum(out.bytes or 0 for out in self.outputs) or 1
        return written * (HEAVY if self.op in layout.REPLACED else 1)


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


@dataclass
class Heap:
    """An allocator's chunks, and where in them the variables lie: what a step leaves to the next."""

    chunks: bfc.Chunks
    variables: dict[str, int] = field(default_factory=dict)


class _Buffers:
    """The live set: reference counts, sizes and owners of buffers, and who holds which variable.

    heap: where buffers get chunks, if the allocator is to be followed, too.
    """

    def __init__(self, variables: Mapping[str, int], heap: Heap | None = None) -> None:
        self.heap = heap
        self.address: dict[int, int] = {}
        self.count: dict[int, int] = {}
        self.size: dict[int, int] = {}
        self.owner: dict[int, str] = {}
        self.born: dict[int, int] = {}
        self.died: dict[int, int] = {}
        self.clock = 0
        self.live = 0
        # what variables hold before the run is not part of the step: it was there already
        self.value: dict[str, int] = {}
        self.members: dict[int, list[int]] = {}  # of lists: the buffers of their elements
        for name, size in variables.items():
            place = heap.variables.get(name) if heap is not None else None
            self.value[name] = self.new(size, name, 1, place)
        self.base = self.live

    def new(self, size: int, owner: str, references: int, address: int | None = None) -> int:
        """A buffer with that many references (none: it goes when its op ends).

        address: of the chunk that it has already.
        """
        buffer = len(self.size)
        self.size[buffer], self.owner[buffer], self.count[buffer] = size, owner, references
        self.born[buffer] = self.clock
        self.live += size
        if self.heap is not None and size:
            self.address[buffer] = (
                self.heap.chunks.allocate(size) if address is None else address
            )  # fmt: skip
        return buffer

    def scratch(self, size: int) -> None:
        """What a kernel takes while it runs."""
        if self.heap is not None and size:
            self.heap.chunks.free(self.heap.chunks.allocate(size))

    def end(self) -> None:
        """The step is over: only variables keep their chunks."""
        if self.heap is not None:
            kept = {buffer: name for name, buffer in self.value.items()}
            self.heap.variables = {kept[b]: a for b, a in self.address.items() if b in kept}
            for buffer, address in self.address.items():
                if buffer not in kept:
                    self.heap.chunks.free(address)

    def release(self, buffer: int) -> None:
        self.count[buffer] -= 1
        if self.count[buffer] == 0:
            self.drop(buffer)

    def drop(self, buffer: int) -> None:
        self.live -= self.size[buffer]
        self.died[buffer] = self.clock
        if buffer in self.address and self.heap is not None:
            self.heap.chunks.free(self.address.pop(buffer))
        for member in self.members.pop(buffer, ()):
            self.release(member)

    def listed(self, source: int | None, owner: str) -> int:
        """The list `source` to be changed: itself where its only reader does that, else a copy."""
        if source is not None and source in self.members and self.count[source] == 1:
            return source
        made = self.new(0, owner, 0)
        self.members[made] = list(self.members.get(source, ())) if source is not None else []
        for member in self.members[made]:
            self.count[member] += 1
        return made

    def at(self, clock: int) -> list[tuple[int, str]]:
        """(bytes, owner) of what was live then; what was there before the run is left out."""
        return [
            (self.size[b], self.owner[b]) for b, since in self.born.items()
            if 0 < since <= clock < self.died.get(b, clock + 1)
        ]  # fmt: skip

    def update(self, variable: str, owner: str) -> None:
        """A write in place; while somebody still reads the old value, it is copied first."""
        old = self.value.get(variable)
        if old is not None and self.count[old] > 1:
            self.value[variable] = self.new(self.size[old], owner, 1)
            self.release(old)

    def assign(self, variable: str, value: int | None) -> None:
        """The variable takes over the buffer of the assigned value."""
        old = self.value.get(variable)
        if value is None or old is None or self.size[value] != self.size[old]:
            return
        self.count[value] += 1
        self.value[variable] = value
        self.release(old)


def replay(
    nodes: Sequence[Node],
    fetched: Sequence[tuple[int, int]],
    order: str = "gpu",
    variables: Mapping[str, int] | None = None,
    seed: int = 0,
    replaced: frozenset[str] = frozenset(),
    cheap: int = 0,
    heap: Heap | None = None,
    calls: int = 1,
    arguments: Sequence[int] = (),
) -> Peak:
    """The peak of one run of the graph, on top of what is resident before it.

    fetched: outputs that stay alive to the end. order and seed: see `executor.Schedule`.
    variables: bytes of those that nodes read, update or assign. replaced: op types that a later pass
    makes anew (see `executor.consumers`). calls: how often the graph has run before; cheap: kernels
    with at most so much work (`Node.work`) count as inexpensive, once they ran often enough for the
    executor to find out (`executor.TIMED`). heap: an allocator that serves the step, and is left as the
    step leaves it. arguments: see `executor.consumers`.
    """
    uses: collections.Counter[tuple[int, int]] = collections.Counter(fetched)
    waiting = [0] * len(nodes)
    for number, node in enumerate(nodes):
        waiting[number] = len(node.inputs) + len(node.controls)
        uses.update(node.inputs)
    after = executor.consumers(
        [[p for p, _ in n.inputs] for n in nodes], [n.controls for n in nodes],
        [n.op in replaced for n in nodes], seed,
        {i: n.bias_place for i, n in enumerate(nodes) if n.op == layout.WITH_BIAS}, arguments,
    )  # fmt: skip
    held = _Buffers(variables or {}, heap)
    buffer_of: dict[tuple[int, int], int | None] = {}
    peak = unknown = 0
    at = ""
    when = extra = 0
    timeline: list[tuple[str, int]] = []
    given = set(arguments)
    schedule = executor.Schedule(
        order, [*arguments, *(i for i, n in enumerate(waiting) if n == 0 and i not in given)],
        lambda i: nodes[i].op in executor.INEXPENSIVE or (
            nodes[i].work <= cheap and nodes[i].times * calls >= executor.TIMED
        ), seed,
    )  # fmt: skip
    i: int | None
    while (i := schedule.pop()) is not None:
        node = nodes[i]
        held.clock += 1
        fresh: list[int] = []
        for variable in node.updates:
            held.update(variable, node.name)
        outputs = () if _list(i, node, buffer_of, held, uses, fresh) else node.outputs
        for number, out in enumerate(outputs):
            key = (i, number)
            buffer_of[key] = None
            if number in node.alias:
                source = buffer_of.get(node.inputs[node.alias[number]])
                buffer_of[key] = source
                if source is not None:
                    held.count[source] += uses[key]
            elif node.reads in held.value:
                buffer_of[key] = held.value[node.reads]
                held.count[held.value[node.reads]] += uses[key]
            elif out.bytes is None and node.op in ops.LIST_READ:
                elements = held.members.get(buffer_of.get(node.inputs[0]) or 0, ())
                stacked = held.new(sum(held.size[e] for e in elements), node.name, 0)
                fresh.append(stacked)
                held.count[stacked] += uses[key]
                buffer_of[key] = stacked
            elif out.bytes is None:
                unknown += 1
            elif not out.resident and out.bytes:
                taken = _forwarded(node, number, out, nodes, buffer_of, held)
                if taken is None:
                    taken = held.new(out.bytes, node.name, 0)
                    fresh.append(taken)
                held.count[taken] += uses[key]
                buffer_of[key] = taken
        held.scratch(node.extra)
        now = held.live - held.base + node.extra
        if now > peak:
            peak, at, when, extra = now, node.name, held.clock, node.extra
        timeline.append((node.name, now))
        held.clock += 1
        if node.assigns:
            held.assign(node.assigns, buffer_of.get(node.inputs[1]))
        for buffer in fresh:
            if held.count[buffer] == 0:  # nobody reads it
                held.drop(buffer)
        for key in node.inputs:
            read = buffer_of.get(key)
            if read is not None:
                held.release(read)
        ready = []
        for j in after[i]:
            waiting[j] -= 1
            if waiting[j] == 0:
                ready.append(j)
        schedule.push(ready)
    held.end()
    snapshot = held.at(when)
    if extra:
        snapshot.append((extra, f"{at} (while it runs)"))
    largest = tuple(heapq.nlargest(HELD, snapshot))
    return Peak(peak, at, largest, unknown, tuple(timeline))


def _list(
    i: int, node: Node, buffer_of: dict[tuple[int, int], int | None], held: _Buffers,
    uses: Mapping[tuple[int, int], int], fresh: list[int],
) -> bool:  # fmt: skip
    """What an op does to a list of tensors; False for ops that do nothing to any."""
    source = buffer_of.get(node.inputs[0]) if node.inputs else None
    if node.op in ops.LIST_FILLED:
        made = held.listed(None, node.name)
        held.members[made] += [
            held.new(out.bytes, node.name, 1) for out in node.outputs if out.bytes
        ]
    elif node.op in ops.LIST_PUT:
        made = held.listed(source, node.name)
        element = buffer_of.get(node.inputs[ops.LIST_PUT[node.op]])
        if element is not None:
            held.count[element] += 1
            held.members[made].append(element)
    elif node.op in ops.LIST_POP:
        made = held.listed(source, node.name)
        buffer_of[i, 1] = None
        if held.members[made]:
            element = held.members[made].pop()
            held.count[element] += uses[i, 1] - 1
            buffer_of[i, 1] = element
            if not held.count[element]:
                held.drop(element)
    elif node.op in ops.LIST_GET:
        elements = held.members.get(source) if source is not None else None
        if not elements:  # made of zeros
            return False
        # which one it is makes no difference while the list lives; its last readers read different ones
        elements.append(elements.pop(0))
        held.count[elements[-1]] += uses[i, 0]
        buffer_of[i, 0] = elements[-1]
        return True
    elif node.op in ops.LIST_KEPT:
        made = held.listed(source, node.name)
    else:
        return False
    held.count[made] += uses[i, 0]
    buffer_of[i, 0] = made
    if made != source:
        fresh.append(made)
    return True


def _forwarded(
    node: Node, number: int, out: Output, nodes: Sequence[Node],
    buffer_of: Mapping[tuple[int, int], int | None], held: _Buffers,
) -> int | None:  # fmt: skip
    """The input buffer that this output takes over, if the kernel may."""
    if number != 0:
        return None
    for position in node.forwards:
        key = node.inputs[position]
        buffer = buffer_of.get(key)
        if buffer is None or held.count[buffer] != 1:
            continue
        producer = nodes[key[0]].outputs[key[1]]
        if producer.dtype == out.dtype and producer.bytes == out.bytes:
            return buffer
    return None
