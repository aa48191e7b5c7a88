"""TF159: losses and metrics that read symbolic tensors of Keras beside what they are given.

Keras 2 built a loss into the graph once, where it could read any tensor of it (`z_mean` of a variational
autoencoder, a second input). Keras 3 calls it with each batch, when these are no values.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from migrator.analysis.tree_walk import calls_in, elements, last_name, self_attribute, walk
from migrator.analysis.value_kinds import Function, Parents
from migrator.analysis.values import argument
from migrator.engine import standalone_keras
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform
from migrator.model import Rung
from migrator.transforms.keras_tensors import CODE, Symbols

if TYPE_CHECKING:
    from migrator.engine.context import FileContext


@transform
class KerasLosses:
    """TF159: what they read is computed with the outputs."""

    name = "keras_losses"
    triggers = frozenset({"tensorflow.keras.*", "keras.*"})
    order = 30

    def run(self, ctx: FileContext) -> str | None:
        if ".compile(" not in ctx.text or not standalone_keras.is_version_2(ctx.index, ctx.text):
            return None
        edits = list(_Losses(ctx).read())
        return apply(ctx.text, edits)[0] if edits else None


class _Losses:
    """The edits of one file."""

    def __init__(self, ctx: FileContext) -> None:
        self.ctx = ctx
        self.lines = Lines(ctx.text)
        self.symbols = Symbols(ctx)
        self.functions: dict[str, list[Function]] = {}
        for node in walk(ctx.tree):
            if isinstance(node, Function):
                self.functions.setdefault(node.name, []).append(node)
        self.parents = Parents(ctx.tree)
        self.known: dict[ast.AST, frozenset[str]] = {}

    def read(self) -> Iterator[Edit]:
        for call in calls_in(self.ctx.tree):
            if not (isinstance(call.func, ast.Attribute) and call.func.attr == "compile") or (
                    self.ctx.suppressed(CODE, call)):
                continue
            for value in (argument(call, 1, "loss"), argument(call, 2, "metrics")):
                for one in elements(value) if value is not None else ():
                    if self._reads(one, call):
                        yield from self._reading(call.func.value, one)

    def _reading(self, model: ast.expr, function: ast.expr) -> Iterator[Edit]:
        start, end = self.lines.span(function)
        owner = self.ctx.text[slice(*self.lines.span(model))]
        yield Edit(start, end, (f"{self.ctx.support('keras_losses.reading')}({owner}, ", (start, end), ")"))
        reason = "it reads symbolic tensors of the model, which Keras 2 built it into"
        self.ctx.change(CODE, function, reason, Rung.SUPPORT)

    def _reads(self, function: ast.expr, place: ast.AST) -> bool:
        """Whether a loss reads what is a symbolic tensor where it stands, or is given."""
        if isinstance(function, ast.Lambda):
            return bool(_free(function) & self._names(place))
        if isinstance(function, ast.Call):  # a function that makes one
            given = [*function.args, *(word.value for word in function.keywords)]
            names = {node.id for value in given for node in walk(value) if isinstance(node, ast.Name)}
            attributes = {name for value in given for name in _of_self(value)}
            return last_name(function.func) in self.functions and bool(
                names & self._names(place) or attributes & self._attributes(place))
        return any(self._reads_around(one) for one in self.functions.get(last_name(function), ()))

    def _reads_around(self, function: Function) -> bool:
        """Whether a function reads symbolic tensors that are around it, or its object's."""
        return bool(_free(function) & self._names(function)
                    or _of_self(function) & self._attributes(function))

    def _names(self, place: ast.AST) -> frozenset[str]:
        """The names that symbolic tensors have in what is around a node."""
        holders = [h for h in self.parents.around(place) if isinstance(h, (Function, ast.Module))]
        return frozenset().union(*map(self._bound, holders))

    def _bound(self, holder: ast.AST) -> frozenset[str]:
        if holder not in self.known:
            self.known[holder] = frozenset().union(
                *(names for _, names in self.symbols.names_in(holder)))  # type: ignore[arg-type]
        return self.known[holder]

    def _attributes(self, place: ast.AST) -> frozenset[str]:
        """The attributes of `self` that are symbolic tensors, in the class around a node."""
        found: set[str] = set()
        for holder in self.parents.around(place):
            for method in walk(holder) if isinstance(holder, ast.ClassDef) else ():
                if isinstance(method, Function):
                    names = self._bound(method)
                    found |= {target.attr for node in walk(method) if isinstance(node, ast.Assign)
                              and self.symbols.is_one(node.value, names)
                              for target in node.targets if isinstance(target, ast.Attribute)}
        return frozenset(found)


def _of_self(node: ast.AST) -> set[str]:
    """The attributes of `self` in a node."""
    return {name for part in walk(node) if (name := self_attribute(part)) is not None}


def _free(function: Function | ast.Lambda) -> frozenset[str]:
    """The names that a function reads and neither takes nor binds."""
    names = [node for node in walk(function) if isinstance(node, ast.Name)]
    own = {node.arg for node in walk(function) if isinstance(node, ast.arg)}
    own |= {node.id for node in names if isinstance(node.ctx, ast.Store)}
    return frozenset({node.id for node in names} - own)


__all__ = ["KerasLosses"]
