"""TF142: layers that were written for Keras 2: which of their variables train, what shape they say they give,
and what a tensor told of its shape."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrator.analysis.tree_walk import calls_in, walk
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform
from migrator.model import Confidence, Rung

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "TF142"
# Lists of a layer's variables that layers of Keras 2 filled by themselves -> whether these train.
_LISTS = {"trainable_weights": True, "_trainable_weights": True,
          "non_trainable_weights": False, "_non_trainable_weights": False}  # fmt: skip
_ADDING = frozenset({"append", "extend"})
_WORDS = ("_keras_shape", "trainable_weights", "compute_output_shape", "def call(self, *")
_BASES = ("keras.", "tensorflow.keras.")


class _Layers:
    """The edits of one file."""

    def __init__(self, ctx: FileContext) -> None:
        self.ctx = ctx
        self.lines = Lines(ctx.text)
        self.edits: list[Edit] = []

    def read(self) -> list[Edit]:
        for node in walk(self.ctx.tree):
            if self.ctx.suppressed(CODE, node):
                continue
            if isinstance(node, ast.Attribute) and node.attr == "_keras_shape":
                self._shape(node)
            elif isinstance(node, ast.ClassDef) and self._of_keras(node):
                for part in walk(node):
                    self._listed(part)
                    if isinstance(part, ast.FunctionDef) and part.name == "compute_output_shape":
                        self._one_shape(part)
                    if isinstance(part, ast.FunctionDef) and part.name == "call":
                        self._hidden_inputs(part)
        return self.edits

    def _of_keras(self, node: ast.ClassDef) -> bool:
        return any((self.ctx.names.resolve_node(base) or "").startswith(_BASES) for base in node.bases)

    def _text(self, node: ast.expr) -> str:
        return self.lines.text[slice(*self.lines.span(node))]

    def _shape(self, node: ast.Attribute) -> None:
        """``x._keras_shape``: what Keras 2 noted on tensors is their shape."""
        if not isinstance(node.ctx, ast.Load):
            self.ctx.finding(CODE, node, "_keras_shape is not in Keras 3",
                             "Symbolic tensors of Keras 3 know their shape; take the line out.")
            return
        start, end = self.lines.span(node)
        self.edits.append(Edit(start, end, (f"tuple({self._text(node.value)}.shape)",)))
        self.ctx.change(CODE, node, "Keras 3 keeps shapes where TensorFlow has them")

    def _listed(self, node: ast.AST) -> None:
        """``self.trainable_weights = [self.gamma]``: Keras 3 makes the list, of its own variables."""
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target, given = node.targets[0], node.value
        elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
            target, given = node.target, node.value
        elif isinstance(node, ast.Expr) and (call := _added(node.value)) is not None:
            target, given = call.func.value, call.args[0]  # type: ignore[attr-defined]
        else:
            return
        if not (isinstance(target, ast.Attribute) and target.attr in _LISTS
                and ast.unparse(target.value) == "self"):
            return
        one = isinstance(node, ast.Expr) and node.value.func.attr == "append"  # type: ignore[attr-defined]
        listed = f"[{self._text(given)}]" if one else self._text(given)
        train = "" if _LISTS[target.attr] else ", trainable=False"
        new = self.ctx.support("keras_layers.hold")
        start, end = self.lines.span(node)
        self.edits.append(Edit(start, end, (f"{new}(self, {listed}{train})",)))
        self.ctx.change(CODE, node, "Keras 3 lists a layer's variables by itself, and only its own",
                        Rung.SUPPORT, Confidence.LIKELY)

    def _hidden_inputs(self, method: ast.FunctionDef) -> None:
        """``def call(self, *args, **kwargs)``: Keras 3 tells a layer's shape by arguments that have names."""
        taken = method.args
        if taken.vararg is None or len(taken.posonlyargs + taken.args) != 1:
            return
        uses = [node for node in walk(method) if isinstance(node, ast.Name) and node.id == taken.vararg.arg]
        handed = {id(call.args[0].value) for call in calls_in(method)
                  if call.args and isinstance(call.args[0], ast.Starred)}  # fmt: skip
        if not handed.issuperset(map(id, uses)) or any(
                isinstance(node, ast.Name) and node.id == "inputs" for node in walk(method)):
            self.ctx.finding(CODE, method, "Keras 3 does not see inputs of a layer that are behind a star",
                             "Give call its inputs as a parameter of its own, ahead of the others.")
            return
        named: list[ast.arg | ast.Name] = [taken.vararg, *uses]
        places = [self.lines.offset(node.lineno, node.col_offset) - 1 for node in named]
        self.edits += [Edit(place, place, ("inputs, ",)) for place in places]
        self.ctx.change(CODE, method, "Keras 3 tells a layer's shape by the arguments that have names")

    def _one_shape(self, method: ast.FunctionDef) -> None:
        """``return [(None, 1)]`` for one tensor, which Keras 3 takes for a list of one."""
        for node in walk(method):
            value = node.value if isinstance(node, ast.Return) else None
            if isinstance(value, ast.List) and [type(item) for item in value.elts] == [ast.Tuple]:
                self.edits.append(Edit(*self.lines.span(value), (self._text(value.elts[0]),)))
                self.ctx.change(CODE, value, "Keras 2 took a list of one shape for the shape of one tensor",
                                confidence=Confidence.LIKELY)


def _added(node: ast.expr) -> ast.Call | None:
    """``self.trainable_weights.append(x)``: a call of one argument."""
    one = isinstance(node, ast.Call) and len(node.args) == 1 and isinstance(node.func, ast.Attribute) and (
        node.func.attr in _ADDING)
    return node if one and isinstance(node, ast.Call) else None


@transform
class KerasLayers:
    """TF142: what classes of layers do."""

    name = "keras_layers"
    triggers = frozenset({"tensorflow.*", "keras.*"})
    words = frozenset({"keras"})
    order = 33

    def run(self, ctx: FileContext) -> str | None:
        text = ctx.text
        if not any(word in text for word in _WORDS):
            return None
        edits = _Layers(ctx).read()
        return apply(text, edits)[0] if edits else None
