"""Maps lines of a rewritten text back to the original file."""

from __future__ import annotations

from functools import lru_cache

from migrator.lines import lines_of
from migrator.project.linediff import matcher


def kept_lines(old: list[str], new: list[str]) -> list[tuple[int, int]]:
    """(old line, new line) of lines that say the same, wherever they are indented to; in order.

    >>> kept_lines(["with s:", "    f()", "", "    g()"], ["f()", "g()"])
    [(2, 1), (4, 2)]
    """
    blocks = matcher([line.strip() for line in old], [line.strip() for line in new]).get_matching_blocks()
    return [
        (block.a + offset + 1, block.b + offset + 1)
        for block in blocks
        for offset in range(block.size)
        if old[block.a + offset].strip()
    ]


class LineMap:
    """`original(line)`: the original 1-based line that a line of the new text stands for.

    Lines that are the same in both texts map exactly; a replaced run maps onto the run that it
    replaced, proportionally; inserted lines map to the line before them.
    """

    def __init__(self, old: str, new: str) -> None:
        old_lines, new_lines = lines_of(old), lines_of(new)
        start = 0
        limit = min(len(old_lines), len(new_lines))
        while start < limit and old_lines[start] == new_lines[start]:
            start += 1
        end = 0
        while end < limit - start and old_lines[-1 - end] == new_lines[-1 - end]:
            end += 1
        self._map: list[int] = list(range(1, start + 1))
        middle_old = old_lines[start : len(old_lines) - end]
        middle_new = new_lines[start : len(new_lines) - end]
        for tag, low, high, new_low, new_high in matcher(middle_old, middle_new).get_opcodes():
            for position in range(new_low, new_high):
                if tag == "equal":
                    line = low + position - new_low
                elif high > low:
                    line = low + (position - new_low) * (high - low) // (new_high - new_low)
                else:
                    line = max(low - 1, 0)
                self._map.append(min(start + line + 1, max(len(old_lines), 1)))
        tail = len(old_lines) - end
        self._map.extend(tail + i + 1 for i in range(end))

    def original(self, line: int) -> int:
        """The original line of `line` (lines beyond the end map to the last one)."""
        if not self._map:
            return 1
        return self._map[min(max(line, 1), len(self._map)) - 1]


@lru_cache(maxsize=4)
def line_map(old: str, new: str) -> LineMap:
    """The map of two texts, which are asked for by one after the other."""
    return LineMap(old, new)
