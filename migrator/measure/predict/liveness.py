"""Replays a dataflow graph in the executor's order and finds the moment when most bytes live.

A buffer lives from the op that allocates it until the last op that reads it, or a view of it, has
run (tensorflow/core/common_runtime/executor.cc releases an op's inputs when it ends). Pure Python
over `Node` records; nothing here knows TensorFlow.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from migrator.measure.predict import executor, frames, layout, lists, ops, values
from migrator.measure.predict.buffers import Buffers, Heap
from migrator.measure.predict.frames import Edge, Gate, Ready, Token

HELD = 5000  # buffers at the peak that are named, the largest
ITERATIONS = 2  # of a loop whose counters do not tell
MOST = 60_000  # ops of one run; loops end where it is reached
ALLOCATED = 2 << 10  # bytes that could be written while one output is allocated
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
    how often the op's kernel runs in one call. bias_place: before which node the gradient of the
    bias stood that this one was merged with (`layout.WITH_BIAS`). gate: an Enter's loop. value: of a
    constant scalar. bounds: the least and the most that `extra` can be, where it is not known.
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
    gate: Gate | None = None
    value: values.Value = None
    bounds: tuple[int, int] | None = None

    @property
    def work(self) -> int:
        """Bytes of the outputs, as far as known, and what allocating them is worth.

        Of some ops, times what more than one pass over them is worth.
        """
        written = sum((out.bytes or 0) + ALLOCATED for out in self.outputs) or 1
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
    makes anew (see `executor.consumers`). calls: how often the graph has run before; cheap: so much work
    (`Node.work`) costs a kernel what the executor calls expensive; it finds out in so many runs
    (`executor.room`). heap: an allocator that serves the step, and is left as the
    step leaves it. arguments: see `executor.consumers`.
    """
    held = Buffers(variables or {}, heap)
    flow = frames.Flow(
        [n.op for n in nodes], [(len(n.inputs), len(n.controls)) for n in nodes],
        [n.gate for n in nodes], _edges(nodes, replaced, seed, arguments), held.hold, held.release,
    )  # fmt: skip
    quick = _quick(nodes, cheap, calls, seed)
    run = _Run(nodes, set(fetched), held)
    given = set(arguments)
    roots = [i for i, n in enumerate(nodes) if not n.inputs and not n.controls and i not in given]
    schedule = executor.Schedule[Ready](
        order, flow.roots([*arguments, *roots]),
        lambda r: r.dead or nodes[r.node].op in executor.INEXPENSIVE or r.node in quick, seed,
    )  # fmt: skip
    while (ready := schedule.pop()) is not None:
        tokens = flow.take(ready)
        outputs = [] if ready.dead else run.outputs(ready, tokens)
        for token in tokens:
            held.let_go(token)
        schedule.push(flow.done(ready, outputs))
        for token in outputs:
            held.let_go(token)
    held.end()
    return run.peak()


def _quick(nodes: Sequence[Node], cheap: int, calls: int, seed: int) -> set[int]:
    """The kernels that the executor has found to be quick, but for some that chance made slow."""
    draw = random.Random(seed)
    return {
        i for i, n in enumerate(nodes)
        if draw.random() >= executor.STALLED and n.work <= cheap * executor.room(n.times * calls)
    } if cheap else set()  # fmt: skip


def _edges(
    nodes: Sequence[Node], replaced: frozenset[str], seed: int, arguments: Sequence[int]
) -> list[list[Edge]]:
    """The ways out of each node, in the order in which they are followed."""
    after = executor.consumers(
        [[p for p, _ in n.inputs] for n in nodes], [n.controls for n in nodes],
        [n.op in replaced for n in nodes], seed,
        {i: n.bias_place for i, n in enumerate(nodes) if n.op == layout.WITH_BIAS}, arguments,
        {i for i, n in enumerate(nodes) if n.op in frames.NEXT},
    )  # fmt: skip
    return [
        [
            Edge(c, place, nodes[c].inputs[place][1]) if place < len(nodes[c].inputs)
            else Edge(c, None, 0)
            for c, place in edges
        ]
        for edges in after
    ]  # fmt: skip


class _Run:
    """What the ops of one run do to buffers, and how full it got."""

    def __init__(self, nodes: Sequence[Node], fetched: set[tuple[int, int]], held: Buffers) -> None:
        self.nodes, self.fetched, self.held = nodes, fetched, held
        self.unknown: set[tuple[int, int]] = set()
        self.timeline: list[tuple[str, int]] = []
        self.most = self.when = self.extra = 0
        self.at = ""

    def peak(self) -> Peak:
        snapshot = self.held.at(self.when)
        if self.extra:
            snapshot.append((self.extra, f"{self.at} (while it runs)"))
        largest = tuple(heapq.nlargest(HELD, snapshot))
        return Peak(self.most, self.at, largest, len(self.unknown), tuple(self.timeline))

    def outputs(self, ready: Ready, given: Sequence[Token | None]) -> list[Token | None]:
        """Runs a node: its outputs, each held once."""
        node, held = self.nodes[ready.node], self.held
        held.clock += 1
        for variable in node.updates:
            held.update(variable, node.name)
        found: list[Token | None]
        if node.op == "Switch":
            found = self._switch(ready, given)
        elif (listed := lists.run(node, given, held)) is not None:
            found = listed
        else:
            found = [self._output(ready.node, k, out, given) for k, out in enumerate(node.outputs)]
        held.scratch(node.extra)
        now = held.live - held.base + node.extra
        if now > self.most:
            self.most, self.at, self.when, self.extra = now, node.name, held.clock, node.extra
        self.timeline.append((node.name, now))
        held.clock += 1
        if node.assigns and given[1] is not None:
            held.assign(node.assigns, given[1].buffer)
        for k, token in enumerate(found):
            if (ready.node, k) in self.fetched:
                held.keep(token)
        return found

    def _switch(self, ready: Ready, given: Sequence[Token | None]) -> list[Token | None]:
        """Hands its input to the side that is chosen; to both where that is not known."""
        node = self.nodes[ready.node]
        data, chosen = given
        assert data is not None
        choice = chosen.value if chosen is not None else None
        decides = node.inputs[1][0]
        if self.nodes[decides].op == "LoopCond":
            if choice is None:
                choice = ready.iteration.number < ITERATIONS
                self.unknown.add((decides, 0))
            elif choice and len(self.timeline) > MOST and ready.iteration.number >= ITERATIONS:
                choice = False
                self.unknown.add((decides, 0))
        sides = (0, 1) if choice is None else (int(choice),)
        found: list[Token | None] = [None, None]
        for side in sides:
            found[side] = self.held.keep(data)
        return found

    def _output(
        self, number: int, k: int, out: Output, given: Sequence[Token | None]
    ) -> Token | None:
        """One output of a node that is neither a Switch nor works on a list."""
        node, held = self.nodes[number], self.held
        if node.op == "Merge":
            came = next((t for t in given if t is not None), None)
            return Token() if k or came is None else held.keep(came)
        if k in node.alias:
            return held.keep(given[node.alias[k]] or Token())
        value = node.value
        if value is None and not k:
            value = values.computed(node.op, [None if t is None else t.value for t in given])
        buffer = None
        if node.reads in held.value:
            buffer = held.value[node.reads]
            held.hold(buffer)
        elif out.bytes is None and node.op in ops.LIST_READ:
            elements = lists.elements(given, held)
            size = sum(held.size[e.buffer] for e in elements if e and e.buffer is not None)
            buffer = held.new(size, node.name, 1)
        elif out.bytes is None:
            self.unknown.add((number, k))
        elif not out.resident and out.bytes:
            buffer = self._forwarded(node, k, out, given)
            if buffer is None:
                buffer = held.new(out.bytes, node.name, 1)
            else:
                held.hold(buffer)
        return Token(buffer, value)

    def _forwarded(
        self, node: Node, number: int, out: Output, given: Sequence[Token | None]
    ) -> int | None:
        """The input buffer that this output takes over, if the kernel may."""
        if number != 0:
            return None
        for position in node.forwards:
            token = given[position]
            if token is None or token.buffer is None or self.held.count[token.buffer] != 1:
                continue
            producer, output = node.inputs[position]
            spec = self.nodes[producer].outputs[output]
            if spec.dtype == out.dtype and spec.bytes == out.bytes:
                return token.buffer
        return None
