"""`inspect.getargspec`, which Python 3.11 no longer has: its record had four fields, not seven.

`getfullargspec(f).args` has the fields by the same names (`keywords` is `varkw`); where the record
is unpacked, indexed or passed on, its first four are taken.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrator.analysis.tree_walk import children, walk
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform
from migrator.model import Rung

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "PY212"
_OLD = "inspect.getargspec"
_REASON = "inspect.getargspec was removed from Python 3.11"


@transform
class ArgSpec:
    """PY212: inspect.getargspec is getfullargspec, whose record is longer."""

    name = "argspec"
    triggers = frozenset({_OLD})
    order = 6

    def run(self, ctx: FileContext) -> str | None:
        if "getargspec" not in ctx.text:
            return None
        lines = Lines(ctx.text)
        edits: list[Edit] = []
        parents = {id(child): node for node in walk(ctx.tree)
                   for child in children(node)}  # fmt: skip
        for node in walk(ctx.tree):
            if not isinstance(node, (ast.Attribute, ast.Name)) or ctx.suppressed(CODE, node):
                continue
            if not isinstance(node.ctx, ast.Load) or ctx.names.resolve_node(node) != _OLD:
                continue
            end = lines.offset(node.end_lineno or 0, node.end_col_offset or 0)
            start = end - len("getargspec")
            if ctx.text[start:end] == "getargspec":  # not under a name of the import's own
                edits.append(Edit(start, end, ("getfullargspec",)))
            call = parents.get(id(node))
            if isinstance(call, ast.Call) and call.func is node:
                edits += self._fields(call, parents.get(id(call)), lines)
            ctx.change(CODE, node, _REASON, Rung.NATIVE)
        for statement in walk(ctx.tree):
            if isinstance(statement, ast.ImportFrom) and statement.module == "inspect":
                edits += [
                    self._imported(alias, lines)
                    for alias in statement.names
                    if alias.name == "getargspec"
                ]
        return apply(ctx.text, edits)[0] if edits else None

    @staticmethod
    def _fields(call: ast.Call, parent: ast.AST | None, lines: Lines) -> list[Edit]:
        end = lines.offset(call.end_lineno or 0, call.end_col_offset or 0)
        if not isinstance(parent, ast.Attribute):
            return [Edit(end, end, ("[:4]",))]
        if parent.attr == "keywords":
            last = lines.offset(parent.end_lineno or 0, parent.end_col_offset or 0)
            return [Edit(last - len("keywords"), last, ("varkw",))]
        return []

    @staticmethod
    def _imported(alias: ast.alias, lines: Lines) -> Edit:
        start = lines.offset(alias.lineno, alias.col_offset)
        new = "getfullargspec"
        return Edit(start, start + len("getargspec"), (new,))
