"""`image.tostring()` of an array, which NumPy 2.3 removed: `tobytes()` gives the same bytes."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrator.analysis.tree_walk import walk
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform
from migrator.model import Confidence

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "PY232"
_OLD, _NEW = "tostring", "tobytes"
_ORDERS = frozenset("CFAK")


@transform
class ArrayBytes:
    """PY232: arrays give their bytes by `tobytes()`.

    NumPy's and the standard library's arrays lost `tostring()`, memory views never had another
    name than `tobytes`. Functions of modules (`ElementTree.tostring(tree)`) take what they write as
    an argument and stay, and so do the method in files that define one by this name, and that of an
    object of another library's class (`svgwrite.Drawing().tostring()`).
    """

    name = "array_bytes"
    triggers: frozenset[str] = frozenset()
    words = frozenset({f".{_OLD}("})
    order = 87

    def run(self, ctx: FileContext) -> str | None:
        lines, edits = Lines(ctx.text), list[Edit]()
        for node in walk(ctx.tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == _OLD:
                return None
            if not isinstance(node, ast.Call) or not self._is_method(ctx, node):
                continue
            end = lines.span(node.func)[1]
            if ctx.suppressed(CODE, node) or ctx.text[end - len(_OLD) : end] != _OLD:
                continue
            edits.append(Edit(end - len(_OLD), end, (_NEW,)))
            ctx.change(CODE, node, "NumPy 2.3 removed tostring; tobytes gives the same bytes",
                       confidence=Confidence.LIKELY)
        return apply(ctx.text, edits)[0] if edits else None

    @staticmethod
    def _is_method(ctx: FileContext, call: ast.Call) -> bool:
        method = call.func
        if not isinstance(method, ast.Attribute) or method.attr != _OLD or call.keywords:
            return False
        orders = [a.value for a in call.args if isinstance(a, ast.Constant)]
        if len(call.args) > 1 or len(orders) != len(call.args) or not set(orders) <= _ORDERS:
            return False
        return is_no_module(ctx, method.value)


def is_no_module(ctx: FileContext, owner: ast.expr) -> bool:
    """Whether what a method is called on is nothing that the file imports, and no object of a class that it
    imports of others than NumPy."""
    made = (ctx.names.resolve_node(owner) or "").partition("(")
    if made[1] and made[0].rpartition(".")[2][:1].isupper() and not made[0].startswith("numpy."):
        return False
    if not isinstance(owner, (ast.Name, ast.Attribute)):
        return True
    symbol = ctx.names.resolve_node(owner, values=False)
    return symbol is None or symbol.startswith("builtins.")
