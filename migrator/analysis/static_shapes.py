"""Which expressions are static shapes or dimensions of them, by their form and what names are bound to.

Shapes are `x.shape`, `x.get_shape()`, `tf.TensorShape(...)` and what their methods return, local names
that are bound to nothing else, and parameters that are asked what only a TensorShape can answer, that are
annotated as one (`Iterable[tf.Dimension]`) or that all calls of the module give one, also in modules
that do not import TensorFlow. `x.shape.as_list()` holds integers and is none.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.analysis.tree_walk import children, last_name, walk
from migrator.analysis.values import argument

SHAPE, DIMENSION = "shape", "dimension"
_GIVE_SHAPES = frozenset(
    {"get_shape", "with_rank", "with_rank_at_least", "with_rank_at_most", "merge_with",
     "concatenate", "TensorShape", "compute_output_shape"}
)  # fmt: skip
# Methods that nothing but a TensorShape has.
ASKED_OF_SHAPES = frozenset(
    {"assert_has_rank", "assert_same_rank", "assert_is_fully_defined", "assert_is_compatible_with",
     "with_rank", "with_rank_at_least", "with_rank_at_most"}
)  # fmt: skip
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
_EQUALITIES = (ast.Is, ast.IsNot, ast.Eq, ast.NotEq)
Kinds = dict[str, tuple[str | None, int]]  # name -> (kind, line after which it is that)


def kind(node: ast.expr, names: Kinds) -> str | None:
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

    def __init__(self, outer: Kinds) -> None:
        self.kinds: Kinds = dict(outer)
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


def applied(call: ast.Call, by: tuple[str, ...]) -> ast.Lambda | None:
    """The function of ``map(lambda part: ..., parts)``."""
    if not (isinstance(call.func, ast.Name) and call.func.id in by and len(call.args) == 2):
        return None
    function = call.args[0]
    return function if isinstance(function, ast.Lambda) and len(function.args.args) == 1 else None


def _mapped(call: ast.Call, names: Kinds) -> ast.Lambda | None:
    """The function of ``map(lambda dimension: ..., shape)``."""
    function = applied(call, ("map", "filter"))
    return function if function is not None and kind(call.args[1], names) == SHAPE else None


def _annotated(annotation: ast.expr | None) -> bool:
    """Whether an annotation says ``tf.TensorShape`` or dimensions in whatever: ``List[tf.Dimension]``."""
    match annotation:
        case ast.Attribute(attr="TensorShape"):
            return True
        case ast.Subscript(slice=ast.Attribute(attr="Dimension")):
            return True
    return False


def _calls(tree: ast.Module) -> dict[str, list[ast.Call]]:
    """The calls of a module by the last name of what they call."""
    found: dict[str, list[ast.Call]] = {}
    for node in walk(tree):
        if isinstance(node, ast.Call):
            found.setdefault(last_name(node.func), []).append(node)
    return found


def _given_shapes(node: ast.AST, calls: dict[str, list[ast.Call]]) -> set[str]:
    """Parameters of a function that all calls of the module give a shape."""
    if not isinstance(node, ast.FunctionDef):
        return set()
    names = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
    names = names[1:] if names[:1] in (["self"], ["cls"]) else names
    own = calls.get(node.name, ())
    return {
        name for place, name in enumerate(names) if own and all(
            (value := argument(call, place, name)) is not None and kind(value, {}) == SHAPE for call in own)
    }


def _function(node: ast.AST, outer: Kinds, calls: dict[str, list[ast.Call]]) -> Kinds:
    assert isinstance(node, _FUNCTIONS)
    scope = _Scope(outer)
    arguments = node.args
    scope.asked = {
        part.func.value.id
        for part in walk(node)
        if isinstance(part, ast.Call)
        and isinstance(part.func, ast.Attribute)
        and part.func.attr in ASKED_OF_SHAPES
        and isinstance(part.func.value, ast.Name)
    } | _given_shapes(node, calls)
    for parameter in (
        *arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg,
        arguments.kwarg,
    ):  # fmt: skip
        if parameter is not None:
            if _annotated(parameter.annotation):
                scope.asked.add(parameter.arg)
            scope.parameter(parameter.arg)
    for statement in node.body if isinstance(node.body, list) else [node.body]:
        scope.read(statement)
    return scope.kinds


def _comprehension(node: ast.AST, outer: Kinds) -> Kinds:
    scope = _Scope(outer)
    for part in node.generators:  # type: ignore[attr-defined]
        found = DIMENSION if kind(part.iter, scope.kinds) == SHAPE else None
        scope.own.discard(getattr(part.target, "id", ""))
        scope.bind(part.target, found)
    return scope.kinds


def kinds(tree: ast.Module) -> Iterator[tuple[ast.AST, Kinds]]:
    """Every node, with what the names are where it stands; in no particular order."""
    top = _Scope({})
    for statement in tree.body:
        top.read(statement)
    calls = _calls(tree)
    stack: list[tuple[ast.AST, Kinds]] = [(tree, top.kinds)]
    of_dimensions: set[int] = set()  # functions that are called with each dimension of a shape
    while stack:
        node, names = stack.pop()
        if isinstance(node, _FUNCTIONS):
            names = _function(node, names, calls)
            if id(node) in of_dimensions:
                assert isinstance(node, ast.Lambda)
                names = {**names, node.args.args[0].arg: (DIMENSION, 0)}
        elif isinstance(node, ast.Call):
            if (mapped := _mapped(node, names)) is not None:
                of_dimensions.add(id(mapped))
        elif isinstance(node, _COMPREHENSIONS):
            names = _comprehension(node, names)
        yield node, names
        stack.extend((child, names) for child in children(node))


def asked_for_none(tree: ast.Module) -> list[ast.Compare]:
    """Where a dimension is compared with None, in source order. In TF 1 it never was None: a Dimension
    without a value is another object, and is neither equal nor unequal to None."""
    asked = []
    for node, names in kinds(tree):
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            other = [side for side in (node.left, node.comparators[0]) if not _is_none(side)]
            held = isinstance(node.ops[0], (ast.In, ast.NotIn)) and _is_none(node.left)
            if len(other) == 1 and (held or isinstance(node.ops[0], _EQUALITIES)):
                if kind(other[0], names) == (SHAPE if held else DIMENSION):
                    asked.append(node)
    return sorted(asked, key=lambda node: (node.lineno, node.col_offset)) if asked else []


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
