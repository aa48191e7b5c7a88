"""`figure.add_subplot('111')`: matplotlib takes the position as a number since 3.3."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "PY225"
_METHODS = frozenset({"add_subplot", "subplot"})


@transform
class SubplotNumbers:
    """PY225: positions of subplots that are written as strings of three digits."""

    name = "subplot_numbers"
    triggers = frozenset({"matplotlib.*"})
    words = frozenset({"add_subplot"})
    order = 85

    def run(self, ctx: FileContext) -> str | None:
        if "subplot(" not in ctx.text:
            return None
        lines, edits = Lines(ctx.text), []
        for node in ast.walk(ctx.tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            if node.func.attr not in _METHODS or len(node.args) != 1:
                continue
            place = node.args[0]
            if not (isinstance(place, ast.Constant) and isinstance(place.value, str)):
                continue
            if len(place.value) != 3 or not place.value.isdigit() or ctx.suppressed(CODE, node):
                continue
            edits.append(Edit(*lines.span(place), (place.value,)))
            ctx.change(CODE, node, "matplotlib takes the position as a number")
        return apply(ctx.text, edits)[0] if edits else None
