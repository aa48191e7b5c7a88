"""Takes whole statements out of a text, and keeps blocks from becoming empty."""

from __future__ import annotations

import ast

from migrator.analysis.tree_walk import walk
from migrator.engine.edits import Edit, Lines
from migrator.model import Change


class Deletions:
    """Statements to delete; `edits` says how, once all are known."""

    def __init__(self, text: str, tree: ast.Module, lines: Lines) -> None:
        self.text = text
        self.tree = tree
        self.lines = lines
        self._wanted: dict[int, tuple[ast.stmt, Change]] = {}

    def add(self, statement: ast.stmt, change: Change) -> None:
        """Delete `statement`, a node of the tree."""
        self._wanted.setdefault(id(statement), (statement, change))

    def edits(self) -> list[Edit]:
        """One edit per statement: its lines go, or ``pass`` takes its place where something
        must stand."""
        if not self._wanted:
            return []
        result: list[Edit] = []
        for node in walk(self.tree):
            for field in ("body", "orelse", "finalbody"):
                block = getattr(node, field, None)
                if not isinstance(block, list) or not block:
                    continue
                doomed = [item for item in block if id(item) in self._wanted]
                if not doomed:
                    continue
                empty = len(doomed) == len(block) and not isinstance(node, ast.Module)
                for position, item in enumerate(doomed):
                    statement, change = self._wanted[id(item)]
                    result.append(self._edit(statement, change, empty and position == 0, block))
        return result

    def _edit(
        self, statement: ast.stmt, change: Change, needs_pass: bool, block: list[ast.stmt]
    ) -> Edit:
        start = self.lines.offset(statement.lineno, statement.col_offset)
        end_line = statement.end_lineno or statement.lineno
        end = self.lines.offset(end_line, statement.end_col_offset or 0)
        line_start = self.lines.starts[statement.lineno - 1]
        line_end = (
            self.lines.starts[end_line] if end_line < len(self.lines.starts) else len(self.text)
        )
        before = self.text[line_start:start]
        after = self.text[end:line_end].strip()
        alone = not before.strip() and (not after or after.startswith("#"))
        if needs_pass or not alone:
            return Edit(start, end, ("pass",), change)
        return Edit(line_start, line_end, (), change)
