"""In which order TensorFlow's executor runs the ops of a graph on one thread.

The rules are those of tensorflow/core/common_runtime/executor.cc (`ScheduleReady`) and of Eigen's
thread pool. On a GPU every kernel counts as inexpensive, so ready ops run first in, first out. On a
CPU most kernels are expensive: of the ops that an op makes ready, the last goes on in the same
closure when nothing else is waiting there, the others become closures of the pool, which takes its
newest first. The order among the graph's roots follows the addresses of edges in a hash set, so it
differs from process to process: it is drawn from a seed here.
"""

from __future__ import annotations

import collections
import heapq
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from migrator.measure.predict import edges, layout

T = TypeVar("T")
ORDERS = ("cpu", "gpu")
# A kernel counts as expensive until its cost is under this many cycles (kOpIsExpensiveThresholdCycles). The
# cost begins high (kInitialCostEstimateCycles) and goes a tenth of the way to what it took with each run
# (kCostDecay): the quickest ones need 90.
THRESHOLD, INITIAL, KEPT = 8_000, 100_000_000, 0.9
# The share of kernels of a loop that one of the last runs took much longer than the others, so that they
# count as expensive though they are quick: 2 to 4 of some hundred were seen in each of five graphs.
STALLED = 0.03
POOL = 1024  # closures that a thread's queue holds (Eigen's RunQueue); over it, one runs at once

# Kernels that override OpKernel::IsExpensive: they run at once, in the closure that readied them.
INEXPENSIVE = frozenset(
    """
    Const HostConst Identity IdentityN Reshape Shape ShapeN Size Rank ExpandDims Squeeze NoOp
    _Arg _Retval Placeholder PlaceholderWithDefault EnsureShape Switch Merge Enter Exit
    NextIteration LoopCond ControlTrigger VarHandleOp StopGradient PreventGradient
    """.split()
)


def consumers(
    inputs_of: Sequence[Sequence[int]], controls_of: Sequence[Sequence[int]],
    replaced: Sequence[bool], seed: int = 0, biases: Mapping[int, int] | None = None,
    arguments: Sequence[int] = (), back: Collection[int] = (),
) -> list[list[tuple[int, int]]]:  # fmt: skip
    """For each node its edges as (consumer, place among its producers) in the order they are followed.

    inputs_of, controls_of: producers of each node, one entry an edge. Those that read come before
    those that only wait (`PropagateOutputs`); both in the order of the node's set of edges. Consumers
    are added to the graph one after the other: of the nodes whose producers are there, the one with
    the lowest number (see `layout.numbers`, also for replaced and biases). arguments: those that become a
    function's arguments after that, which come first. back: nodes that lead back to a loop's beginning,
    whose edges are made last.
    """
    count = len(inputs_of)
    producers_of = [[*i, *c] for i, c in zip(inputs_of, controls_of, strict=True)]
    waiting = [0] * count
    after: list[list[int]] = [[] for _ in range(count)]
    for node, producers in enumerate(producers_of):
        for p in producers:
            if p not in back:
                after[p].append(node)
                waiting[node] += 1
    number = layout.numbers(producers_of, replaced, seed, biases)
    for place, node in enumerate(arguments):
        number[node] = place - len(arguments)
    heap = [(number[n], n) for n in range(count) if not waiting[n]]
    heapq.heapify(heap)
    # of each node: (as how many-th edge of the graph, place, consumer)
    made: list[list[tuple[int, int, int]]] = [[] for _ in range(count)]
    so_far = 0
    late: list[tuple[int, int, int]] = []
    while heap:
        _, node = heapq.heappop(heap)
        for place, p in enumerate(producers_of[node]):
            if p in back:
                late.append((p, place, node))
                continue
            made[p].append((so_far, place, node))
            so_far += 1
        for c in after[node]:
            waiting[c] -= 1
            if not waiting[c]:
                heapq.heappush(heap, (number[c], c))
    for p, place, node in late:
        made[p].append((so_far, place, node))
        so_far += 1
    found = []
    for edges_of in made:
        listed = [edges_of[i] for i in edges.order([e[0] for e in edges_of], seed)]
        listed.sort(key=lambda e: e[1] >= len(inputs_of[e[2]]))
        found.append([(node, place) for _, place, node in listed])
    return found


def room(runs: int) -> float:
    """The share of the threshold that is left to a kernel's own cost after so many runs."""
    return max(0.0, 1 - INITIAL / THRESHOLD * KEPT**runs)


@dataclass
class _Closure(Generic[T]):
    """One call of the executor's Process: what it will run itself, and what it has yet to hand out."""

    here: collections.deque[T]
    ready: collections.deque[T] = field(default_factory=collections.deque)
    kept: T | None = None  # the last expensive op, which the closure may go on with
    open: bool = False  # whether `ready` is being handed out


class Schedule(Generic[T]):
    """Hands out nodes in the executor's order.

    kind: "cpu" or "gpu". inexpensive: tells whether a node runs in place. seed: of the roots' order.
    """

    def __init__(
        self, kind: str, roots: Sequence[T], inexpensive: Callable[[T], bool], seed: int = 0
    ) -> None:
        if kind not in ORDERS:
            raise ValueError(f"order {kind!r} is not one of {', '.join(ORDERS)}")
        self.kind, self.inexpensive = kind, inexpensive
        self.pool: collections.deque[T] = collections.deque()
        self.closures: list[_Closure[T]] = [
            _Closure(collections.deque())
        ]  # nested where the pool was full
        self.push([roots[i] for i in edges.order(range(len(roots)), seed)])

    def push(self, ready: Sequence[T]) -> None:
        """Nodes that became ready together, in the order of the edges that readied them."""
        now = self.closures[-1]
        if self.kind == "gpu":
            now.here.extend(ready)
            return
        now.ready, now.kept, now.open = collections.deque(ready), None, True
        self._hand_out(now)

    def _hand_out(self, now: _Closure) -> None:
        """Goes on with the ready nodes; stops where the full pool makes one run at once."""
        while now.ready:
            node = now.ready.popleft()
            if self.inexpensive(node):
                now.here.append(node)
                continue
            before, now.kept = now.kept, node
            if before is not None and not self._submit(before):
                return
        now.open = False
        kept, now.kept = now.kept, None
        if kept is None:
            return
        if now.here:
            self._submit(kept)
        else:
            now.here.append(kept)

    def _submit(self, node: T) -> bool:
        if len(self.pool) < POOL:
            self.pool.appendleft(node)
            return True
        self.closures.append(_Closure(collections.deque([node])))
        return False

    def pop(self) -> T | None:
        """The next node, None when none is ready."""
        while True:
            now = self.closures[-1]
            if now.here:
                return now.here.popleft()
            if len(self.closures) > 1:
                self.closures.pop()
                if self.closures[-1].open:
                    self._hand_out(self.closures[-1])
            elif self.pool:
                return self.pool.popleft()
            else:
                return None
