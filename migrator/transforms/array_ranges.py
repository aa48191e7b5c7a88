"""`rows.ptp(0)` of an array, a method that NumPy 2 removed: `np.ptp(rows, 0)` gives the same numbers."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrator.analysis.tree_walk import walk
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform
from migrator.model import Confidence
from migrator.transforms.array_bytes import is_no_module

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "PY237"
_OPTIONS = frozenset({"axis", "out", "keepdims"})


@transform
class ArrayRanges:
    """PY237: how far the values of an array reach is asked of NumPy.

    `np.ptp` calls the method of what is no array but has one. Where a file defines one by this name, what
    it takes is not known, and all stays.
    """

    name = "array_ranges"
    triggers: frozenset[str] = frozenset()
    words = frozenset({".ptp("})
    order = 87

    def run(self, ctx: FileContext) -> str | None:
        if any(isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == "ptp"
               for node in walk(ctx.tree)):
            return None
        lines, edits = Lines(ctx.text), list[Edit]()
        for node in walk(ctx.tree):
            if not isinstance(node, ast.Call) or not self._is_method(ctx, node) or ctx.suppressed(CODE, node):
                continue
            assert isinstance(node.func, ast.Attribute)
            start, end = lines.span(node.func.value)
            numpy = ctx.require_import("numpy", None, "np")
            bracket = ctx.text.index("(", lines.span(node.func)[1]) + 1
            tail = ", " if node.args or node.keywords else ""
            # Brackets around the array and white space ahead of the dot go with the method.
            edits.append(Edit(lines.span(node)[0], bracket, (f"{numpy}.ptp(", (start, end), tail)))
            ctx.change(CODE, node, "NumPy 2 removed the method ptp; np.ptp gives the same",
                       confidence=Confidence.LIKELY)
        return apply(ctx.text, edits)[0] if edits else None

    @staticmethod
    def _is_method(ctx: FileContext, call: ast.Call) -> bool:
        method = call.func
        if not (isinstance(method, ast.Attribute) and method.attr == "ptp" and len(call.args) < 3
                and not any(isinstance(a, ast.Starred) for a in call.args)
                and {word.arg for word in call.keywords} <= _OPTIONS):
            return False
        return not isinstance(method.value, ast.GeneratorExp) and is_no_module(ctx, method.value)
