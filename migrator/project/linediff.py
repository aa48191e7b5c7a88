"""Which lines of two texts are the same, in time that grows with the texts and not with its square."""

from __future__ import annotations

import difflib
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence

Opcode = tuple[str, int, int, int, int]
Matcher = difflib.SequenceMatcher[str]
_SHORT = 2_000  # lines of both: difflib is quick with so many, whatever they are
_DEEPEST = 8
_MOST_EDITS = 1_000


def matcher(old: Sequence[str], new: Sequence[str], autojunk: bool = True) -> Matcher:
    """What tells the opcodes of two lists of lines, as difflib does; of long ones it is told by the
    lines that each of them has once."""
    if len(old) + len(new) > _SHORT:
        return _Anchored(old, new)
    return difflib.SequenceMatcher(None, old, new, autojunk)


def unified(old: Sequence[str], new: Sequence[str], context: int = 3) -> Iterator[str]:
    """The lines of `difflib.unified_diff`, its file header left out."""
    for group in matcher(old, new).get_grouped_opcodes(context):
        first, last = group[0], group[-1]
        yield f"@@ -{_range(first[1], last[2])} +{_range(first[3], last[4])} @@"
        for tag, low, high, new_low, new_high in group:
            if tag == "equal":
                yield from (" " + line for line in old[low:high])
            else:
                yield from ("-" + line for line in old[low:high])
                yield from ("+" + line for line in new[new_low:new_high])


def _range(start: int, stop: int) -> str:
    length = stop - start
    if length == 1:
        return f"{start + 1}"
    return f"{start + bool(length)},{length}"


class _Anchored(difflib.SequenceMatcher[str]):
    """The patience algorithm: lines that are there once on both sides, in the longest order that
    they have in common, split the texts into pieces that are matched in the same way; pieces without
    such lines are matched where that takes few edits, and are all other lines otherwise."""

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        super().__init__()
        self._old, self._new = old, new
        self._opcodes: list[Opcode] | None = None

    def get_opcodes(self) -> list[Opcode]:  # type: ignore[override]
        if self._opcodes is None:
            self._opcodes = list(self._between())
        return self._opcodes

    def _between(self) -> Iterator[Opcode]:
        at, new_at = 0, 0
        for low, new_low, size in [*self._same(), (len(self._old), len(self._new), 0)]:
            if low > at or new_low > new_at:
                tag = "replace" if low > at and new_low > new_at else "delete" if low > at else "insert"
                yield tag, at, low, new_at, new_low
            at, new_at = low + size, new_low + size
            if size:
                yield "equal", low, at, new_low, new_at

    def _same(self) -> list[tuple[int, int, int]]:
        """(start, start in the new text, length) of what is the same, joined."""
        found: list[tuple[int, int, int]] = []
        for low, new_low, size in sorted(self._pieces()):
            if found and (found[-1][0] + found[-1][2], found[-1][1] + found[-1][2]) == (low, new_low):
                low, new_low, before = found.pop()
                size += before
            found.append((low, new_low, size))
        return found

    def _pieces(self) -> Iterator[tuple[int, int, int]]:
        old, new = self._old, self._new
        stack = [(0, len(old), 0, len(new), 0)]
        while stack:
            low, high, new_low, new_high, depth = stack.pop()
            start = low
            while low < high and new_low < new_high and old[low] == new[new_low]:
                low, new_low = low + 1, new_low + 1
            if low > start:
                yield start, new_low - (low - start), low - start
            end = high
            while low < high and new_low < new_high and old[high - 1] == new[new_high - 1]:
                high, new_high = high - 1, new_high - 1
            if high < end:
                yield high, new_high, end - high
            if low == high or new_low == new_high:
                continue
            if high - low + new_high - new_low <= _SHORT:
                short = difflib.SequenceMatcher(None, old[low:high], new[new_low:new_high])
                for a, b, size in short.get_matching_blocks()[:-1]:
                    yield low + a, new_low + b, size
            elif depth < _DEEPEST and (
                anchors := _anchors(old, low, high, new, new_low, new_high)
            ):
                at, new_at = low, new_low
                for a, b in anchors:
                    stack.append((at, a, new_at, b, depth + 1))
                    yield a, b, 1
                    at, new_at = a + 1, b + 1
                stack.append((at, high, new_at, new_high, depth + 1))
            else:
                for a, b, size in _few_edits(old[low:high], new[new_low:new_high]):
                    yield low + a, new_low + b, size


def _few_edits(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int, int]]:
    """(start, start in the new text, length) of what is the same, by Myers' greedy algorithm; nothing
    where it takes many edits, for whose square it would take."""
    reached = {1: 0}  # by diagonal, how far of the old text the last number of edits leads
    steps: list[dict[int, int]] = []
    for edits in range(_MOST_EDITS):
        steps.append(dict(reached))
        for diagonal in range(-edits, edits + 1, 2):
            down = diagonal == -edits or (
                diagonal != edits and reached[diagonal - 1] < reached[diagonal + 1]
            )
            at = reached[diagonal + 1] if down else reached[diagonal - 1] + 1
            while at < len(old) and at - diagonal < len(new) and old[at] == new[at - diagonal]:
                at += 1
            reached[diagonal] = at
            if at >= len(old) and at - diagonal >= len(new):
                return _snakes(steps, len(old), len(new))
    return []


def _snakes(steps: list[dict[int, int]], at: int, new_at: int) -> list[tuple[int, int, int]]:
    found = []
    for edits in range(len(steps) - 1, -1, -1):
        reached = steps[edits]
        diagonal = at - new_at
        down = diagonal == -edits or (
            diagonal != edits and reached[diagonal - 1] < reached[diagonal + 1]
        )
        before = diagonal + 1 if down else diagonal - 1
        start = reached[before] + (not down) if edits else 0
        if at > start:
            found.append((start, start - diagonal, at - start))
        at = reached[before]
        new_at = at - before
    return found


def _anchors(
    old: Sequence[str], low: int, high: int, new: Sequence[str], new_low: int, new_high: int
) -> list[tuple[int, int]]:
    """Places of lines that both pieces have once, in the longest order that they share."""
    counts, new_counts = Counter(old[low:high]), Counter(new[new_low:new_high])
    places = {new[n]: n for n in range(new_low, new_high) if new_counts[new[n]] == 1}
    pairs = [(n, places[old[n]]) for n in range(low, high) if counts[old[n]] == 1 and old[n] in places]
    ends: list[int] = []  # the least end of an order of each length
    at: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        length = bisect_left(ends, place)
        if length == len(ends):
            ends.append(place)
            at.append(number)
        else:
            ends[length] = place
            at[length] = number
        before.append(at[length - 1] if length else -1)
    found = []
    number = at[-1] if at else -1
    while number >= 0:
        found.append(pairs[number])
        number = before[number]
    return found[::-1]
