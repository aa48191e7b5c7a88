"""TF159: TensorFlow's operations on symbolic tensors of Keras, and Lambda layers that read what is around.

With TensorFlow 1 what Keras' layers gave were tensors of the graph: `tf.reduce_mean(model.output)` was one
more, and a Lambda's function read whatever there was, once. Keras 3 has symbolic tensors of its own, and
calls the function again whenever the model runs, when a loop has given its variable another value.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from migrator.analysis.tree_walk import calls_in, last_name, nodes_below, walk
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.imports import call_behind_imports, imports_before_use
from migrator.engine.registry import transform
from migrator.model import Rung

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "TF159"
_KERAS = ("keras.", "tensorflow.keras.")
_BACKEND = ("keras.backend.", "tensorflow.keras.backend.")
_PARTS = frozenset({"output", "outputs", "input", "inputs"})  # of models and layers
#: Functions of Keras 2's backend that ask a tensor of TensorFlow what Keras 3's symbolic ones lack.
_ASKING = frozenset(
    {"mean", "var", "std", "concatenate", "dot", "softmax", "categorical_crossentropy", "repeat_elements",
     "batch_flatten", "flatten", "switch", "resize_images", "repeat", "sparse_categorical_crossentropy"}
)
#: What the backend reads off a symbolic tensor, or only passes on.
_STATIC = (".int_shape", ".ndim", ".dtype", ".is_keras_tensor", ".function", ".learning_phase")
_VARIABLES = ("tensorflow.Variable", "tensorflow.get_variable", ".backend.variable")
_LOOPS = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_CLOSED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_Scope = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef


@transform
class KerasTensors:
    """Lets TensorFlow's operations take them, and Lambda layers read them."""

    name = "keras_tensors"
    triggers = frozenset({"tensorflow.*", "keras.*"})
    words = frozenset({"keras"})
    order = 31

    def run(self, ctx: FileContext) -> str | None:
        if "keras" not in ctx.text or not any(word in ctx.text for word in ("put", "Lambda(")):
            return None
        edits = Symbols(ctx).read()
        return apply(ctx.text, edits)[0] if edits else None


class Symbols:
    """The edits of one file."""

    def __init__(self, ctx: FileContext) -> None:
        self.ctx = ctx
        self.lines = Lines(ctx.text)
        self.edits: list[Edit] = []
        self.inputs = any(self._keras(call, "Input") for call in calls_in(ctx.tree))

    def read(self) -> list[Edit]:
        first: ast.Call | None = None
        for scope in walk(self.ctx.tree):
            if not isinstance(scope, _Scope):
                continue
            states = self.names_in(scope)
            for call in _own(scope):
                if not isinstance(call, ast.Call) or self.ctx.suppressed(CODE, call):
                    continue
                symbol = self._symbol(call.func)
                names = next(known for line, known in reversed(states) if line < call.lineno)
                given = any(self.is_one(node, names) for node in _given(call))
                backend = symbol.startswith(_BACKEND)
                if given and backend and symbol.rpartition(".")[2] in _ASKING:
                    self._computed(call)
                elif given and symbol.startswith("tensorflow.") and not symbol.startswith(_KERAS) or (
                        given and backend and not symbol.endswith(_STATIC)):
                    first = first or call
                elif self._keras(call, "layers.Lambda") and self._reads(scope, call, states[-1][1] | names):
                    self._lambda(call)
        if first is not None:
            self._accept(first)
        return self.edits

    def _symbol(self, node: ast.expr) -> str:
        return self.ctx.names.resolve_node(node) or ""

    def _keras(self, call: ast.Call, name: str) -> bool:
        symbol = self._symbol(call.func)
        return symbol.startswith(_KERAS) and f".{symbol}".endswith(f".{name}")

    def names_in(self, scope: _Scope) -> list[tuple[int, frozenset[str]]]:
        """The names that symbolic tensors of Keras have in a scope, from the line of an assignment on."""
        now: frozenset[str] = frozenset()
        found = [(0, now)]
        assignments = (node for node in _own(scope) if isinstance(node, ast.Assign))
        for statement in sorted(assignments, key=lambda node: node.lineno):
            targets = {n.id for t in statement.targets for n in walk(t) if isinstance(n, ast.Name)}
            now = now | targets if self.is_one(statement.value, now) else now - targets
            found.append((statement.end_lineno or statement.lineno, now))
        return found

    def is_one(self, node: ast.expr, names: frozenset[str]) -> bool:
        """Whether an expression is a symbolic tensor of Keras, or a list of some."""
        if isinstance(node, ast.Name):
            return node.id in names
        if isinstance(node, ast.Attribute):
            return node.attr in _PARTS and self._of_model(node.value)
        if isinstance(node, ast.Subscript):
            return self.is_one(node.value, names)
        if isinstance(node, ast.BinOp):
            return self.is_one(node.left, names) or self.is_one(node.right, names)
        if isinstance(node, (ast.List, ast.Tuple)):
            return any(self.is_one(item, names) for item in node.elts)
        if not isinstance(node, ast.Call):
            return False
        if self._keras(node, "Input"):
            return True
        symbol = self._symbol(node.func)
        given = any(self.is_one(value, names) for value in _given(node))
        if isinstance(node.func, ast.Call) and self._symbol(node.func.func).startswith(_KERAS):
            return given or self.inputs  # Dense(3)(x)
        if symbol.startswith(_BACKEND) and symbol.endswith(_STATIC):
            return False
        made = symbol.startswith(("tensorflow.", "keras.")) and not symbol.endswith(("Model", "Sequential"))
        return given and made

    def _of_model(self, node: ast.expr) -> bool:
        """Whether `x` of `x.output` is a model or a layer, by its name or the call that gives it."""
        if isinstance(node, ast.Call):
            return isinstance(node.func, ast.Attribute) and node.func.attr == "get_layer"
        if isinstance(node, ast.Subscript):
            return isinstance(node.value, ast.Attribute) and node.value.attr == "layers"
        return last_name(node).lower().endswith(("model", "layer"))

    def _reads(self, scope: _Scope, call: ast.Call, names: frozenset[str]) -> bool:
        """Whether the function of a Lambda layer reads what is a symbolic tensor, or something else when a
        model runs: Keras 2 called it once, where the layer was called."""
        function: ast.AST | None = call.args[0] if call.args else None
        if isinstance(function, ast.Name):
            function = next((node for node in _own(scope) if isinstance(node, ast.FunctionDef)
                             and node.name == function.id), None)  # fmt: skip
        if not isinstance(function, _Function):
            return False
        if any(self._symbol(inner.func).endswith(_VARIABLES) for inner in calls_in(function)):
            return True
        own = {a.arg for a in walk(function) if isinstance(a, ast.arg)}
        names_in = [node for node in walk(function) if isinstance(node, ast.Name)]
        own |= {node.id for node in names_in if isinstance(node.ctx, ast.Store)}
        read = {node.id for node in names_in} - own
        return bool(read & names) or any(name in read for name in self._bound_again(scope, call))

    def _bound_again(self, scope: _Scope, call: ast.Call) -> Iterator[str]:
        """The names of a scope that are bound behind a call, by its statement or in a loop."""
        for node in _own(scope):
            around = isinstance(node, (*_LOOPS, ast.Assign)) and any(inner is call for inner in walk(node))
            parts = node.targets if isinstance(node, ast.Assign) else [node]
            for name in (inner for part in parts for inner in walk(part)) if around else [node]:
                if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store) and (
                        around or name.lineno >= call.lineno):
                    yield name.id

    def _lambda(self, call: ast.Call) -> None:
        self.edits.append(Edit(*self.lines.span(call.func), (self.ctx.support("keras_tensors.Lambda"),)))
        self.ctx.change(CODE, call, "the function reads what there was when Keras 2 called it, once",
                        Rung.SUPPORT)

    def _computed(self, call: ast.Call) -> None:
        start, end = self.lines.span(call.func)
        opening = self.ctx.text.index("(", end) + 1
        new = self.ctx.support("keras_tensors.computed")
        self.edits.append(Edit(start, opening, (f"{new}(", (start, end), ", ")))
        self.ctx.change(CODE, call, "Keras 2's backend takes no symbolic tensors of Keras 3", Rung.SUPPORT)

    def _accept(self, call: ast.Call) -> None:
        if "keras_tensors.accept()" in self.ctx.text or not imports_before_use(self.ctx.tree):
            return
        accept = self.ctx.support("keras_tensors.accept")
        self.edits.append(call_behind_imports(self.ctx.tree, self.lines, accept))
        self.ctx.change(CODE, call, "TensorFlow's operations take symbolic tensors of Keras", Rung.SUPPORT)


def _given(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _own(scope: ast.AST) -> Iterator[ast.AST]:
    """What a scope does itself: without the bodies of functions in it."""
    return nodes_below(scope, _CLOSED)
