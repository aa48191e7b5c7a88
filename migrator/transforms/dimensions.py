"""Drops `.value` from static dimensions: a TF2 shape holds plain integers.

In TF1 `tensor.shape[i]` was a `Dimension`, whose integer was its `.value`; in TF2 it is the integer
itself (or None) and has no such attribute. `TensorShape.dims` still gives Dimensions and is left. An
unknown dimension was printed as ``?``: who compares with that asks for None.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from migrator.analysis.rebound_shapes import dimensions_for_a_while
from migrator.analysis.static_shapes import ASKED_OF_SHAPES, DIMENSION, applied, kind, kinds
from migrator.analysis.tree_walk import walk
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "TF130"
_WORDS = ("shape", "Shape", "_rank")  # without one of them there is nothing to find


def _unknown(node: ast.AST) -> ast.expr | None:
    """What is asked whether it is unknown by what TF1 printed for it: ``str(dimension) == '?'``."""
    if not (isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Eq, ast.NotEq))):
        return None
    sides = (node.left, *node.comparators)
    text = next((side for side in sides if isinstance(side, ast.Call)), None)
    if len(sides) != 2 or text is None or not any(
        isinstance(side, ast.Constant) and side.value == "?" for side in sides
    ):
        return None
    named = isinstance(text.func, ast.Name) and text.func.id in ("str", "repr")
    return text.args[0] if named and len(text.args) == 1 else None


def _of_dimensions(tree: ast.Module) -> list[ast.Attribute | ast.Compare]:
    """`dimension.value`, and questions whether a dimension is unknown, in no particular order."""
    found: list[ast.Attribute | ast.Compare] = []
    for_a_while = dimensions_for_a_while(tree)
    for node, names in kinds(tree):
        if isinstance(node, ast.Attribute) and node.attr == "value":
            if kind(node.value, names) == DIMENSION or id(node.value) in for_a_while:
                found.append(node)
        elif (asked := _unknown(node)) is not None and kind(asked, names) == DIMENSION:
            assert isinstance(node, ast.Compare)
            found.append(node)
    return found


@dataclass(frozen=True)
class _WholeShape:
    """An expression that lists the integers of a shape and does nothing else with them.

    ``list(map(lambda d: d.value, shape))``, ``[d.value for d in shape]``
    """

    node: ast.expr
    value: ast.expr
    shape: ast.expr
    before: str
    after: str


def _whole_shapes(tree: ast.Module, hits: set[int]) -> list[_WholeShape]:
    found: list[_WholeShape] = []
    around: dict[int, tuple[ast.expr, str, str]] = {}  # what takes any iterable, of the iterables
    for node in walk(tree):  # what is around comes first
        if isinstance(node, (ast.For, ast.comprehension)):
            around[id(node.iter)] = node.iter, "", ""
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
            around[id(node.value)] = node.value, "", ""
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and (
                node.func.id in ("list", "tuple") and len(node.args) == 1 and not node.keywords):
            around[id(node.args[0])] = node, f"{node.func.id}(", ")"
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
            part = node.generators[0]
            if len(node.generators) > 1 or part.ifs or isinstance(node, ast.GeneratorExp) and (
                    id(node) not in around):
                continue
            value, target, shape = node.elt, getattr(part.target, "id", ""), part.iter
        elif isinstance(node, ast.Call) and (function := applied(node, ("map",))) is not None:
            value, target, shape = function.body, function.args.args[0].arg, node.args[1]
        else:
            continue
        if id(value) in hits and isinstance(value, ast.Attribute) and (
                isinstance(value.value, ast.Name) and value.value.id == target):
            outer, before, after = around.get(id(node), (node, "list(", ")"))
            found.append(_WholeShape(outer, value, shape, before, after))
    return found


def _to_itself(tree: ast.Module) -> dict[int, ast.Assign]:
    """``height = height.value``, by the id of its value: nothing is left to do. One statement of each block
    stays."""
    found: dict[int, ast.Assign] = {}
    for node in walk(tree):
        for block in (getattr(node, "body", None), getattr(node, "orelse", None)):
            for statement in block[1:] if isinstance(block, list) else ():
                match statement:
                    case ast.Assign([ast.Name(name)], ast.Attribute(ast.Name(of), "value")) if name == of:
                        found[id(statement.value)] = statement
    return found


def _line(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The span of a statement that has its line for itself, up to a comment that stays, else of the line."""
    first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end) + 1 or len(text)
    before, behind = text[first:start], text[end:last].lstrip(" \t")
    if before.strip():
        return None
    if behind.startswith("#"):
        return start, last - len(behind)
    return None if behind.strip() else (first, last)


@transform
class StaticDimensions:
    """TF130: `.value` of a static dimension."""

    name = "dimensions"
    triggers = frozenset({"tensorflow.*"})
    words = ASKED_OF_SHAPES | {"get_shape"}
    order = 60

    def run(self, ctx: FileContext) -> str | None:
        asked = any(text in ctx.text for text in (".value", "'?'", '"?"'))
        if not asked or not any(word in ctx.text for word in _WORDS):
            return None
        hits = [n for n in _of_dimensions(ctx.tree) if not ctx.suppressed(CODE, n)]
        if not hits:
            return None
        lines, edits = Lines(ctx.text), []
        whole = _whole_shapes(ctx.tree, {id(node) for node in hits})
        for listed in whole:
            ctx.change(CODE, listed.node, "a shape holds plain integers in TF2")
            span = lines.span(listed.shape)
            edits.append(Edit(*lines.span(listed.node), (listed.before, span, listed.after)))
        gone = {id(listed.value) for listed in whole}
        idle = _to_itself(ctx.tree)
        for node in hits:
            if id(node) in gone:
                continue
            if (dimension := _unknown(node)) is not None:
                assert isinstance(node, ast.Compare)
                is_none = " is None" if isinstance(node.ops[0], ast.Eq) else " is not None"
                ctx.change(CODE, node, "an unknown dimension is None in TF2")
                edits.append(Edit(*lines.span(node), (lines.span(dimension), is_none)))
                continue
            assert isinstance(node, ast.Attribute)
            assert node.end_lineno and node.end_col_offset
            end = lines.offset(node.end_lineno, node.end_col_offset)
            start = ctx.text.rfind(".", 0, end)
            if start < 0 or ctx.text[start:end].strip(". \t") != "value":
                continue  # the dot stands on another line
            ctx.change(CODE, node, "a dimension of a shape is a plain integer in TF2")
            if id(node) in idle and (line := _line(ctx.text, *lines.span(idle[id(node)]))) is not None:
                edits.append(Edit(*line, ()))
                continue
            edits.append(Edit(start, end, ()))
        return apply(ctx.text, edits)[0] if edits else None
