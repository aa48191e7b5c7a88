"""`int(2 * labels[i])` of an array of rows with one element each: NumPy takes no arrays there."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from migrator.analysis.tree_walk import walk
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform
from migrator.model import Confidence

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "PY229"
_NUMBERS = frozenset({"int", "float", "complex"})
_COLUMN = re.compile(r",\s*1\s*,?\s*[)\]]")  # what a shape ends in
_SHAPE_FIRST = frozenset({"zeros", "ones", "empty", "full"})
_SIZED = "numpy.random."  # np.random.randint(0, 2, size=shape)
_SAME_SHAPE = frozenset({"astype", "copy"})


@transform
class ArrayNumbers:
    """PY229: a row that has one element is asked for it before it becomes a number.

    NumPy 2.4 converts arrays without dimensions only. What the rows hold is read from the shape that
    the array was made with, where everything assigned to its name in the file has such a shape.
    """

    name = "array_numbers"
    triggers = frozenset({"numpy.*"})
    order = 87

    def run(self, ctx: FileContext) -> str | None:
        if not _COLUMN.search(ctx.text):
            return None
        calls = [
            node for node in walk(ctx.tree)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
            and node.func.id in _NUMBERS and len(node.args) == 1 and not node.keywords
            and any(isinstance(part, ast.Subscript) for part in ast.walk(node.args[0]))
        ]
        if not calls:
            return None
        columns = _columns(ctx)
        lines = Lines(ctx.text)
        edits: list[Edit] = []
        for call in calls:
            if ctx.names.resolve_node(call.func) not in (None, f"builtins.{call.func.id}"):  # type: ignore[attr-defined]
                continue
            rows = [row for row in _rows(call.args[0]) if _key(row.value) in columns]
            if not rows or ctx.suppressed(CODE, call):
                continue
            edits += [Edit(end, end, (".item()",)) for end in (lines.span(row)[1] for row in rows)]
            ctx.change(CODE, call, "NumPy makes numbers of arrays without dimensions only",
                       confidence=Confidence.LIKELY)
        return apply(ctx.text, edits)[0] if edits else None


def _rows(node: ast.expr) -> list[ast.Subscript]:
    """What arithmetic inside of a conversion takes by one index."""
    if isinstance(node, ast.BinOp):
        return _rows(node.left) + _rows(node.right)
    if isinstance(node, ast.UnaryOp):
        return _rows(node.operand)
    if isinstance(node, ast.Subscript) and isinstance(
        node.slice, (ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp)
    ):
        return [node]
    return []


def _key(node: ast.expr) -> str:
    """A name, or an attribute of one."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return ""


def _columns(ctx: FileContext) -> set[str]:
    """Names that hold nothing but arrays of two dimensions, the last of which is 1."""
    assigned: dict[str, list[ast.expr]] = {}
    stores: dict[str, int] = {}
    for node in walk(ctx.tree):
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Store):
            stores[_key(node)] = stores.get(_key(node), 0) + 1
        elif isinstance(node, ast.arg):
            stores[node.arg] = stores.get(node.arg, 0) + 1
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            assigned.setdefault(_key(node.targets[0]), []).append(node.value)
    return {
        key for key, values in assigned.items()
        if key and stores.get(key) == len(values) and all(_is_column(ctx, v) for v in values)
    }


def _is_column(ctx: FileContext, value: ast.expr) -> bool:
    while (
        isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute)
        and value.func.attr in _SAME_SHAPE
    ):
        value = value.func.value
    if not isinstance(value, ast.Call):
        return False
    if isinstance(value.func, ast.Attribute) and value.func.attr == "reshape":
        given = value.args[0] if len(value.args) == 1 else ast.Tuple(value.args)
        return _ends_in_one(given)
    name = ctx.names.resolve_node(value.func) or ""
    if name.startswith(_SIZED):
        size = next((k.value for k in value.keywords if k.arg == "size"), None)
        return size is not None and _ends_in_one(size)
    if name.removeprefix("numpy.") in _SHAPE_FIRST:
        shape = value.args[0] if value.args else next(
            (k.value for k in value.keywords if k.arg == "shape"), None)
        return shape is not None and _ends_in_one(shape)
    return False


def _ends_in_one(shape: ast.expr) -> bool:
    return (
        isinstance(shape, (ast.Tuple, ast.List)) and len(shape.elts) == 2
        and isinstance(shape.elts[1], ast.Constant) and shape.elts[1].value == 1
    )
