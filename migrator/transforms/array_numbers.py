"""`int(2 * labels[i])` of rows with one element, `int(np.random.rand(1) * n)`: no numbers of arrays."""

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
_DRAWN = re.compile(r"random\.")
#: Draws -> which argument is their size; None: all arguments are sizes.
_SIZE_AT = {
    "rand": None, "randn": None, "random": 0, "random_sample": 0, "ranf": 0, "sample": 0,
    "standard_normal": 0, "choice": 1, "poisson": 1, "exponential": 1, "randint": 2, "uniform": 2,
    "normal": 2, "beta": 2, "binomial": 2, "gamma": 2,
}
#: Functions whose result has the shape of one of their arguments -> which.
_SHAPED_AS = {"searchsorted": 1} | dict.fromkeys((
    "digitize", "floor", "ceil", "round", "rint", "exp", "log", "sqrt", "abs", "square", "clip", "array",
    "asarray"), 0)


@transform
class ArrayNumbers:
    """PY229: a row or draw that has one element is asked for it before it becomes a number.

    NumPy 2.4 converts arrays without dimensions only. What the rows hold is read from the shape that
    the array was made with, where everything assigned to its name in the file has such a shape.
    """

    name = "array_numbers"
    triggers = frozenset({"numpy.*"})
    order = 87

    def run(self, ctx: FileContext) -> str | None:
        if not (_COLUMN.search(ctx.text) or _DRAWN.search(ctx.text)):
            return None
        calls = [
            node for node in walk(ctx.tree)
            if isinstance(node, ast.Call) and number_of(ctx, node) is not None
            and any(isinstance(part, (ast.Subscript, ast.Call, ast.Name))
                    for part in ast.walk(node.args[0]))
        ]
        if not calls:
            return None
        made = assigned(ctx)
        columns = {key for key, values in made.items() if all(_is_column(ctx, v) for v in values)}
        ones = {key for key, values in made.items() if all(_has_one(ctx, v, set()) for v in values)}
        lines = Lines(ctx.text)
        edits: list[Edit] = []
        for call in calls:
            if ctx.suppressed(CODE, call):
                continue
            number = call.args[0]
            rows = [row for row in _rows(number) if key_of(row.value) in columns]
            if rows:
                edits += [Edit(end, end, (".item()",)) for end in (lines.span(row)[1] for row in rows)]
            elif _has_one(ctx, number, ones):
                start, end = lines.span(number)
                whole = isinstance(number, (ast.Call, ast.Name, ast.Attribute))
                edits += [Edit(end, end, (".item()",))] if whole else [
                    Edit(start, end, ("(", (start, end), ").item()"))]
            else:
                continue
            ctx.change(CODE, call, "NumPy makes numbers of arrays without dimensions only",
                       confidence=Confidence.LIKELY)
        return apply(ctx.text, edits)[0] if edits else None


def number_of(ctx: FileContext, call: ast.Call) -> ast.expr | None:
    """What `int`, `float` or `complex` makes a number of, None for other calls."""
    if not isinstance(call.func, ast.Name) or call.func.id not in _NUMBERS:
        return None
    alone = len(call.args) == 1 and not call.keywords
    own = ctx.names.resolve_node(call.func) in (None, f"builtins.{call.func.id}")
    return call.args[0] if alone and own else None


def _has_one(ctx: FileContext, node: ast.expr, names: set[str]) -> bool:
    """Whether an expression is an array of one element: a draw of one, what is computed from it, or one
    of `names`."""
    if isinstance(node, (ast.Name, ast.Attribute)):
        return key_of(node) in names
    if isinstance(node, ast.UnaryOp):
        return _has_one(ctx, node.operand, names)
    if isinstance(node, ast.BinOp):
        sides = (node.left, node.right)
        return any(_has_one(ctx, side, names) for side in sides) and all(
            _has_one(ctx, side, names) or isinstance(side, (ast.Name, ast.Attribute, ast.Constant))
            or isinstance(side, ast.Call) and (ctx.names.resolve_node(side.func) or "").startswith(
                ("numpy.", "builtins.len")) for side in sides)
    if not isinstance(node, ast.Call):
        return False
    symbol = ctx.names.resolve_node(node.func) or ""
    name = symbol.rpartition(".")[2]
    if symbol == f"numpy.random.{name}" and name in _SIZE_AT:
        at = _SIZE_AT[name]
        given = next((k.value for k in node.keywords if k.arg == "size"), None)
        if at is None:
            return len(node.args) == 1 and _is_one(node.args[0])
        return _is_one(given if given is not None else node.args[at] if len(node.args) > at else None)
    at = _SHAPED_AS.get(name) if symbol == f"numpy.{name}" else None
    return at is not None and len(node.args) > at and _has_one(ctx, node.args[at], names)


def _is_one(size: ast.expr | None) -> bool:
    """Whether a size is 1, [1] or (1,)."""
    if isinstance(size, (ast.List, ast.Tuple)) and len(size.elts) == 1:
        size = size.elts[0]
    return isinstance(size, ast.Constant) and size.value == 1 and size.value is not True


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


def key_of(node: ast.expr) -> str:
    """A name, or an attribute of one."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return ""


def assigned(ctx: FileContext) -> dict[str, list[ast.expr]]:
    """Names -> all that the file makes them, where it does so by plain assignments only."""
    found: dict[str, list[ast.expr]] = {}
    stores: dict[str, int] = {}
    for node in walk(ctx.tree):
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Store):
            stores[key_of(node)] = stores.get(key_of(node), 0) + 1
        elif isinstance(node, ast.arg):
            stores[node.arg] = stores.get(node.arg, 0) + 1
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            found.setdefault(key_of(node.targets[0]), []).append(node.value)
    return {key: values for key, values in found.items() if key and stores.get(key) == len(values)}


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
