"""`np.array(x, copy=False)`: NumPy 2 refuses where it must copy, which NumPy 1 then did."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrator.analysis.tree_walk import calls_in
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform
from migrator.model import Rung

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "PY239"


@transform
class ArrayCopies:
    """PY239: arrays that are copied only if need be say `copy=None`, which NumPy 1 takes for the same."""

    name = "array_copies"
    triggers = frozenset({"numpy.array"})
    words = frozenset({"copy"})
    order = 10

    def run(self, ctx: FileContext) -> str | None:
        lines, edits = Lines(ctx.text), list[Edit]()
        for call in calls_in(ctx.tree):
            said = next((keyword.value for keyword in call.keywords if keyword.arg == "copy"), None)
            if isinstance(said, ast.Constant) and said.value in (False, 0) and (
                    ctx.names.resolve_node(call.func) == "numpy.array" and not ctx.suppressed(CODE, call)):
                edits.append(Edit(*lines.span(said), ("None",)))
                ctx.change(CODE, call, "copy=False refuses in NumPy 2 where it must copy", Rung.NATIVE)
        return apply(ctx.text, edits)[0] if edits else None
