"""Source text addressed by `ast` nodes: segments, leading comments, safe re-indentation."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrator.analysis.tree_walk import first_line, walk
from migrator.lines import indentation, lines_of, moved

Edit = tuple[int, int, str]  # (start offset, end offset, replacement) in the file's text


class SourceText:
    """One file's text with the offsets of its lines.

    `ast` columns count UTF-8 bytes; everything here counts characters.
    """

    def __init__(self, text: str, tree: ast.Module) -> None:
        self.text = text
        self.lines = lines_of(text, keepends=True)
        self._starts = [0]
        for line in self.lines:
            self._starts.append(self._starts[-1] + len(line))
        self._inside_string: set[int] = set()
        self.width = max(79, min(99, max(map(len, self.lines), default=0) - 1))
        self.unit = _indent_unit(tree, self.lines)
        for node in walk(tree):
            if isinstance(node, (ast.JoinedStr, ast.Constant)):
                if isinstance(node, ast.Constant) and not isinstance(node.value, (str, bytes)):
                    continue
                end = node.end_lineno or node.lineno
                self._inside_string.update(range(node.lineno + 1, end + 1))

    def offset(self, line: int, column: int) -> int:
        """Character offset of an `ast` position (1-based line, byte column)."""
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        if not text.isascii():
            column = len(text.encode()[:column].decode(errors="replace"))
        return self._starts[line - 1] + column

    def span(self, node: ast.expr | ast.stmt | ast.keyword) -> tuple[int, int]:
        """(start, end) offsets of a node."""
        assert node.end_lineno is not None and node.end_col_offset is not None
        return (
            self.offset(node.lineno, node.col_offset),
            self.offset(node.end_lineno, node.end_col_offset),
        )

    def segment(self, node: ast.expr | ast.stmt | ast.keyword) -> str:
        """The text of a node, without what stands around it on its lines."""
        start, end = self.span(node)
        return self.text[start:end]

    def edited(self, node: ast.expr | ast.stmt, edits: Iterable[Edit]) -> str:
        """`segment` with those of `edits` that lie inside it."""
        start, end = self.span(node)
        return self.splice(start, end, edits)

    def splice(self, start: int, end: int, edits: Iterable[Edit]) -> str:
        """The text from `start` to `end` with the edits that lie inside; outer edits win."""
        parts: list[str] = []
        position = start
        for first, last, new in sorted(set(edits), key=lambda edit: (edit[0], -edit[1])):
            if first < position or last > end:
                continue
            parts.append(self.text[position:first])
            parts.append(new)
            position = last
        parts.append(self.text[position:end])
        return "".join(parts)

    def first_line(self, stmt: ast.stmt) -> int:
        """The first line of a statement, decorators included."""
        return first_line(stmt)

    def indent(self, stmt: ast.stmt) -> str:
        """The white space that a statement's first line begins with."""
        return indentation(self.lines[self.first_line(stmt) - 1])

    def trivia(self, previous_end: int, stmt: ast.stmt) -> list[str]:
        """The lines (blank ones and comments) between line `previous_end` and `stmt`."""
        return self.lines[previous_end : self.first_line(stmt) - 1]

    def comments_above(self, stmt: ast.stmt) -> list[str]:
        """The comment lines that stand directly above a statement, without their indentation."""
        lines: list[str] = []
        number = self.first_line(stmt) - 1
        while number >= 1 and self.lines[number - 1].lstrip().startswith("#"):
            lines.insert(0, self.lines[number - 1].strip())
            number -= 1
        return [line for line in lines if not line.startswith("#!")]

    def leads(self, stmt: ast.stmt) -> bool:
        """Whether another statement stands directly below, so that a comment may be on both."""
        below = (stmt.end_lineno or stmt.lineno) + 1
        line = self.lines[below - 1].strip() if below <= len(self.lines) else ""
        return bool(line) and not line.startswith("#")

    def comment_behind(self, stmt: ast.stmt) -> str:
        """The comment on a statement's last line, "" if there is none."""
        last = self.lines[(stmt.end_lineno or stmt.lineno) - 1]
        rest = last.encode()[stmt.end_col_offset or 0 :].decode().strip()
        return rest if rest.startswith("#") else ""

    def statement(self, stmt: ast.stmt, edits: Iterable[Edit], indent: str) -> list[str]:
        """The lines of a statement with `edits`, first line moved to `indent`.

        Continuation lines move by as much, except where they lie inside a string.
        """
        first = self.first_line(stmt)
        last = stmt.end_lineno or first
        return self.block(first, last, edits, self.indent(stmt), indent)

    def block(
        self, first: int, last: int, edits: Iterable[Edit], old: str, new: str
    ) -> list[str]:
        """Lines `first`..`last` with `edits`, moved from indentation `old` to `new`."""
        edits = sorted(
            (e for e in set(edits) if e[0] >= self._starts[first - 1] and e[1] <= self._starts[last]),
            key=lambda edit: (edit[0], -edit[1]),
        )
        marked: list[str] = []
        for number in range(first, last + 1):
            keep = number in self._inside_string
            marked.append("\0" if keep else "\1")
        text = ""
        position = self._starts[first - 1]
        for number in range(first, last + 1):
            begin, end = self._starts[number - 1], self._starts[number]
            if position > begin:
                begin = position
            else:
                text += marked[number - first]
            while edits and edits[0][0] < end:
                start, stop, replacement = edits.pop(0)
                if start < begin:
                    continue
                text += self.text[begin:start] + replacement
                begin = stop
            if begin < end:
                text += self.text[begin:end]
            position = max(begin, end)
        lines = []
        for line in lines_of(text, keepends=True):
            mark, body = (line[0], line[1:]) if line[:1] in "\0\1" else ("\1", line)
            body = body.replace("\0", "").replace("\1", "")
            if mark == "\1" and body.strip():
                body = moved(body, old, new)
            lines.append(body)
        return lines


def _indent_unit(tree: ast.Module, lines: list[str]) -> str:
    """What one level of indentation looks like in this file."""
    for stmt in tree.body:
        body = getattr(stmt, "body", None)
        if isinstance(body, list) and body and body[0].lineno > stmt.lineno:
            if found := indentation(lines[body[0].lineno - 1]):
                return found
    return "    "


def reindent(lines: Iterable[str], old: str, new: str) -> list[str]:
    """Comment and blank lines moved from indentation `old` to `new`."""
    return [moved(line, old, new) if line.strip() else line for line in lines]
