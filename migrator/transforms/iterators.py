"""`dataset.make_one_shot_iterator()`, which TF2's data sets do not have, as a support function.

This is for what the session programs and the input pipelines left: iterators of data sets that come
from elsewhere, in helpers and in tests.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrator.analysis.tree_walk import walk
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform
from migrator.model import Rung

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "TF502"
_METHODS = frozenset({"make_one_shot_iterator", "make_initializable_iterator"})


def iterator_calls(ctx: FileContext) -> list[ast.Call]:
    """Calls of the methods that make iterators; functions of tf.data by that name are others'."""
    found = []
    for node in walk(ctx.tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        if node.func.attr not in _METHODS or node.args:
            continue
        name = ctx.names.resolve_node(node.func, values=False) or ""
        if name.rpartition(".")[0] not in ("tensorflow.data", "tensorflow.compat.v2.data"):
            found.append(node)
    return found


@transform
class Iterators:
    """TF502: iterators of data sets, as far as others left them."""

    name = "iterators"
    triggers = frozenset({"tensorflow.*"})
    order = 66

    def run(self, ctx: FileContext) -> str | None:
        if not any(f".{name}(" in ctx.text for name in _METHODS):
            return None
        lines, edits = Lines(ctx.text), []
        for call in iterator_calls(ctx):
            assert isinstance(call.func, ast.Attribute)
            owner = call.func.value
            start, end = lines.span(owner)
            bracket = ctx.text.index("(", ctx.text.index(call.func.attr, end))
            if ctx.suppressed(CODE, call) or ctx.text[end:bracket].strip(". \n\\\t") != call.func.attr:
                continue
            made = ctx.support(f"iterators.{call.func.attr}")
            comma = ", " if call.keywords else ""
            before = ctx.text[lines.span(call)[0] : start]
            edits.append(
                Edit(start - len(before), bracket + 1, (before, f"{made}(", (start, end), comma))
            )
            ctx.change(CODE, call, "TF2's data sets are iterables", Rung.SUPPORT)
        return apply(ctx.text, edits)[0] if edits else None
