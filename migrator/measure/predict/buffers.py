"""Buffers while a graph is replayed: who holds them, how large they are, and which variable is which."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from migrator.measure.predict import bfc
from migrator.measure.predict.frames import Token

LIST = 64  # bytes of a list itself: a Variant (kMaxInlineValueSize and what tells its type)


@dataclass
class Heap:
    """An allocator's chunks, and where in them the variables lie: what a step leaves to the next."""

    chunks: bfc.Chunks
    variables: dict[str, int] = field(default_factory=dict)


class Buffers:
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
        self.members: dict[
            int, list[Token | None]
        ] = {}  # of lists: their elements, None where unset
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
            self.let_go(member)

    def hold(self, buffer: int) -> None:
        self.count[buffer] += 1

    def keep(self, token: Token | None) -> Token | None:
        """The token, whose buffer is held once more."""
        if token is not None and token.buffer is not None:
            self.hold(token.buffer)
        return token

    def let_go(self, token: Token | None) -> None:
        if token is not None and token.buffer is not None:
            self.release(token.buffer)

    def filled(self, elements: list[Token | None], owner: str) -> int:
        """A new list of elements, each of which is held for it already."""
        made = self.new(LIST, owner, 1)
        self.members[made] = elements
        return made

    def listed(self, source: int | None, owner: str) -> int:
        """The list `source` to be changed, held once more: itself where its only reader does that.

        Else it is copied.
        """
        if source is not None and source in self.members and self.count[source] == 1:
            self.hold(source)
            return source
        found = self.members.get(source, []) if source is not None else []
        return self.filled([self.keep(member) for member in found], owner)

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
