"""Writes a scope's statements anew: some dropped, some edited, blocks dedented, functions added."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field

from migrator.analysis.program_items import Obstacle
from migrator.analysis.source import Edit, SourceText, reindent
from migrator.analysis.tree_walk import walk

_HEADER_WORDS = {"orelse": "else", "finalbody": "finally"}


@dataclass
class Decisions:
    """What becomes of each statement, by `id` of its `ast` node.

    `dropped`: gone. `replaced`: new lines without indentation (None text keeps it). `opened`:
    `with` statements that lose their header. `headers`: `with` statements that get a new header
    text. `before`: lines (without indentation) to put in front of a statement, `after`: behind.
    `edits`: replacements inside kept statements.
    """

    dropped: set[int] = field(default_factory=set)
    replaced: dict[int, list[str]] = field(default_factory=dict)
    opened: set[int] = field(default_factory=set)
    headers: dict[int, str] = field(default_factory=dict)
    before: dict[int, list[str]] = field(default_factory=dict)
    after: dict[int, list[str]] = field(default_factory=dict)
    edits: list[Edit] = field(default_factory=list)


class Renderer:
    """Renders blocks of statements under `decisions`; linear in the text."""

    def __init__(self, source: SourceText, decisions: Decisions) -> None:
        self.source = source
        self.decisions = decisions
        self._touched: dict[int, bool] = {}
        self._generated_end = False

    def touched(self, stmt: ast.stmt) -> bool:
        """Whether a decision concerns this statement or one inside it."""
        found = self._touched.get(id(stmt))
        if found is None:
            d = self.decisions
            own = id(stmt)
            found = (
                own in d.dropped or own in d.replaced or own in d.opened or own in d.headers
                or own in d.before or own in d.after
            ) or any(self.touched(inner) for block in _child_blocks(stmt) for inner in block)
            self._touched[own] = found
        return found

    def block(
        self, statements: list[ast.stmt], previous_end: int, new: str | None = None
    ) -> list[str]:
        """The lines of a block moved to the indentation `new` (its own by default).

        `previous_end` is the line after which the block's first comment or blank line may stand.
        """
        lines: list[str] = []
        old = self.source.indent(statements[0])
        new = old if new is None else new
        lost = 0
        above: ast.stmt | None = None
        for statement in statements:
            if previous_end and self.source.first_line(statement) <= previous_end:
                goes_on = (statement.end_lineno or 0) > previous_end
                if self.touched(statement) or above is not None and (goes_on or self.touched(above)):
                    raise Obstacle(statement, "two statements share a line", "write one statement per line")
                if above is not None:
                    continue  # it stands on the line that is written already
            above = statement
            written = self._statement(statement, previous_end, old, new)
            if self._generated_end and lines and not lines[-1].strip():
                while written and not written[0].strip():
                    written.pop(0)
            if not lines and statement is not statements[0]:
                while written and not written[0].strip():
                    written.pop(0)
            blank = 0
            for line in self.source.trivia(previous_end, statement):
                blank = blank + 1 if not line.strip() else 0
            lost = max(lost, blank)
            if written and lines:
                leading = next((i for i, line in enumerate(written) if line.strip()), 0)
                trailing = 0 if lines[-1].strip() else 9
                written[:0] = ["\n"] * (lost - leading - trailing)
            if written:
                lost = 0
            if written:
                self._generated_end = id(statement) in self.decisions.after
            lines += written
            previous_end = statement.end_lineno or previous_end
        return lines

    def _statement(
        self, stmt: ast.stmt, previous_end: int, old: str, new: str
    ) -> list[str]:
        d = self.decisions
        trivia = reindent(self.source.trivia(previous_end, stmt), old, new)
        lines: list[str] = []
        before = _indented(d.before.get(id(stmt), []), new)
        trivia = trivia + before
        if id(stmt) in d.dropped or self._emptied(stmt):
            lines += before
        elif id(stmt) in d.replaced:
            lines += trivia + _indented(self._commented(stmt, d.replaced[id(stmt)]), new)
        elif id(stmt) in d.opened:
            assert isinstance(stmt, ast.With)
            inner = self.block(stmt.body, self._header_end(stmt), new)
            while trivia and not trivia[-1].strip() and inner and not inner[0].strip():
                inner.pop(0)
            lines += trivia + inner
        elif self.touched(stmt):
            body = self._compound(stmt, old, new)
            lines += trivia + body if body else before  # its comments went where its statements did
        else:
            lines += trivia + self.source.statement(stmt, d.edits, new)
        if id(stmt) in d.after:
            lines += _indented(d.after[id(stmt)], new)
        return lines

    def _commented(self, stmt: ast.stmt, lines: list[str]) -> list[str]:
        """The one line that replaces a statement keeps the comment behind the statement."""
        rest = self.source.comment_behind(stmt)
        if len(lines) != 1 or not rest or "#" in lines[0]:
            return lines
        return [f"{lines[0]}  {rest}"]

    def _emptied(self, stmt: ast.stmt) -> bool:
        """An `if` without side effects all of whose statements are gone goes too, and a `try`."""
        if not isinstance(stmt, (ast.If, ast.Try)) or id(stmt) in self.decisions.after:
            return False
        gone = self.decisions.dropped
        if isinstance(stmt, ast.Try):
            return all(
                id(inner) in gone and id(inner) not in self.decisions.after
                for block in (stmt.body, *(h.body for h in stmt.handlers), stmt.orelse,
                              stmt.finalbody)
                for inner in block
            )
        return all(
            id(inner) in gone and id(inner) not in self.decisions.after or self._emptied(inner)
            for inner in [*stmt.body, *stmt.orelse]
        ) and not any(
            isinstance(node, (ast.Call, ast.NamedExpr, ast.Await)) for node in walk(stmt.test)
        )

    def _compound(self, stmt: ast.stmt, old: str, new: str) -> list[str]:
        if not any(_child_blocks(stmt)):
            return self.source.statement(stmt, self.decisions.edits, new)
        if isinstance(stmt, ast.Try) and not stmt.handlers and all(
            id(inner) in self.decisions.dropped for inner in stmt.finalbody
        ):
            return self.block(stmt.body, stmt.lineno, new)
        lines: list[str] = []
        first = self.source.first_line(stmt)
        position = first
        for kind, node, block in _labelled_blocks(stmt):
            if not block:
                continue
            if kind == "body":
                end = self._header_end(stmt)
                if id(stmt) in self.decisions.headers:
                    header = _indented([self.decisions.headers[id(stmt)]], new)
                else:
                    header = self.source.block(first, end, self.decisions.edits, old, new)
            elif kind == "handler":
                assert isinstance(node, ast.ExceptHandler)
                end = self._line_with_colon(node.lineno, node.body[0])
                header = reindent(self.source.lines[position : node.lineno - 1], old, new)
                header += self.source.block(node.lineno, end, self.decisions.edits, old, new)
            else:
                inner = block[0]
                text = self.source.lines[inner.lineno - 1].lstrip() if kind == "orelse" else ""
                if len(block) == 1 and isinstance(inner, ast.If) and text.startswith("elif"):
                    lines += reindent(self.source.lines[position : inner.lineno - 1], old, new)
                    lines += self._compound(inner, old, new)
                    position = stmt.end_lineno or position
                    continue
                end = self._keyword_line(_HEADER_WORDS[kind], position, inner)
                header = reindent(self.source.lines[position : end], old, new)
            body = self.block(block, end, new + self._step(block, old))
            while body and not body[-1].strip():
                body.pop()
            if any(line.strip() for line in body):
                lines += header + body
            elif kind in ("body", "handler"):
                lines += header + _indented(["pass"], new + self._step(block, old))
            position = block[-1].end_lineno or position
        return lines

    def _step(self, block: list[ast.stmt], old: str) -> str:
        return self.source.indent(block[0])[len(old) :] or "    "

    def _header_end(self, stmt: ast.stmt) -> int:
        body: list[ast.stmt] = stmt.body  # type: ignore[attr-defined]
        last = stmt.lineno
        for name in ("test", "iter", "items"):
            part = getattr(stmt, name, None)
            if isinstance(part, ast.expr):
                last = max(last, part.end_lineno or last)
            elif isinstance(part, list):
                for item in part:
                    node = item.optional_vars or item.context_expr
                    last = max(last, node.end_lineno or last)
        return self._line_with_colon(last, body[0])

    def _line_with_colon(self, start: int, first: ast.stmt) -> int:
        limit = self.source.first_line(first)
        for number in range(start, limit):
            if re.search(r":\s*(#.*)?$", self.source.lines[number - 1].rstrip()):
                return number
        raise Obstacle(first, "a block begins on the line of its header",
                       "put the block on lines of its own")

    def _keyword_line(self, word: str, position: int, first: ast.stmt) -> int:
        for number in range(self.source.first_line(first) - 1, position - 1, -1):
            if re.match(rf"\s*{word}\s*:", self.source.lines[number - 1]):
                return number
        raise Obstacle(first, "a block begins on the line of its header",
                       "put the block on lines of its own")


def _child_blocks(stmt: ast.AST) -> list[list[ast.stmt]]:
    if isinstance(stmt, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
        return [stmt.body]
    blocks = [getattr(stmt, name, None) or [] for name in ("body", "orelse", "finalbody")]
    blocks += [handler.body for handler in getattr(stmt, "handlers", [])]
    return [block for block in blocks if isinstance(block, list) and block]


def _labelled_blocks(stmt: ast.AST) -> list[tuple[str, ast.AST, list[ast.stmt]]]:
    result: list[tuple[str, ast.AST, list[ast.stmt]]] = [("body", stmt, stmt.body)]  # type: ignore[attr-defined]
    result += [("handler", h, h.body) for h in getattr(stmt, "handlers", [])]
    result += [(n, stmt, getattr(stmt, n, [])) for n in ("orelse", "finalbody")]
    return result


def _indented(lines: list[str], indent: str) -> list[str]:
    return [(indent + line if line.strip() else "") + "\n" for line in lines]


def tidy(text: str) -> str:
    """No trailing blanks on empty lines, at most two empty lines in a row."""
    return re.sub(r"\n[ \t]*\n(?:[ \t]*\n){2,}", "\n\n\n", text)


def rendered(source: SourceText, tree: ast.Module, decisions: Decisions) -> str:
    """The text of a module under `decisions`. Raises Obstacle where it cannot be laid out."""
    renderer = Renderer(source, decisions)
    lines = renderer.block(tree.body, 0)
    last = tree.body[-1].end_lineno or 0
    lines += source.lines[last:]
    return tidy("".join(lines))
