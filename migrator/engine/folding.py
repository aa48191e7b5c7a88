"""Rows of numbers, taken out of a text while LibCST has it: half of what test methods cost there.

LibCST makes five nodes for each number of a list, which no rewrite looks at. Each row on one line
gives way to one hexadecimal number of the same length, so that what is as long as before is laid
out as before; two rows that are written alike get the same number, so that they stay equal.
"""

from __future__ import annotations

import re

_MARK = "0x_"  # how nobody writes a number
_NUMBER = r"(?:[+-]?(?:\d[\d.]*+|\.\d++)(?:[eE][+-]?\d++)?+|True|False)"


def _display(item: str) -> str:
    items = rf" *+{item}(?: *+, *+{item})++ *+,?+ *+"
    return rf"(?:\[{items}\]|\({items}\))"


# After what cannot be called or indexed, so that the bracket begins an expression of its own.
_ROW = re.compile(
    rf"([\[({{,=:]\s*+)({_display(f'(?:{_NUMBER}|{_display(_NUMBER)})')})(?![\w.])"
)
_STAND_IN = re.compile(rf"{_MARK}[0-9a-f]+")


class Folded:
    """A text without its rows of numbers (`text`); `unfold` puts them back into what became of it."""

    def __init__(self, text: str) -> None:
        self._rows: dict[str, str] = {}  # by stand-in
        self._stand_ins: dict[str, str] = {}
        self.text = text if _MARK in text else _ROW.sub(self._fold, text)

    def _fold(self, found: re.Match[str]) -> str:
        before, row = found.groups()
        stand_in = self._stand_ins.get(row)
        if stand_in is None:
            stand_in = _MARK + f"{len(self._rows):x}".rjust(len(row) - len(_MARK), "0")
            if len(stand_in) > len(row):
                return found[0]
            self._rows[stand_in] = row
            self._stand_ins[row] = stand_in
        return before + stand_in

    def unfold(self, text: str) -> str:
        """`text`, the stand-ins in it replaced by what they stand for."""
        if not self._rows:
            return text
        return _STAND_IN.sub(lambda found: self._rows[found[0]], text)
