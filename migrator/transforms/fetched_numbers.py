"""`"%f" % sess.run(w)`, `float(value)` of tensors with dimensions, which are asked for their one element."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from migrator.analysis.tree_walk import walk
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform
from migrator.model import Confidence
from migrator.transforms.array_numbers import CODE, key_of, number_of

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

_NUMBER = re.compile(r"%(?:%|(\(\w+\))?[-+ #0]*(\*|\d*)(?:\.(?:\*|\d*))?[hlL]?([diouxXeEfFgG])?)")
_SHAPE_AT = {
    "tensorflow.get_variable": 1, "tensorflow.zeros": 0, "tensorflow.ones": 0, "tensorflow.fill": 0,
    "tensorflow.placeholder": 1, "tensorflow.random_normal": 0, "tensorflow.random_uniform": 0,
    "tensorflow.truncated_normal": 0, "tensorflow.reshape": 1, "numpy.zeros": 0, "numpy.ones": 0,
}  # fmt: skip
#: Calls whose result has at least one dimension, whatever they are given.
_WITH_DIMENSIONS = frozenset({
    "tensorflow.layers.dense", "tensorflow.contrib.layers.fully_connected", "tensorflow.matmul",
    "tensorflow.contrib.slim.fully_connected", "tensorflow.nn.xw_plus_b", "tensorflow.nn.bias_add",
})  # fmt: skip
#: Calls whose result has the dimensions of what they are given.
_ELEMENTWISE = re.compile(
    r"tensorflow\.(?:math\.|nn\.)?(?:abs|add|assign|assign_add|assign_sub|cast|clip_by_value|divide|exp|identity|"
    r"log|maximum|minimum|multiply|negative|pow|relu|sigmoid|sqrt|square|squared_difference|stop_gradient|"
    r"subtract|tanh|to_float|Variable)")


@transform
class FetchedNumbers:
    """PY229: a fetched value that has dimensions is asked for its one element before it becomes a number.

    It has just one, or the program had failed; NumPy 2.4 converts arrays without dimensions only. That it
    has dimensions is read from what the file makes its tensors of.
    """

    name = "fetched_numbers"
    triggers = frozenset({"tensorflow.Session", "tensorflow.InteractiveSession"})
    order = 8  # before runs become calls

    def run(self, ctx: FileContext) -> str | None:
        converted = [node for node in walk(ctx.tree) if isinstance(node, (ast.BinOp, ast.Call))]
        values = [value for node in converted for value in _to_numbers(ctx, node)]
        if not values:
            return None
        fetched = _Fetched(ctx)
        lines, edits = Lines(ctx.text), list[Edit]()
        for value in values:
            tensor = fetched.tensor(value)
            start, end = lines.span(value)
            if ctx.suppressed(CODE, value):
                continue
            if tensor is not None and fetched.has_dimensions(tensor):
                edits.append(Edit(end, end, (".item()",)))
            elif tensor is None and fetched.adds_up(value):  # to a number, where nothing was added yet
                numpy = ctx.require_import("numpy", None, "np")
                edits.append(Edit(start, end, (f"{numpy}.asarray(", (start, end), ").item()")))
            else:
                continue
            ctx.change(CODE, value, "NumPy makes numbers of arrays without dimensions only",
                       confidence=Confidence.LIKELY)
        return apply(ctx.text, edits)[0] if edits else None


class _Fetched:
    """What a file knows of the values that its runs give."""

    def __init__(self, ctx: FileContext) -> None:
        self._ctx = ctx
        self._inside: dict[int, str] = {}  # node -> the function that it stands in
        self._returned: dict[str, ast.expr] = {}  # of functions with one name and one return
        functions = [node for node in walk(ctx.tree) if isinstance(node, ast.FunctionDef)]
        names = Counter(function.name for function in functions)
        for function in functions:  # outer ones come first
            returns = [node.value for node in ast.walk(function) if isinstance(node, ast.Return)]
            if len(returns) == 1 and returns[0] is not None and names[function.name] == 1:
                self._returned[function.name] = returns[0]
            self._inside.update((id(node), f"{function.lineno}:") for node in ast.walk(function))
        self._made, self._added = self._assigned()
        self._classes = {node.name for node in walk(ctx.tree) if isinstance(node, ast.ClassDef)}
        self._tensors: dict[str, ast.expr | None] = {}  # of names; None for those that have others, too
        assignments = [node for node in walk(ctx.tree) if isinstance(node, ast.Assign)]
        for node in sorted(assignments, key=lambda node: self._of_function(node.value) is not None):
            for target in node.targets:
                self._note(target, node.value)

    def tensor(self, value: ast.expr, seen: tuple[ast.expr, ...] = ()) -> ast.expr | None:
        """The tensor whose value an expression is, None where that is not known."""
        if isinstance(value, (ast.Name, ast.Attribute)):
            return self._tensors.get(self._key(value))
        returned = self._of_function(value)
        if returned is not None:  # functions may return what they call
            return self.tensor(returned, (*seen, returned)) if returned not in seen else None
        fetches = _fetches(value)
        return None if isinstance(fetches, (ast.List, ast.Tuple, ast.Dict)) else fetches

    def has_dimensions(self, node: ast.expr, seen: tuple[str, ...] = ()) -> bool:
        """Whether a tensor, or what it is made of, is known to be no scalar."""
        if isinstance(node, (ast.List, ast.Tuple)):
            return True
        if isinstance(node, (ast.Name, ast.Attribute)):
            key = self._holder(node)
            made = self._made.get(key) if key not in seen else None
            return bool(made) and all(self.has_dimensions(value, (*seen, key)) for value in made or ())
        if isinstance(node, ast.UnaryOp):
            return self.has_dimensions(node.operand, seen)
        if isinstance(node, ast.BinOp):
            return any(self.has_dimensions(side, seen) for side in (node.left, node.right))
        if not isinstance(node, ast.Call):
            return False
        symbol = self._ctx.names.resolve_node(node.func, values=False) or ""
        given = {k.arg: k.value for k in node.keywords}
        first = given.get("initial_value", node.args[0] if node.args else None)
        listed = isinstance(given.get("initializer", first), (ast.List, ast.Tuple))
        if symbol in _WITH_DIMENSIONS:
            return True
        if symbol in _SHAPE_AT:
            at = _SHAPE_AT[symbol]
            shape = given.get("shape", node.args[at] if len(node.args) > at else None)
            shaped = isinstance(shape, (ast.List, ast.Tuple)) and bool(shape.elts)
            return shaped or "initializer" in given and listed
        if symbol in ("tensorflow.constant", "numpy.array"):
            third = node.args[2] if len(node.args) > 2 and symbol == "tensorflow.constant" else None
            shape = given.get("shape", third)
            return listed if shape is None else isinstance(shape, (ast.List, ast.Tuple)) and bool(shape.elts)
        if symbol.startswith("tensorflow.reduce_"):
            second = node.args[1] if len(node.args) > 1 else given.get("reduction_indices")
            axis = given.get("axis", second)
            return isinstance(axis, ast.Constant) and isinstance(axis.value, int) and axis.value > 0
        return _ELEMENTWISE.fullmatch(symbol) is not None and any(
            self.has_dimensions(value, seen) for value in [*node.args, *given.values()])

    def adds_up(self, value: ast.expr) -> bool:
        """Whether an expression is a name to which fetched values with dimensions are added."""
        if not isinstance(value, ast.Name):
            return False
        tensors = [self.tensor(added) for added in self._added.get(self._key(value), ())]
        return any(tensor is not None and self.has_dimensions(tensor) for tensor in tensors)

    def _assigned(self) -> tuple[dict[str, list[ast.expr]], dict[str, list[ast.expr]]]:
        """What names and attributes are made, where nothing else is, and what is added to them."""
        made: dict[str, list[ast.expr]] = {}
        added: dict[str, list[ast.expr]] = {}
        stores: Counter[str] = Counter()
        for node in walk(self._ctx.tree):
            if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Store):
                stores[self._key(node)] += 1
            elif isinstance(node, ast.arg):
                stores[self._inside.get(id(node), "") + node.arg] += 1
            elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
                added.setdefault(self._key(node.target), []).append(node.value)
            elif isinstance(node, ast.Assign) and len(node.targets) == 1:
                target, value = node.targets[0], node.value
                if isinstance(target, ast.Tuple):
                    values = self._of_function(value) or value
                    if isinstance(values, ast.Tuple) and len(values.elts) == len(target.elts):
                        for part, given in zip(target.elts, values.elts, strict=True):
                            made.setdefault(self._key(part), []).append(given)
                else:
                    made.setdefault(self._key(target), []).append(value)
        return {key: values for key, values in made.items() if key and stores[key] == len(values)}, added

    def _holder(self, node: ast.Name | ast.Attribute) -> str:
        """By which key a name or attribute is known: that of the file, where the function has none of its
        own, and ``self.loss`` for ``model.loss`` of an object of the file."""
        key = self._key(node)
        if isinstance(node, ast.Name):
            return key if key in self._made else node.id
        if key not in self._made and isinstance(node.value, ast.Name):
            objects = self._made.get(self._holder(node.value), ())
            if objects and all(isinstance(o, ast.Call) and key_of(o.func) in self._classes for o in objects):
                return f"self.{node.attr}"
        return key

    def _key(self, node: ast.expr) -> str:
        inside = self._inside.get(id(node), "") if isinstance(node, ast.Name) else ""
        return inside + key_of(node)

    def _of_function(self, value: ast.expr) -> ast.expr | None:
        """What the function returns that an expression calls."""
        if not isinstance(value, ast.Call):
            return None
        name = value.func.attr if isinstance(value.func, ast.Attribute) else key_of(value.func)
        return self._returned.get(name)

    def _note(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            values = self._of_function(value) or _fetches(value)
            listed = isinstance(values, (ast.List, ast.Tuple)) and len(values.elts) == len(target.elts)
            tensors = values.elts if listed else [None] * len(target.elts)  # type: ignore[union-attr]
            if self._of_function(value) is not None:
                tensors = [item and self.tensor(item) for item in tensors]
            pairs = list(zip(target.elts, tensors, strict=True))
        else:
            pairs = [(target, self.tensor(value))]
        for item, tensor in pairs:
            key = self._key(item)
            known = self._tensors.get(key, tensor)
            same = known is not None and tensor is not None and ast.dump(known) == ast.dump(tensor)
            self._tensors[key] = tensor if same else None


def _to_numbers(ctx: FileContext, node: ast.BinOp | ast.Call) -> Iterator[ast.expr]:
    """What an expression makes numbers of: arguments of `float`, what `%f` formats."""
    if isinstance(node, ast.Call):
        number = number_of(ctx, node)
        if number is not None:
            yield number
        return
    text = node.left
    if not (isinstance(node.op, ast.Mod) and isinstance(text, ast.Constant) and isinstance(text.value, str)):
        return
    found = [match for match in _NUMBER.finditer(text.value) if match[0] != "%%"]
    values = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
    if len(found) != len(values) or any(match[1] or match[2] == "*" or ".*" in match[0] for match in found):
        return
    for match, value in zip(found, values, strict=True):
        if match[3]:
            yield value


def _fetches(value: ast.expr) -> ast.expr | None:
    """What ``sess.run(...)`` or ``tensor.eval()`` is asked for."""
    if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute)):
        return None
    if value.func.attr == "eval":
        return value.func.value
    if value.func.attr != "run":
        return None
    given = next((k.value for k in value.keywords if k.arg == "fetches"), None)
    return value.args[0] if value.args else given
