"""A checkpoint restored before the last statements of its graph: those come first where they can.

What follows a restore and only picks, converts or names tensors, or merges summaries, makes no
variables, so that it means the same in front of it; then all of the graph stands before the restore.
"""

from __future__ import annotations

import ast

from migrator.analysis import graph_kinds as k
from migrator.analysis.names import NameTable
from migrator.analysis.source import SourceText
from migrator.analysis.tree_walk import calls_in, walk
from migrator.transforms.sessions.helpers import LOOKS_ONLY
from migrator.transforms.sessions.reshaping.amend import Amendable

#: What may as well be made before a restore: tensors, what writes summaries, and where to.
_PRECEDE = frozenset({k.OP, k.MERGED, k.WRITER})


class EarlyRestore(Amendable):
    """A checkpoint is restored, or saved, before the graph is complete."""

    def __init__(self, call: ast.Call) -> None:
        super().__init__(call, "a checkpoint is used before the graph is complete",
                         "build the whole graph first, then restore")
        self.text = ast.unparse(call)

    def amended(self, text: str) -> str | None:
        """The statement with the restore goes behind those of its block that can precede it."""
        tree = ast.parse(text)
        names = NameTable.of(tree)
        for function in walk(tree):
            if isinstance(function, (ast.FunctionDef, ast.Module)):
                place = self._place(function.body)
                if place is not None:
                    return _moved(SourceText(text, tree), names, *place)
        return None

    def _place(self, block: list[ast.stmt]) -> tuple[list[ast.stmt], int] | None:
        """The block and the index of the statement in it that restores, `with`s entered."""
        for index, stmt in enumerate(block):
            if isinstance(stmt, (ast.FunctionDef, ast.ClassDef)) or not any(
                ast.unparse(call) == self.text for call in calls_in(stmt)
            ):
                continue
            if isinstance(stmt, ast.With):
                return self._place(stmt.body)
            return block, index
        return None


def _moved(
    source: SourceText, names: NameTable, block: list[ast.stmt], index: int
) -> str | None:
    stmt = block[index]
    loaded, stored = _touched(stmt)
    last = index
    for number, other in enumerate(block[index + 1 :], index + 1):
        uses, makes = _touched(other)
        if makes & (loaded | stored) or uses & stored or not _only_tensors(other, names):
            break
        if not _outside(other):
            last = number
    if last == index or stmt.lineno == stmt.end_lineno == block[last].lineno:
        return None
    before = block[index - 1].end_lineno or 0 if index else source.first_line(stmt) - 1
    trivia = len(source.trivia(before, stmt)) if index else 0
    first = source.first_line(stmt) - 1 - trivia
    end, after = stmt.end_lineno or stmt.lineno, block[last].end_lineno or block[last].lineno
    rows = source.lines
    return "".join([*rows[:first], *rows[end:after], *rows[first:end], *rows[after:]])


def _outside(stmt: ast.stmt) -> bool:
    """Whether a statement is surely no part of the graph: a print, or a name for a plain value."""
    if isinstance(stmt, ast.Assign):
        return isinstance(stmt.value, (ast.Constant, ast.Attribute))
    return isinstance(stmt, ast.Expr)


def _touched(stmt: ast.stmt) -> tuple[set[str], set[str]]:
    """(names and attributes that a statement reads, those that it binds or changes)."""
    loads: set[str] = set()
    stores: set[str] = set()
    for node in walk(stmt):
        if isinstance(node, ast.Name):
            (loads if isinstance(node.ctx, ast.Load) else stores).add(node.id)
        elif isinstance(node, ast.Attribute):
            (loads if isinstance(node.ctx, ast.Load) else stores).add(ast.unparse(node))
        elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            stores.add(ast.unparse(node.value))
    return loads, stores


def _only_tensors(stmt: ast.stmt, names: NameTable) -> bool:
    """Whether a statement only computes, or makes a summary writer: no variables, no runs."""
    for node in walk(stmt):
        if isinstance(node, (ast.Return, ast.Yield, ast.YieldFrom, ast.Await, ast.FunctionDef,
                             ast.ClassDef, ast.Global, ast.Nonlocal, ast.Delete, ast.With)):
            return False
        if not isinstance(node, ast.Call):
            continue
        symbol = names.resolve_node(node.func, values=False) or ""
        package = symbol.partition(".")[0]
        if kind := k.kind_of(symbol):
            if kind not in _PRECEDE or k.is_layer(symbol):
                return False
        elif package not in ("builtins", "numpy") and not (
            isinstance(node.func, ast.Attribute) and node.func.attr in LOOKS_ONLY
        ):
            return False
    return True
