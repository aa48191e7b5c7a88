"""The peaks that a function's runs can have: in requested bytes and in the allocator's chunks.

The order of ready ops is the runtime's own choice, so there is no single peak: several runs are
replayed, the likely one is the prediction, and the extremes are its interval.
"""

from __future__ import annotations

import copy
import gc
import math
import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from migrator.measure.predict import bfc, buffers, executor, graph, making
from migrator.measure.predict.liveness import Peak

GPU_SEEDS = (1, 2, 3)  # there ready ops wait in line: orders hardly differ
SEEDS = tuple(range(1, 14))  # orders of the roots that an interval looks at, at least
MORE_SEEDS = tuple(range(1, 32))  # and at most: of small graphs, whose one large layer may decide
DRAWN_NODES = 60_000  # over all orders, up to which there are more of them
LOOP_SEEDS = tuple(range(1, 26))  # where they decide how iterations run into each other
# Bytes of outputs whose kernels take what the executor calls expensive: 8000 cycles, in which a core
# writes some 16 to 64 kB; of small convolutions in loops it was seen to take some for quick as well
# (1 << 22, see `liveness.HEAVY`). The first is the usual one (recurrent layers of several sizes).
QUICK = (1 << 14, 0, 1 << 13, 1 << 15, 1 << 17, 1 << 19, 1 << 22)
MARGIN = 0.005  # of the step's bytes, on both ends: small tensors and kernels that are not modelled
SCRATCH = 16 << 10  # bytes, at least: of oneDNN's kernels, whose few kB differ between processors
CALLS = 2  # before the one that is looked at
STEPS = 2  # in which the allocator is followed: where variables lie settles in the first one
GROWING_STEPS = 3  # and where a card's memory grows: regions come with the first one
DRAWN = 4096  # bytes from which an initial value leaves holes: what was drawn, and what was scaled


@dataclass(frozen=True, slots=True)
class Runs:
    """The possible runs of one function, the smallest peak first.

    middle: which of them is the likely one. loops: whether iterations of a loop may run into each other.
    chunks: the allocator's peaks with all that is resident, of the orders that the allocator was followed
    through. scratch: the step's peaks where kernels whose scratch is not known take the least and the most.
    """

    peaks: tuple[Peak, ...]
    middle: int
    loops: bool
    chunks: tuple[int, ...] = ()
    scratch: tuple[int, int] | None = None

    @property
    def likely(self) -> Peak:
        """The median of the orders that were drawn with what is usual."""
        return self.peaks[self.middle]

    @property
    def interval(self) -> tuple[int, int]:
        """(lowest, highest bytes) of the step."""
        # counters, lists' headers: small and many; and iterations overlap in more ways than are tried
        margin = MARGIN * (6 if self.loops else 1)
        low, high = self.peaks[0].bytes, self.peaks[-1].bytes
        if self.scratch is not None:
            low, high = min(low, self.scratch[0]), max(high, self.scratch[1])
        return int(low * (1 - margin)), high + max(math.ceil(high * margin), SCRATCH)

    @property
    def allocator(self) -> int:
        """The allocator's peak with all that is resident: the median of the orders, for which chunk is free
        when depends on all that came before, and real steps differ as much among themselves."""
        return int(statistics.median(self.chunks)) if self.chunks else 0


@dataclass(frozen=True, slots=True)
class Before:
    """What the allocator holds before the step: weights, slots and inputs.

    resident: their bytes. making: how they came to lie where they lie, where that was recorded.
    inputs: bytes of each input that `making` does not have. grows: whether a card's memory is taken as it
    is needed, and not at once.
    """

    resident: int
    making: making.Making | None = None
    inputs: tuple[int, ...] = ()
    grows: bool = False


def of(
    function: Any, order: str = "cpu", kernels: str | None = None, before: Before | None = None,
    calls: int = CALLS,
) -> Runs:  # fmt: skip
    """The runs of a ConcreteFunction. order: see `executor.Schedule`; kernels: see `graph.program`.

    before: given, the allocator is followed, too. calls: how often the function has run before. How far
    iterations of a loop run into each other depends on which kernels the executor has found to be
    quick by then.
    """
    made = graph.program(function.graph, list(function.outputs), kernels)
    gc.collect()  # the graphs it made hold themselves, and constants in the allocator that is measured
    loops = any(n.times > 1 for n in made.nodes)
    fits = max(DRAWN_NODES // max(len(made.nodes), 1), len(SEEDS))
    seeds = GPU_SEEDS if order == "gpu" else LOOP_SEEDS if loops else MORE_SEEDS[:fits]
    followed = SEEDS if loops else seeds
    timed = order == "cpu" and any(executor.room(n.times * calls) for n in made.nodes)
    usual = QUICK[0] if timed else 0
    ways = [(seed, usual) for seed in seeds]
    if timed:
        ways += [(seed, cost) for cost in QUICK[1:] for seed in SEEDS[:2]]
    handles = {inside.op.name: handle for handle, inside in function.graph.captures}
    heap = None if before is None else _heap(made, order, before, handles)
    found, chunks = [], []
    for seed, cheap in ways:
        if heap is not None and cheap == usual and seed in followed:
            grows = before is not None and before.grows
            peak, top = _followed(made, order, seed, cheap, calls, copy.deepcopy(heap), grows)
            chunks.append(top)
        else:
            peak = made.peak(order, seed, cheap, calls=calls)
        found.append((peak, cheap))
    found.sort(key=lambda run: run[0].bytes)
    scratch = None
    if any(n.bounds for n in made.nodes):
        ends = [made.with_scratch(most).peak(order, seeds[0], usual, calls=calls) for most in (False, True)]
        scratch = ends[0].bytes, ends[1].bytes
    likely = [place for place, (_, cheap) in enumerate(found) if cheap == usual]
    return Runs(
        tuple(peak for peak, _ in found), likely[len(likely) // 2], loops, tuple(chunks), scratch
    )  # fmt: skip


def _followed(
    program: graph.Program, order: str, seed: int, cheap: int, calls: int, heap: buffers.Heap,
    grows: bool,
) -> tuple[Peak, int]:  # fmt: skip
    """(the step's peak, the allocator's once variables lie where steps leave them).

    A variable that is assigned a new value lies in the chunk that this was computed in, which may be
    nearly twice as large; so a step depends on the ones before. Where memory grows, the first step finds
    less of it than those after.
    """
    steps = GROWING_STEPS if grows else STEPS if any(node.assigns for node in program.nodes) else 1
    for _ in range(steps):
        heap.chunks.peak = heap.chunks.in_use
        peak = program.peak(order, seed, cheap, heap, calls)
    return peak, heap.chunks.peak


def _heap(
    program: graph.Program, order: str, before: Before, handles: Mapping[str, Any]
) -> buffers.Heap:
    """The allocator as the first step finds it. handles: of the variables, by their graph's names."""
    regions = bfc.GROWN if order == "cpu" else bfc.GROWING if before.grows else (bfc.WHOLE,)
    if before.making is not None:
        heap = before.making.heap(regions, program.variables, handles)
        for size in (*before.inputs, *program.constants):
            heap.chunks.allocate(size)
        return heap
    heap = buffers.Heap(bfc.Chunks(regions))
    for name, size in program.variables.items():
        # drawn, scaled, shifted: three buffers, the last of which is kept
        gone = [heap.chunks.allocate(size) for _ in range(2 if size > DRAWN else 0)]
        heap.variables[name] = heap.chunks.allocate(size)
        for address in gone:
            heap.chunks.free(address)
    rest = before.resident - sum(program.variables.values())
    if rest > 0:
        heap.chunks.allocate(rest)
    return heap
