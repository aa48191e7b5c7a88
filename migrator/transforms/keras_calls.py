"""Calls of Keras that TF1 took and Keras 3 does not.

`tf.keras.applications.MobileNet(layers=mine)` built the network of other layers; an Input around a
placeholder is an Input of the placeholder's shape.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform
from migrator.model import Rung

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

INJECTED, WRAPPED = "TF134", "TF135"
_APPLICATIONS = "tensorflow.keras.applications."
_MODULES = frozenset({"backend", "layers", "models", "utils"})
_INPUTS = frozenset({"tensorflow.keras.Input", "tensorflow.keras.layers.Input"})
_PLACEHOLDER = "tensorflow.placeholder"
_WITH_DEFAULT = "tensorflow.placeholder_with_default"
_Function = ast.FunctionDef | ast.AsyncFunctionDef


class _Calls:
    """The edits of one file."""

    def __init__(self, ctx: FileContext) -> None:
        self.ctx = ctx
        self.lines = Lines(ctx.text)
        self.edits: list[Edit] = []

    def read(self) -> list[Edit]:
        for node in ast.walk(self.ctx.tree):
            if isinstance(node, ast.Call) and any(k.arg in _MODULES for k in node.keywords):
                name = self.ctx.names.resolve_node(node.func) or ""
                if name.startswith(_APPLICATIONS) and not self.ctx.suppressed(INJECTED, node):
                    self._application(node)
            elif isinstance(node, _Function):
                self._inputs(node)
        return self.edits

    def _application(self, call: ast.Call) -> None:
        start, end = self.lines.span(call.func)
        bracket = self.ctx.text.index("(", end)
        build = self.ctx.support("keras_applications.build")
        comma = "," if self.ctx.text[bracket + 1].isspace() else ", "
        self.edits.append(Edit(start, bracket + 1, (f"{build}(", (start, end), comma)))
        self.ctx.change(
            INJECTED, call, "Keras 3's applications take no other layers", Rung.SUPPORT
        )

    def _inputs(self, function: _Function) -> None:
        """``p = tf.placeholder(dtype, shape)`` that only an ``Input(tensor=p)`` reads."""
        for statement in ast.walk(function):
            if not (isinstance(statement, ast.Assign) and len(statement.targets) == 1):
                continue
            target, made = statement.targets[0], statement.value
            if not (isinstance(target, ast.Name) and isinstance(made, ast.Call)):
                continue
            kind = self.ctx.names.resolve_node(made.func)
            if kind not in (_PLACEHOLDER, _WITH_DEFAULT):
                continue
            uses = [n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == target.id]
            call = self._input_of(function, target.id)
            if call is None or len(uses) != 2 or self.ctx.suppressed(WRAPPED, statement):
                continue
            shape, dtype = self._shape_and_dtype(made, kind)
            if shape is None or dtype is None:
                continue
            keyword = call.keywords[0]
            self.edits.append(
                Edit(*self.lines.span(keyword), (f"batch_shape={shape}, dtype={dtype}",))
            )
            start, end = self.lines.span(statement)
            following = self.ctx.text.find("\n", end)
            self.edits.append(Edit(start - statement.col_offset, following + 1, ()))
            self.ctx.change(WRAPPED, statement, "an Input of Keras 3 says its shape")

    def _input_of(self, function: _Function, name: str) -> ast.Call | None:
        for node in ast.walk(function):
            if (
                isinstance(node, ast.Call)
                and not node.args
                and len(node.keywords) == 1
                and node.keywords[0].arg == "tensor"
                and isinstance(node.keywords[0].value, ast.Name)
                and node.keywords[0].value.id == name
                and self.ctx.names.resolve_node(node.func) in _INPUTS
            ):
                return node
        return None

    def _shape_and_dtype(self, call: ast.Call, kind: str) -> tuple[str | None, str | None]:
        first, second = ("dtype", "shape") if kind == _PLACEHOLDER else ("input", "shape")
        given = dict(zip((first, second), call.args, strict=False))
        given.update({k.arg: k.value for k in call.keywords if k.arg})
        if "shape" not in given or first not in given:
            return None, None
        shape = ast.get_source_segment(self.ctx.text, given["shape"])
        source = ast.get_source_segment(self.ctx.text, given[first])
        if kind == _PLACEHOLDER:
            return shape, source
        return shape, f"{source}.dtype.name" if isinstance(given[first], ast.Name) else None


@transform
class KerasCalls:
    """TF134, TF135: applications of other layers, Inputs around placeholders."""

    name = "keras_calls"
    triggers = frozenset(
        {"tensorflow.keras.applications.*", "tensorflow.keras.Input", "tensorflow.keras.layers.Input"}
    )
    order = 30

    def run(self, ctx: FileContext) -> str | None:
        edits = _Calls(ctx).read()
        return apply(ctx.text, edits)[0] if edits else None
