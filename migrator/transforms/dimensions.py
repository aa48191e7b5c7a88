"""Drops `.value` from static dimensions: a TF2 shape holds plain integers.

In TF1 `tensor.shape[i]` was a `Dimension`, whose integer was its `.value`; in TF2 it is the integer
itself (or None) and has no such attribute. Followed are expressions that are shapes by their form
(`x.shape`, `x.get_shape()`, `tf.TensorShape(...)` and what their methods return), local names that
are bound to nothing but shapes or dimensions, and parameters that are asked what only a TensorShape
can answer, also in modules that do not import TensorFlow. `TensorShape.dims` still gives Dimensions
and is left. An unknown dimension was printed as ``?``: who compares with that asks for None.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from migrator.analysis.tree_walk import children, walk
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "TF130"
SHAPE, DIMENSION = "shape", "dimension"
_GIVE_SHAPES = frozenset(
    {"get_shape", "with_rank", "with_rank_at_least", "with_rank_at_most", "merge_with",
     "concatenate", "TensorShape", "compute_output_shape"}
)  # fmt: skip
# Methods that nothing but a TensorShape has.
_ASKED_OF_SHAPES = frozenset(
    {"assert_has_rank", "assert_same_rank", "assert_is_fully_defined", "assert_is_compatible_with",
     "with_rank", "with_rank_at_least", "with_rank_at_most"}
)  # fmt: skip
_WORDS = ("shape", "Shape", "_rank")  # without one of them there is nothing to find
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
_Kinds = dict[str, tuple[str | None, int]]  # name -> (kind, line after which it is that)


def kind(node: ast.expr, names: _Kinds) -> str | None:
    """Whether an expression is a static shape or one dimension of it."""
    if isinstance(node, ast.Name):
        found, since = names.get(node.id, (None, 0))
        return found if node.lineno > since else None
    if isinstance(node, ast.Attribute):
        return SHAPE if node.attr == "shape" else None
    if isinstance(node, ast.Call):
        called = node.func.attr if isinstance(node.func, ast.Attribute) else None
        return SHAPE if called in _GIVE_SHAPES else None
    if isinstance(node, ast.Subscript) and kind(node.value, names) == SHAPE:
        return SHAPE if isinstance(node.slice, ast.Slice) else DIMENSION
    return None


class _Scope:
    """What the names of one scope are bound to; a name bound to anything else as well is None."""

    def __init__(self, outer: _Kinds) -> None:
        self.kinds: _Kinds = dict(outer)
        self.own: set[str] = set()
        self.parameters: set[str] = set()
        self.asked: set[str] = set()  # parameters with a method of shapes

    def parameter(self, name: str) -> None:
        """A parameter is nothing known until it is rebound, and what it is bound to from then on."""
        self.parameters.add(name)
        self.kinds[name] = (SHAPE if name in self.asked else None, 0)

    def bind(self, target: ast.expr, found: str | None) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            for element in target.elts:
                starred = isinstance(element, ast.Starred)
                inner = element.value if isinstance(element, ast.Starred) else element
                self.bind(inner, DIMENSION if found == SHAPE and not starred else None)
        elif isinstance(target, ast.Name):
            self.name(target.id, found, target.lineno)

    def name(self, name: str, found: str | None, line: int = 0) -> None:
        since = line if name in self.parameters else 0
        if name in self.own:
            known, since = self.kinds[name]
            if known != found:
                found = None
        self.own.add(name)
        self.kinds[name] = (found, since)

    def read(self, node: ast.AST) -> None:
        """Takes in the bindings below `node` that belong to this scope, in source order."""
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            self.name(node.name, None)
            return
        if isinstance(node, (ast.Lambda, *_COMPREHENSIONS)):
            return
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    for left, right in zip(target.elts, node.value.elts, strict=False):
                        self.bind(left, kind(right, self.kinds))
                else:
                    self.bind(target, kind(node.value, self.kinds))
        elif isinstance(node, ast.AnnAssign):
            self.bind(node.target, kind(node.value, self.kinds) if node.value else None)
        elif isinstance(node, ast.AugAssign):
            self.bind(node.target, None)
        elif isinstance(node, ast.NamedExpr):
            self.bind(node.target, kind(node.value, self.kinds))
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            self.bind(node.target, DIMENSION if kind(node.iter, self.kinds) == SHAPE else None)
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            self.bind(node.optional_vars, None)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            self.name(node.name, None)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                self.name((alias.asname or alias.name).split(".")[0], None)
        for child in children(node):
            self.read(child)


def _applied(call: ast.Call, by: tuple[str, ...]) -> ast.Lambda | None:
    """The function of ``map(lambda part: ..., parts)``."""
    if not (isinstance(call.func, ast.Name) and call.func.id in by and len(call.args) == 2):
        return None
    function = call.args[0]
    return function if isinstance(function, ast.Lambda) and len(function.args.args) == 1 else None


def _mapped(call: ast.Call, names: _Kinds) -> ast.Lambda | None:
    """The function of ``map(lambda dimension: ..., shape)``."""
    function = _applied(call, ("map", "filter"))
    return function if function is not None and kind(call.args[1], names) == SHAPE else None


def _function(node: ast.AST, outer: _Kinds) -> _Kinds:
    assert isinstance(node, _FUNCTIONS)
    scope = _Scope(outer)
    arguments = node.args
    scope.asked = {
        part.func.value.id
        for part in walk(node)
        if isinstance(part, ast.Call)
        and isinstance(part.func, ast.Attribute)
        and part.func.attr in _ASKED_OF_SHAPES
        and isinstance(part.func.value, ast.Name)
    }
    for argument in (
        *arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg,
        arguments.kwarg,
    ):  # fmt: skip
        if argument is not None:
            scope.parameter(argument.arg)
    for statement in node.body if isinstance(node.body, list) else [node.body]:
        scope.read(statement)
    return scope.kinds


def _comprehension(node: ast.AST, outer: _Kinds) -> _Kinds:
    scope = _Scope(outer)
    for part in node.generators:  # type: ignore[attr-defined]
        found = DIMENSION if kind(part.iter, scope.kinds) == SHAPE else None
        scope.own.discard(getattr(part.target, "id", ""))
        scope.bind(part.target, found)
    return scope.kinds


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
    top = _Scope({})
    for statement in tree.body:
        top.read(statement)
    stack: list[tuple[ast.AST, _Kinds]] = [(tree, top.kinds)]
    of_dimensions: set[int] = set()  # functions that are called with each dimension of a shape
    while stack:
        node, names = stack.pop()
        if isinstance(node, _FUNCTIONS):
            names = _function(node, names)
            if id(node) in of_dimensions:
                assert isinstance(node, ast.Lambda)
                names = {**names, node.args.args[0].arg: (DIMENSION, 0)}
        elif isinstance(node, ast.Call):
            if (mapped := _mapped(node, names)) is not None:
                of_dimensions.add(id(mapped))
        elif isinstance(node, _COMPREHENSIONS):
            names = _comprehension(node, names)
        elif isinstance(node, ast.Attribute) and node.attr == "value":
            if kind(node.value, names) == DIMENSION:
                found.append(node)
        elif (asked := _unknown(node)) is not None and kind(asked, names) == DIMENSION:
            assert isinstance(node, ast.Compare)
            found.append(node)
        stack.extend((child, names) for child in children(node))
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
        elif isinstance(node, ast.Call) and (function := _applied(node, ("map",))) is not None:
            value, target, shape = function.body, function.args.args[0].arg, node.args[1]
        else:
            continue
        if id(value) in hits and isinstance(value, ast.Attribute) and (
                isinstance(value.value, ast.Name) and value.value.id == target):
            outer, before, after = around.get(id(node), (node, "list(", ")"))
            found.append(_WholeShape(outer, value, shape, before, after))
    return found


@transform
class StaticDimensions:
    """TF130: `.value` of a static dimension."""

    name = "dimensions"
    triggers = frozenset({"tensorflow.*"})
    words = _ASKED_OF_SHAPES | {"get_shape"}
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
            edits.append(Edit(start, end, ()))
        return apply(ctx.text, edits)[0] if edits else None
