"""Drops `.value` from static dimensions: a TF2 shape holds plain integers.

In TF1 `tensor.shape[i]` was a `Dimension`, whose integer was its `.value`; in TF2 it is the integer
itself (or None) and has no such attribute. Followed are expressions that are shapes by their form
(`x.shape`, `x.get_shape()`, `tf.TensorShape(...)` and what their methods return) and local names that
are bound to nothing but shapes or dimensions. `TensorShape.dims` still gives Dimensions and is left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst
import libcst.matchers as m

from migrator.engine.registry import transform

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "TF130"
SHAPE, DIMENSION = "shape", "dimension"
_GIVE_SHAPES = frozenset(
    {"get_shape", "with_rank", "with_rank_at_least", "with_rank_at_most", "merge_with",
     "concatenate", "TensorShape"}
)  # fmt: skip
_Kinds = dict[str, str | None]


def kind(node: cst.BaseExpression, names: _Kinds) -> str | None:
    """Whether an expression is a static shape or one dimension of it."""
    if isinstance(node, cst.Name):
        return names.get(node.value)
    if isinstance(node, cst.Attribute):
        return SHAPE if node.attr.value == "shape" else None
    if isinstance(node, cst.Call):
        callee = node.func
        name = callee.attr.value if isinstance(callee, cst.Attribute) else None
        return SHAPE if name in _GIVE_SHAPES else None
    if isinstance(node, cst.Subscript) and kind(node.value, names) == SHAPE:
        if len(node.slice) == 1:
            return SHAPE if isinstance(node.slice[0].slice, cst.Slice) else DIMENSION
    return None


class _Bindings(cst.CSTVisitor):
    """What the names of one scope are bound to; a name bound to anything else as well is None."""

    def __init__(self, outer: _Kinds) -> None:
        self.kinds: _Kinds = dict(outer)
        self.own: set[str] = set()

    def bind(self, target: cst.BaseExpression, found: str | None) -> None:
        if isinstance(target, (cst.Tuple, cst.List)):
            for element in target.elements:
                starred = isinstance(element, cst.StarredElement)
                self.bind(element.value, DIMENSION if found == SHAPE and not starred else None)
        elif isinstance(target, cst.Name):
            name = target.value
            if name in self.own and self.kinds.get(name) != found:
                found = None
            self.own.add(name)
            self.kinds[name] = found

    def visit_Assign(self, node: cst.Assign) -> None:
        for target in node.targets:
            value = node.value
            if isinstance(target.target, cst.Tuple) and isinstance(value, cst.Tuple):
                for left, right in zip(target.target.elements, value.elements, strict=False):
                    self.bind(left.value, kind(right.value, self.kinds))
            else:
                self.bind(target.target, kind(value, self.kinds))

    def visit_AugAssign(self, node: cst.AugAssign) -> None:
        self.bind(node.target, None)

    def visit_AnnAssign(self, node: cst.AnnAssign) -> None:
        self.bind(node.target, kind(node.value, self.kinds) if node.value else None)

    def visit_NamedExpr(self, node: cst.NamedExpr) -> None:
        self.bind(node.target, kind(node.value, self.kinds))

    def visit_For(self, node: cst.For) -> None:
        self.bind(node.target, DIMENSION if kind(node.iter, self.kinds) == SHAPE else None)

    def visit_AsName(self, node: cst.AsName) -> None:
        self.bind(node.name, None)

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        self.bind(node.name, None)
        return False

    def visit_ClassDef(self, node: cst.ClassDef) -> bool:
        self.bind(node.name, None)
        return False

    def visit_Lambda(self, node: cst.Lambda) -> bool:
        return False


class _Drop(cst.CSTTransformer):
    """Rewrites `dimension.value` to the dimension, scope by scope."""

    def __init__(self, ctx: FileContext) -> None:
        self.ctx = ctx
        self.scopes: list[_Kinds] = [{}]

    def _enter(self, body: cst.CSTNode, params: cst.Parameters | None = None) -> None:
        bindings = _Bindings(self.scopes[-1])
        if params is not None:
            for name in m.findall(params, m.Param()):
                assert isinstance(name, cst.Param)
                bindings.bind(name.name, None)
        body.visit(bindings)
        self.scopes.append(bindings.kinds)

    def visit_Module(self, node: cst.Module) -> None:
        bindings = _Bindings({})
        for statement in node.body:
            statement.visit(bindings)
        self.scopes.append(bindings.kinds)

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self._enter(node.body, node.params)

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        self.scopes.pop()
        return updated_node

    def visit_Lambda(self, node: cst.Lambda) -> None:
        self._enter(node.body, node.params)

    def leave_Lambda(self, original_node: cst.Lambda, updated_node: cst.Lambda) -> cst.Lambda:
        self.scopes.pop()
        return updated_node

    def _enter_comprehension(self, node: cst.BaseComp) -> None:
        names = dict(self.scopes[-1])
        part: cst.CompFor | None = node.for_in
        while part is not None:
            bindings = _Bindings(names)
            bindings.bind(part.target, DIMENSION if kind(part.iter, names) == SHAPE else None)
            names = bindings.kinds
            part = part.inner_for_in
        self.scopes.append(names)

    def visit_ListComp(self, node: cst.ListComp) -> None:
        self._enter_comprehension(node)

    def leave_ListComp(
        self, original_node: cst.ListComp, updated_node: cst.ListComp
    ) -> cst.ListComp:
        self.scopes.pop()
        return updated_node

    def visit_GeneratorExp(self, node: cst.GeneratorExp) -> None:
        self._enter_comprehension(node)

    def leave_GeneratorExp(
        self, original_node: cst.GeneratorExp, updated_node: cst.GeneratorExp
    ) -> cst.GeneratorExp:
        self.scopes.pop()
        return updated_node

    def leave_Attribute(
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.BaseExpression:
        if original_node.attr.value != "value":
            return updated_node
        if kind(original_node.value, self.scopes[-1]) != DIMENSION:
            return updated_node
        if self.ctx.suppressed(CODE, original_node):
            return updated_node
        self.ctx.change(CODE, original_node, "a dimension of a shape is a plain integer in TF2")
        return updated_node.value


@transform
class StaticDimensions:
    """TF130: `.value` of a static dimension."""

    name = "dimensions"
    triggers = frozenset({"tensorflow.*"})
    order = 60

    def run(self, ctx: FileContext) -> cst.Module | None:
        if ".value" not in ctx.text or "shape" not in ctx.text.lower():
            return None
        return ctx.module.visit(_Drop(ctx))
