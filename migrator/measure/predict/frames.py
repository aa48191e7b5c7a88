"""How values go from op to op in the executor, through loops: frames, their iterations, dead branches.

The rules are those of tensorflow/core/common_runtime/propagator_state.cc. Every run of a loop is a
frame; each of its iterations holds what has arrived for its ops. What a Switch does not choose is dead,
and so is all that reads it. An iteration begins when the first of its values arrives, a loop has only
so many of them at a time, and what enters a loop as a constant arrives anew in each. Pure Python; sizes
and buffers are the caller's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from migrator.measure.predict import values

ENTER, EXIT, NEXT = frozenset({"Enter"}), frozenset({"Exit"}), frozenset({"NextIteration"})
GATES = frozenset({"Enter", "Exit", "NextIteration", "Merge", "Switch", "LoopCond"})
AT_ONCE = 10  # iterations, where an Enter does not say (its default)


class Token(NamedTuple):
    """What an edge hands on: a buffer, if it lies in one, and the value, where it is known."""

    buffer: int | None = None
    value: values.Value = None


class Gate(NamedTuple):
    """What an Enter says of its loop."""

    frame: str
    at_once: int = AT_ONCE
    constant: bool = False


class Edge(NamedTuple):
    """One way out of a node. place: which input of the consumer; None where it only waits."""

    consumer: int
    place: int | None
    output: int


@dataclass(eq=False)
class Iteration:
    """What has arrived for the ops of one iteration. pending: how many edges each still waits for."""

    frame: Frame
    number: int
    pending: dict[int, int] = field(default_factory=dict)
    dead: dict[int, int] = field(default_factory=dict)
    arrived: dict[tuple[int, int], Token] = field(default_factory=dict)
    running: int = 0  # ops that are ready or being run
    frames: int = 0  # loops that were entered from here and are not over


@dataclass(eq=False)
class Frame:
    """One run of a loop, or the graph itself. entering: how many Enters have yet to come."""

    parent: Iteration | None
    key: tuple[Frame, int, str] | None
    at_once: int
    entering: int
    iterations: dict[int, Iteration] = field(default_factory=dict)
    last: int = 0
    open: int = 1  # iterations that are not over
    deferred: list[tuple[int, Token]] = field(default_factory=list)
    constants: list[tuple[int, Token | None]] = field(default_factory=list)
    dead_exits: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.iterations[0] = Iteration(self, 0)


class Ready(NamedTuple):
    """A node that may run. dead: it only passes on that it is."""

    node: int
    iteration: Iteration
    dead: bool


class Flow:
    """Hands values on. hold, release: what a buffer is told when an edge takes or leaves it.

    kinds: op type of each node. counts: of (inputs, controls) of each. gates: of the Enters.
    """

    def __init__(
        self, kinds: Sequence[str], counts: Sequence[tuple[int, int]],
        gates: Sequence[Gate | None], edges: Sequence[Sequence[Edge]],
        hold: Callable[[int], None], release: Callable[[int], None],
    ) -> None:  # fmt: skip
        self.kinds, self.counts, self.gates, self.edges = kinds, counts, gates, edges
        self.hold, self.release = hold, release
        self.root = Frame(None, None, 1, 0)
        self.frames: dict[tuple[Frame, int, str], Frame] = {}
        self.entering: dict[str, int] = {}
        for gate in gates:
            if gate is not None:
                self.entering[gate.frame] = self.entering.get(gate.frame, 0) + 1

    def roots(self, nodes: Sequence[int]) -> list[Ready]:
        """The nodes that wait for nothing."""
        first = self.root.iterations[0]
        first.running += len(nodes)
        return [Ready(n, first, False) for n in nodes]

    def take(self, ready: Ready) -> list[Token | None]:
        """What has arrived for the inputs of a node; None for what is dead or did not come in time."""
        arrived = ready.iteration.arrived
        count = self.counts[ready.node][0]
        return [arrived.pop((ready.node, place), None) for place in range(count)]

    def done(self, ready: Ready, outputs: Sequence[Token | None]) -> list[Ready]:
        """Hands out the outputs of a node that has run; the nodes that this makes ready, in order."""
        found: list[Ready] = []
        node, iteration, dead = ready
        kind, frame = self.kinds[node], iteration.frame
        if kind in ENTER:
            self._enter(node, iteration, None if dead else outputs[0], found)
        elif kind in EXIT:
            if dead:
                if iteration.number == frame.last:
                    frame.dead_exits.append(node)
            else:
                assert frame.parent is not None
                self._activate(node, outputs, frame.parent, found)
        elif kind in NEXT:
            if not dead and outputs[0] is not None:
                self._next(node, iteration, outputs[0], found)
        else:
            self._activate(node, outputs, iteration, found, dead)
        iteration.running -= 1
        self._clean(iteration, found)
        return found

    def _enter(
        self, node: int, iteration: Iteration, token: Token | None, found: list[Ready]
    ) -> None:
        gate = self.gates[node]
        assert gate is not None
        key = (iteration.frame, iteration.number, gate.frame)
        if key not in self.frames:
            self.frames[key] = Frame(iteration, key, gate.at_once, self.entering[gate.frame])
            iteration.frames += 1
        frame = self.frames[key]
        if gate.constant:
            frame.constants.append((node, token))
            if token is not None and token.buffer is not None:
                self.hold(token.buffer)
            for inner in list(frame.iterations.values()):
                self._activate(node, (token,), inner, found, token is None)
        else:
            self._activate(node, (token,), frame.iterations[0], found, token is None)
        frame.entering -= 1

    def _next(self, node: int, iteration: Iteration, token: Token, found: list[Ready]) -> None:
        frame = iteration.frame
        if iteration.number < frame.last:
            self._activate(node, (token,), frame.iterations[iteration.number + 1], found)
        elif frame.open == frame.at_once:
            frame.deferred.append((node, token))
            if token.buffer is not None:
                self.hold(token.buffer)
        else:
            self._activate(node, (token,), self._begin(frame, found), found)

    def _begin(self, frame: Frame, found: list[Ready]) -> Iteration:
        """The next iteration, with what waited for it and what all of them get."""
        frame.last += 1
        frame.open += 1
        made = frame.iterations[frame.last] = Iteration(frame, frame.last)
        frame.dead_exits.clear()
        waited, frame.deferred = frame.deferred, []
        for node, token in waited:
            self._activate(node, (token,), made, found)
            if token.buffer is not None:
                self.release(token.buffer)
        for node, constant in frame.constants:
            self._activate(node, (constant,), made, found, constant is None)
        return made

    def _activate(
        self, node: int, outputs: Sequence[Token | None], iteration: Iteration,
        found: list[Ready], dead: bool = False,
    ) -> None:  # fmt: skip
        for edge in self.edges[node]:
            token = None
            if not dead and edge.place is not None and edge.output < len(outputs):
                token = outputs[edge.output]
            gone = dead if edge.place is None else token is None
            if self.kinds[edge.consumer] == "Merge":
                ready = self._merge(edge, token, gone, iteration, self.kinds[node] in ENTER)
            else:
                ready = self._wait(edge, token, gone, iteration)
            if ready is not None:
                iteration.running += 1
                found.append(ready)

    def _wait(
        self, edge: Edge, token: Token | None, gone: bool, iteration: Iteration
    ) -> Ready | None:
        node = edge.consumer
        left = iteration.pending.get(node, sum(self.counts[node])) - 1
        iteration.pending[node] = left
        if gone:
            iteration.dead[node] = iteration.dead.get(node, 0) + 1
        elif token is not None and edge.place is not None:
            self._keep(node, edge.place, token, iteration)
        if left:
            return None
        dead = iteration.dead.get(node, 0) > 0 and self.kinds[node] != "ControlTrigger"
        return Ready(node, iteration, dead)

    def _merge(
        self, edge: Edge, token: Token | None, gone: bool, iteration: Iteration, entered: bool
    ) -> Ready | None:
        """A Merge runs with its first living input, or dead once all of them are.

        Of what it waits for, the lowest bit tells whether a living one is still to come.
        """
        node = edge.consumer
        inputs, controls = self.counts[node]
        count = iteration.pending.get(node, 1 + 2 * controls)
        if edge.place is None:
            count -= 2
            iteration.pending[node] = count
            dead = iteration.dead.get(node, 0) == inputs
            ready = count == 0 or (count == 1 and dead)
        elif gone:
            iteration.dead[node] = iteration.dead.get(node, 0) + 1
            # of a dead loop nothing comes back
            dead = iteration.dead[node] == inputs or entered
            ready = count == 1 and dead
        else:
            dead, ready = False, count == 1
            if count & 1 and token is not None:
                self._keep(node, edge.place, token, iteration)
            iteration.pending[node] = count & ~1
        return Ready(node, iteration, dead) if ready else None

    def _keep(self, node: int, place: int, token: Token, iteration: Iteration) -> None:
        iteration.arrived[node, place] = token
        if token.buffer is not None:
            self.hold(token.buffer)

    def _clean(self, iteration: Iteration, found: list[Ready]) -> None:
        """Ends iterations of which nothing is left, and the loop with its last one."""
        frame, number = iteration.frame, iteration.number
        while number <= frame.last:
            current = frame.iterations.get(number)
            if current is None or current.running or current.frames:
                return
            if frame.entering if number == 0 else number - 1 in frame.iterations:
                return
            del frame.iterations[number]
            frame.open -= 1
            number += 1
            if frame.deferred:
                self._begin(frame, found)
        if frame.entering or frame.open or frame.parent is None:
            return
        for _, token in frame.constants:
            if token is not None and token.buffer is not None:
                self.release(token.buffer)
        parent = frame.parent
        for node in frame.dead_exits:
            self._activate(node, (), parent, found, True)
        assert frame.key is not None
        del self.frames[frame.key]
        parent.frames -= 1
        self._clean(parent, found)
