"""`x.op.name` outside a graph: eager variables have no op, but they still have their name."""

from __future__ import annotations

import ast
import io
from typing import TYPE_CHECKING

from migrator.engine.registry import transform
from migrator.model import Rung

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "TF131"


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
        if ".op.name" not in ctx.text:
            return None
        lines = [line.encode() for line in io.StringIO(ctx.text, newline="").readlines()]
        edited = False
        # from the end, so that earlier positions stay right
        for node in sorted(op_names(ctx.tree), key=lambda n: (n.lineno, n.col_offset))[::-1]:
            assert isinstance(node.value, ast.Attribute)
            owner = node.value.value
            end = (node.end_lineno or 0, node.end_col_offset or 0)
            tail = b".op.name"
            line = lines[end[0] - 1]
            if line[end[1] - len(tail) : end[1]] != tail or ctx.suppressed(CODE, node):
                continue  # spread over lines
            function = ctx.support("names.op_name").encode()
            lines[end[0] - 1] = line[: end[1] - len(tail)] + b")" + line[end[1] :]
            start, column = owner.lineno - 1, owner.col_offset
            lines[start] = lines[start][:column] + function + b"(" + lines[start][column:]
            ctx.change(CODE, node, "eager variables have a name but no op", Rung.SUPPORT)
            edited = True
        return b"".join(lines).decode() if edited else None
