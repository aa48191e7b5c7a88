"""A with block is opened in the text: its head goes, what is in it moves to the left.

Only where every line is laid out as LibCST, which the planner prints with, would lay it out, too;
anything else raises NotPlain, and the planner does it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from migrator.analysis.tree_walk import walk
from migrator.engine.edits import Edit, Lines
from migrator.lines import indentation


class NotPlain(Exception):
    """The planner has to look."""


class BlockLines:
    """Edits of the lines of one function of a file."""

    def __init__(self, lines: Lines, function: ast.FunctionDef) -> None:
        self.text = lines.text
        self.starts = lines.starts
        self.function = function

    def _line(self, number: int) -> str:
        """The line with a 1-based number, without its end."""
        starts = self.starts
        end = starts[number] - 1 if number < len(starts) else len(self.text)
        return self.text[starts[number - 1] : end]

    def _indent(self, node: ast.stmt) -> str:
        """What stands before a statement on its line."""
        before = self._line(node.lineno)[: node.col_offset]
        if before.strip():
            raise NotPlain
        return before

    def _lines(self, first: int, last: int, new: str = "") -> Edit:
        """`new` for the lines from `first` to `last`."""
        return Edit(self.starts[first - 1], self.starts[last], (new,))

    def without(
        self, suite: Sequence[ast.stmt], dropped: set[int], opened: bool
    ) -> Iterator[Edit]:
        """Statements that go; of the blank lines before them one stays, between what is kept."""
        place = 0
        while place < len(suite):
            group = place
            while place < len(suite) and id(suite[place]) in dropped:
                place += 1
            if group == place:
                place += 1
                continue
            if place - group == len(suite):
                raise NotPlain
            first, last = suite[group].lineno, suite[place - 1].end_lineno or 0
            head_takes_blanks = opened and group == 0
            while not head_takes_blanks and not self._line(first - 1).strip():
                first -= 1
            text = self.text[self.starts[first - 2] : self.starts[last]]
            if "#" in text:
                raise NotPlain
            blank = any(not self._line(number).strip() for number in range(first, last))
            if group == 0:
                while (blank or opened) and not self._line(last + 1).strip():
                    last += 1
            yield self._lines(first, last, "\n" if blank and 0 < group and place < len(suite) else "")

    def opened(self, block: ast.With, ends_suite: bool) -> Iterator[Edit]:
        """The head of a session's block goes, what is in it moves to the left."""
        last, first = block.end_lineno or block.lineno, block.lineno + 1
        while not self._line(first).strip():
            first += 1
        head = block.items[0].context_expr
        text = self.text[self.starts[first - 1] : self.starts[last]]
        if (
            head.end_lineno != block.lineno
            or not self._line(block.lineno).endswith(":")
            or '"""' in text
            or "'''" in text
        ):
            raise NotPlain
        yield self._lines(block.lineno, first - 1)
        old, new = self._indent(block.body[0]), self._indent(block)
        owners = self._owners(block)
        for number in range(first, last + 1):
            line = self._line(number)
            if line and (not line.strip() or not line.startswith(owners.get(number, old))):
                raise NotPlain
            if line:
                start = self.starts[number - 1]
                yield Edit(start + len(new), start + len(old), ())
        self._refuse_comments_after(last, "" if ends_suite else new)

    def _owners(self, block: ast.With) -> dict[int, str]:
        """The indentation that each line of a block must have to move along with it."""
        owners: dict[int, str] = {}
        continued: set[int] = set()
        for node in walk(block):
            if isinstance(node, ast.stmt) and node is not block:
                numbers = range(node.lineno, (node.end_lineno or node.lineno) + 1)
                owners.update(dict.fromkeys(numbers, self._indent(node)))
                if not hasattr(node, "body"):
                    continued.update(numbers[1:])
        following = ""
        for number in range(block.end_lineno or block.lineno, block.lineno, -1):
            line = self._line(number)
            indent = indentation(line)
            if not line.lstrip().startswith("#") or number in continued:
                following = indent if line.strip() else following
            elif indent == following:  # a comment goes with what it stands before
                owners[number] = indent
            else:
                raise NotPlain
        return owners

    def _refuse_comments_after(self, last: int, next_indent: str) -> None:
        """Comments and white space behind a block may be part of it, unless something with their
        indentation follows."""
        inner = " " * (self.function.col_offset + 1)
        for number in range(last + 1, len(self.starts) + 1):
            line = self._line(number)
            if next_indent and line.startswith(f"{next_indent}#"):
                continue
            if line and (not line.strip() or line.startswith(inner) and line.lstrip()[0] == "#"):
                raise NotPlain
            if line:
                return


__all__ = ["BlockLines", "NotPlain"]
