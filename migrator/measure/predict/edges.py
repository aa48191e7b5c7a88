"""The order in which TensorFlow's graphs list the edges that leave their source node.

An EdgeSet with more than eight edges is a hash set of pointers (tensorflow/core/graph/edgeset.h,
xla/tsl/lib/gtl/flatset.h). Edges lie one after the other in an arena, so the order is a pattern of
strides that only the arena's address moves; that address differs from process to process.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

INLINE = 8  # EdgeSet::kInline
EDGE = 32  # bytes of an Edge in the arena
BLOCK = 8 << 10  # bytes of an arena block
BUCKET = 8  # slots of a FlatSet's bucket
FULL = 0.8


class _FlatSet:
    """Open addressing with quadratic probing; iterated slot by slot."""

    def __init__(self) -> None:
        self._resize(1)

    def _resize(self, entries: int) -> None:
        buckets = 1
        while entries >= FULL * buckets * BUCKET:
            buckets *= 2
        self.slots: list[int | None] = [None] * (buckets * BUCKET)
        self.room = int(buckets * BUCKET * FULL)
        self.count = 0

    def _place(self, pointer: int) -> None:
        mask, probes = len(self.slots) - 1, 1
        index = ((pointer + (pointer >> 6)) >> 8) & mask
        while self.slots[index] is not None:
            index, probes = (index + probes) & mask, probes + 1
        self.slots[index] = pointer
        self.count += 1

    def insert(self, pointer: int) -> None:
        if self.count >= self.room:
            old = self.pointers()
            self._resize(len(old) + 1)
            for p in old:
                self._place(p)
        self._place(pointer)

    def pointers(self) -> list[int]:
        return [p for p in self.slots if p is not None]


def order(places: Sequence[int], seed: int) -> list[int]:
    """The numbers of the edges in the order of their set, for an address from the seed.

    places: as how many-th of the graph each edge was made, ascending; only differences count.
    """
    count = len(places)
    if count <= INLINE or not seed:
        return list(range(count))
    draw = random.Random(seed)
    address = draw.randrange(1 << 20) * 16
    left = draw.randrange(BLOCK // EDGE)
    number: dict[int, int] = {}
    edges = _FlatSet()
    made = places[0]
    for i, place in enumerate(places):
        while True:
            if not left:  # the next block: usually right behind, with malloc's header between
                address += draw.choice((16, 16, BLOCK + 32, 1 << 16))
                left = BLOCK // EDGE
            if made == place:
                break
            passed = min(place - made, left)
            made, address, left = made + passed, address + passed * EDGE, left - passed
        number[address] = i
        edges.insert(address)
        made, address, left = made + 1, address + EDGE, left - 1
    return [number[p] for p in edges.pointers()]
