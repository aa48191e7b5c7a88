"""`np.cast[T](x)`: NumPy 2 has arrays' `astype` only."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrator.analysis.tree_walk import walk
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform
from migrator.model import Rung

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "PY229"


@transform
class ArrayCasts:
    """PY229: casts by the table `numpy.cast`, which NumPy 2 does not have."""

    name = "array_casts"
    triggers = frozenset({"numpy.*"})
    order = 10  # before the table says that the name is gone

    def run(self, ctx: FileContext) -> str | None:
        if ".cast[" not in ctx.text:
            return None
        lines, edits = Lines(ctx.text), []
        for call in walk(ctx.tree):
            if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Subscript)):
                continue
            table = call.func.value
            if not isinstance(table, ast.Attribute) or len(call.args) != 1 or call.keywords:
                continue
            if ctx.names.resolve_node(table) != "numpy.cast" or ctx.suppressed(CODE, call):
                continue
            start, end = lines.span(call)
            said = {part: ctx.text[slice(*lines.span(node))]
                    for part, node in (("np", table.value), ("kind", call.func.slice))}  # fmt: skip
            edits.append(Edit(start, lines.span(call.args[0])[0], (f"{said['np']}.asarray(",)))
            edits.append(Edit(end, end, (f".astype({said['kind']})",)))
            ctx.change(CODE, call, "NumPy 2 casts arrays by astype", Rung.NATIVE)
        return apply(ctx.text, edits)[0] if edits else None
