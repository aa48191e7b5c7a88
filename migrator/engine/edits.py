"""Edits of a text that may nest: literal pieces and kept spans, put together in one pass.

An edit replaces ``text[start:end]`` by its pieces; a piece is new text or a span of the original
that is kept (and inside which other edits still apply). Everything outside edits stays as it is,
byte for byte.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from itertools import accumulate

from migrator.model import Change, Finding

Piece = str | tuple[int, int]

_WHITE = re.compile(r"[ \t\f]*")
_ENDS = re.compile(r"\r\n?|\n")


@dataclass(slots=True)
class Edit:
    """One replacement and what to report about it once it has been applied."""

    start: int
    end: int
    pieces: tuple[Piece, ...]
    change: Change | None = None
    findings: tuple[Finding, ...] = ()


class Lines:
    """Offsets into a text from the (line, UTF-8 column) pairs that `ast` uses."""

    __slots__ = ("starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        if "\r" in text:
            starts = [0, *(found.end() for found in _ENDS.finditer(text))]
        else:
            lengths = map(len, text.split("\n"))
            starts = [0, *accumulate(length + 1 for length in lengths)]
            del starts[-1]
        self.starts = starts

    def offset(self, line: int, column: int) -> int:
        """The index of 1-based `line`, `column` in UTF-8 bytes."""
        start = self.starts[line - 1]
        if column:
            piece = self.text[start : start + column]
            if not piece.isascii():
                end = self.starts[line] if line < len(self.starts) else len(self.text)
                piece = self.text[start:end].encode("utf-8", "surrogatepass")[:column].decode(
                    "utf-8", "surrogatepass"
                )
                return start + len(piece)
        return start + column

    def span(self, node: ast.expr | ast.stmt | ast.keyword) -> tuple[int, int]:
        """(start, end) offsets of a node that was parsed from the text."""
        assert node.end_lineno is not None and node.end_col_offset is not None
        return (
            self.offset(node.lineno, node.col_offset),
            self.offset(node.end_lineno, node.end_col_offset),
        )

    @property
    def newline(self) -> str:
        """How lines end that are written into the text."""
        return "\r\n" if "\r\n" in self.text else "\n"

    def indent(self, line: int) -> str:
        """The white space by which 1-based `line` is indented; a form feed begins it anew."""
        start = self.starts[line - 1]
        found = _WHITE.match(self.text, start)
        return found[0].rpartition("\f")[2] if found else ""

    def line_of(self, offset: int) -> int:
        """The 1-based line that holds `offset`."""
        low, high = 0, len(self.starts)
        while low + 1 < high:
            middle = (low + high) // 2
            if self.starts[middle] <= offset:
                low = middle
            else:
                high = middle
        return low + 1


def apply(text: str, edits: list[Edit]) -> tuple[str, list[Edit]]:
    """(new text, the edits that took effect).

    Edits inside a part that another edit drops vanish with it; of two that overlap without
    nesting, the later one is left out.
    """
    # an insertion comes before what starts at the same place
    ordered = sorted(edits, key=lambda item: (item.start, item.end > item.start, -item.end))
    applied: list[Edit] = []
    out: list[str] = []
    _render(text, 0, len(text), ordered, out, applied)
    return "".join(out), applied


def _render(
    text: str, start: int, end: int, edits: list[Edit], out: list[str], applied: list[Edit]
) -> None:
    """Append ``text[start:end]`` with those of `edits` (sorted) that lie in it."""
    position = start
    index, count = 0, len(edits)
    while index < count:
        edit = edits[index]
        if edit.start < position or edit.end > end:
            index += 1
            continue
        out.append(text[position : edit.start])
        inner_from = index + 1
        index = inner_from
        while index < count and edits[index].start < edit.end:
            index += 1
        inner = edits[inner_from:index]
        applied.append(edit)
        for piece in edit.pieces:
            if isinstance(piece, str):
                out.append(piece)
            else:
                low, high = piece
                _render(
                    text,
                    low,
                    high,
                    [item for item in inner if item.start >= low and item.end <= high],
                    out,
                    applied,
                )
        position = edit.end
    out.append(text[position:end])
