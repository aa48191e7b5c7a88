"""TensorFlow's allocator on paper: which chunk every request gets, and what is in use with the rest.

Best fit with coalescing as in tensorflow's xla/tsl/framework/bfc_allocator.cc: free chunks lie in bins by
powers of two; the smallest that fits is taken (of equal ones the first in memory) and split only where
it is twice the request or would waste 128 MiB; a freed chunk merges with free neighbours. What is in
use counts whole chunks, and so does the allocator's own peak.
"""

from __future__ import annotations

import bisect
from collections.abc import Sequence

MINIMUM = 256  # bytes: kMinAllocationSize
BINS = 21  # kNumBins
WASTE = 128 << 20  # bytes: max_internal_fragmentation_bytes where no fraction is set
FIRST = 2 << 20  # bytes of the first region of an allocator that grows
WHOLE = 1 << 50  # bytes of a region without an end
GROWING: tuple[int, ...] = ()  # regions as they are needed, each twice the last: a card's memory that grows
# Where allocators that grow take one large block before all else, as the fixed protocol does on a
# CPU, it becomes the second region; the smaller rest of the first one is filled before it.
GROWN = (FIRST, WHOLE)


def rounded(size: int) -> int:
    """A request in whole units."""
    return max(-(-size // MINIMUM), 1) * MINIMUM


def _bin(size: int) -> int:
    return min(BINS - 1, (max(size, MINIMUM) // MINIMUM).bit_length() - 1)


class Chunks:
    """Regions of memory, one without an end by default: a card that is reserved whole.

    Chunks of different regions never merge. GROWING: there are none before they are needed. in_use and
    peak are bytes of chunks.
    """

    def __init__(self, regions: Sequence[int] = (WHOLE,)) -> None:
        self.in_use = self.peak = 0
        self._size: dict[int, int] = {}  # by address
        self._before: dict[int, int | None] = {}  # the neighbour below
        self._taken: set[int] = set()
        self._bins: list[list[tuple[int, int]]] = [[] for _ in range(BINS)]
        self._end = 0
        self._next = 0 if regions else FIRST  # bytes of the next region, where there may be one
        for size in regions:
            self._add(size)

    def _add(self, size: int) -> None:
        self._size[self._end], self._before[self._end] = size, None
        self._put(self._end)
        self._end += size + MINIMUM  # no region begins where another one ends

    def _extend(self, wanted: int) -> bool:
        """A further region, as BFCAllocator::Extend takes it; False where all there is is there."""
        if not self._next:
            return False
        size = self._next
        while size < wanted:
            size *= 2
        self._next = size if size > self._next else 2 * size
        self._add(size)
        return True

    def allocate(self, size: int) -> int:
        """The address of a chunk for `size` bytes.

        Raises:
          MemoryError: no chunk is large enough.
        """
        wanted = rounded(size)
        while True:
            found = self._take(wanted)
            if found is not None:
                break
            if not self._extend(wanted):
                raise MemoryError(f"no chunk of {wanted} bytes")
        have, address = found
        if have >= 2 * wanted or have - wanted >= WASTE:
            self._split(address, wanted)
        self._taken.add(address)
        self.in_use += self._size[address]
        self.peak = max(self.peak, self.in_use)
        return address

    def _take(self, wanted: int) -> tuple[int, int] | None:
        """(size, address) of the smallest free chunk that fits, which is in no bin any more."""
        for number in range(_bin(wanted), BINS):
            chunks = self._bins[number]
            place = bisect.bisect_left(chunks, (wanted, -1))
            if place < len(chunks):
                return chunks.pop(place)
        return None

    def free(self, address: int) -> None:
        """Gives a chunk back; it merges with free neighbours."""
        self._taken.remove(address)
        self.in_use -= self._size[address]
        above = address + self._size[address]
        if above in self._size and above not in self._taken:
            self._unbin(above)
            self._merge(address, above)
        below = self._before[address]
        if below is not None and below not in self._taken:
            self._unbin(below)
            self._merge(below, address)
            address = below
        self._put(address)

    def _put(self, address: int) -> None:
        size = self._size[address]
        bisect.insort(self._bins[_bin(size)], (size, address))

    def _unbin(self, address: int) -> None:
        size = self._size[address]
        chunks = self._bins[_bin(size)]
        del chunks[bisect.bisect_left(chunks, (size, address))]

    def _split(self, address: int, size: int) -> None:
        rest = address + size
        above = address + self._size[address]
        self._size[rest], self._before[rest] = self._size[address] - size, address
        self._size[address] = size
        if above in self._size:
            self._before[above] = rest
        self._put(rest)

    def _merge(self, low: int, high: int) -> None:
        above = high + self._size[high]
        self._size[low] += self._size.pop(high)
        del self._before[high]
        if above in self._size:
            self._before[above] = low
