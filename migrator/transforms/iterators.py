"""What TF2's data sets do not have: `dataset.make_one_shot_iterator()`, `dataset.output_types`.

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
#: Methods of data sets that make iterators.
MAKERS = frozenset({"make_one_shot_iterator", "make_initializable_iterator"})
_PARTS = frozenset({"output_types", "output_shapes", "output_classes"})
#: They take the parts of a data set's elements, so what is asked for these there is a data set.
_TAKE_PARTS = (".Iterator.from_structure", ".Iterator.from_string_handle")

_MADE_BY = ("tensorflow.data.", "tensorflow.contrib.data.")
_DATA_NAMES = ("dataset", "data_set", "iterator")


def iterator_calls(ctx: FileContext) -> list[ast.Call]:
    """Calls of the methods that make iterators; functions of tf.data by that name are others'."""
    found = []
    for node in walk(ctx.tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        if node.func.attr not in MAKERS or node.args:
            continue
        name = ctx.names.resolve_node(node.func, values=False) or ""
        if name.rpartition(".")[0] not in ("tensorflow.data", "tensorflow.compat.v2.data"):
            found.append(node)
    return found


def element_parts(ctx: FileContext) -> list[ast.Attribute]:
    """``dataset.output_types`` and its like, where that is known or named to be of a data set.

    The support package's functions ask other objects for the attribute, so a name is enough.
    """
    found, seen = [], set[int]()
    for node in walk(ctx.tree):
        if isinstance(node, ast.Call):
            name = ctx.names.resolve_node(node.func, values=False) or ""
            if name.endswith(_TAKE_PARTS):
                seen.update(id(a) for a in [*node.args, *(k.value for k in node.keywords)])
    for node in walk(ctx.tree):
        if (
            isinstance(node, ast.Attribute)
            and node.attr in _PARTS
            and isinstance(node.ctx, ast.Load)
        ):
            made = ctx.names.resolve_node(node.value) or ""
            known = id(node) in seen or made.startswith(_MADE_BY)
            if known or (not made and _named_for_data(node.value)):
                found.append(node)
    return found


def _named_for_data(owner: ast.expr) -> bool:
    """`dataset`, `self._train_dataset`, `iterator`."""
    name = owner.id if isinstance(owner, ast.Name) else getattr(owner, "attr", "")
    return name.lower().endswith(_DATA_NAMES)


@transform
class Iterators:
    """TF502: iterators of data sets, as far as others left them."""

    name = "iterators"
    triggers = frozenset({"tensorflow.*"})
    order = 66

    def run(self, ctx: FileContext) -> str | None:
        lines, edits = Lines(ctx.text), list[Edit]()
        if any(f".{name}(" in ctx.text for name in MAKERS):
            self._methods(ctx, lines, edits)
        if any(f".{name}" in ctx.text for name in _PARTS):
            self._parts(ctx, lines, edits)
        return apply(ctx.text, edits)[0] if edits else None

    @staticmethod
    def _methods(ctx: FileContext, lines: Lines, edits: list[Edit]) -> None:
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

    @staticmethod
    def _parts(ctx: FileContext, lines: Lines, edits: list[Edit]) -> None:
        for node in element_parts(ctx):
            start, end = lines.span(node.value)
            if ctx.suppressed(CODE, node) or "\n" in ctx.text[end : lines.span(node)[1]]:
                continue
            asked = ctx.support(f"iterators.{node.attr}")
            edits.append(Edit(*lines.span(node), (f"{asked}(", (start, end), ")")))
            ctx.change(CODE, node, "TF2's data sets describe their elements by element_spec",
                       Rung.SUPPORT)
