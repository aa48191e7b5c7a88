"""`x.op.name` outside a graph: eager variables have no op, but they still have their name."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform
from migrator.model import Rung

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "TF131"
_TAIL = ".op.name"


def op_names(tree: ast.Module) -> list[ast.Attribute]:
    """The `x.op.name` expressions of a module that are read."""
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr == "name"
        and isinstance(node.ctx, ast.Load)
        and isinstance(node.value, ast.Attribute)
        and node.value.attr == "op"
    ]


@transform
class OpNames:
    """TF131: the name of a variable or tensor by way of its op."""

    name = "op_names"
    triggers = frozenset({"tensorflow.*"})
    order = 70

    def run(self, ctx: FileContext) -> str | None:
        if _TAIL not in ctx.text:
            return None
        lines = Lines(ctx.text)
        edits: list[Edit] = []
        for node in op_names(ctx.tree):
            assert isinstance(node.value, ast.Attribute)
            assert node.end_lineno and node.end_col_offset
            owner = node.value.value
            end = lines.offset(node.end_lineno, node.end_col_offset)
            tail = end - len(_TAIL)
            if ctx.text[tail:end] != _TAIL or ctx.suppressed(CODE, node):
                continue  # spread over lines
            start = lines.offset(owner.lineno, owner.col_offset)
            edits.append(Edit(start, start, (f"{ctx.support('names.op_name')}(",)))
            edits.append(Edit(tail, end, (")",)))
            ctx.change(CODE, node, "eager variables have a name but no op", Rung.SUPPORT)
        return apply(ctx.text, edits)[0] if edits else None
