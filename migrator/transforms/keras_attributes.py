"""Attributes, methods and arguments that objects of Keras 2 had and those of Keras 3 have not.

The objects are not followed: they are known by what they are called, in files that use Keras, and methods
by names that nothing else has.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from migrator.analysis.tree_walk import last_name, walk
from migrator.engine import standalone_keras
from migrator.engine.callsite import Unreadable, read_call
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.keywords import without
from migrator.engine.registry import transform
from migrator.model import Confidence, Rung

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "TF142"
# What models, layers and optimizers of Keras 2 had, and what to do without.
_GONE = {
    "add_update": "Keras 3 has no list of updates: assign to the variable in call, where training is true.",
    "updates": "Keras 3 has no list of updates: state is assigned where the layer is called.",
    "get_updates_for": "Keras 3 has no list of updates: state is assigned where the layer is called.",
    "get_losses_for": "model.losses are those of the last call.",
    "input_mask": "Masks go with the tensors in Keras 3: keras.src.backend.get_keras_mask(tensor).",
    "output_mask": "Masks go with the tensors in Keras 3: keras.src.backend.get_keras_mask(tensor).",
    "run_internal_graph": "Call the model.",
    "assert_input_compatibility": "Keras 3 checks inputs itself where the layer is called.",
    "to_yaml": "YAML went for safety: use to_json and keras.models.model_from_json.",
    "get_gradients": "Take gradients with tf.GradientTape.",
    "_keras_history": "The history of tensors is another one in Keras 3: walk model.operations instead.",
    "metrics_tensors": "Add a metric with compile(metrics=...), or keep a keras.metrics object in a layer.",
    "uses_learning_phase": "Keras 3 has no learning phase: pass training= where the model is called.",
    "_per_input_losses": "Keras 3 keeps no such table; take the line out.",
    "_feed_inputs": "model.inputs are those that are fed.",
    "_collected_trainable_weights": "model.trainable_weights are those that train.",
    "state_updates": "Keras 3 has no list of updates: state is assigned where the layer is called.",
    "inbound_nodes": "The nodes are other ones in Keras 3: ask the layer for .input and .output.",
    "_inbound_nodes": "The nodes are other ones in Keras 3: ask the layer for .input and .output.",
    "total_loss": "Keras 3 has no tensor of it; model.compute_loss gives it for a batch.",
    "get_updates": "Keras 3's optimizers apply gradients: optimizer.apply(gradients, variables).",
}  # fmt: skip
#: Methods -> what they are of the support package.
_METHODS = {
    **{name: f"keras_models.{name}" for name in ("predict_classes", "predict_proba", "reset_states")},
    **{f"get_{name}": f"keras_models.{name}"
       for name in ("output_at", "input_at", "output_shape_at", "input_shape_at")},
}
#: Properties of layers -> what they are of the support package.
_SHAPES = {name: f"keras_models.{name}" for name in ("output_shape", "input_shape")}
#: Where data is loaded, not what is computed.
_LOADING = frozenset({"max_queue_size", "max_q_size", "workers", "use_multiprocessing", "pickle_safe"})
#: Arguments of methods that were about how, not what: gone without effect on the numbers.
_WITHOUT_EFFECT = {
    **dict.fromkeys(("fit", "evaluate", "predict"), _LOADING),
    "compile": frozenset({"sample_weight_mode"}),
}
_REFUSED = {"compile": frozenset({"target_tensors", "options", "run_metadata"})}
_WEIGHED = frozenset({"fit", "evaluate", "train_on_batch", "test_on_batch"})
_STANDALONE = re.compile(r"^\s*(?:import|from) keras\b", re.MULTILINE)
_MODELS = frozenset(
    f"{keras}.{name}" for keras in ("keras", "tensorflow.keras")
    for name in ("Model", "models.Model", "engine.Model", "engine.training.Model"))
_ENDS = {"output": "outputs[0]", "input": "inputs[0]"}
_AFTER_BATCHES = frozenset({"on_batch_end", "on_train_batch_end", "on_test_batch_end"})


class _Attributes:
    """The edits of one file."""

    def __init__(self, ctx: FileContext) -> None:
        self.ctx = ctx
        self.lines = Lines(ctx.text)
        self.edits: list[Edit] = []
        self.standalone = _STANDALONE.search(ctx.text) is not None and (
            standalone_keras.is_version_2(ctx.index, ctx.text))
        self.own = {n.name for n in walk(ctx.tree) if isinstance(n, ast.FunctionDef)}

    def read(self) -> list[Edit]:
        called: set[int] = set()
        for node in walk(self.ctx.tree):
            if isinstance(node, ast.ClassDef):
                self._batch_logs(node)
            elif isinstance(node, ast.Subscript):
                self._logged_rate(node.value, node.slice)
                self._numbered_output(node)
            elif isinstance(node, ast.Call):
                if isinstance(node.func, ast.Attribute) and node.func.attr == "get" and node.args:
                    self._logged_rate(node.func.value, node.args[0])
                if isinstance(node.func, ast.Attribute) and self._method(node, node.func):
                    called.add(id(node.func))
                self._functional(node)
        for node in walk(self.ctx.tree):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and id(node) not in called:
                self._attribute(node)
        return self.edits

    def _attribute(self, node: ast.Attribute) -> None:
        """An attribute of what is called like a model, a layer or an optimizer."""
        if node.attr == "input" and isinstance(node.value, ast.Subscript):
            self._first_input(node, node.value)
        if node.attr in _ENDS and ast.unparse(node.value) in self._sequential:
            start, end = self.lines.span(node)
            text = self.ctx.text[slice(*self.lines.span(node.value))]
            self.edits.append(Edit(start, end, (f"{text}.{_ENDS[node.attr]}",)))
            self.ctx.change(CODE, node, f"Sequential models of Keras 3 have no {node.attr} until called")
        if node.attr not in _GONE and node.attr not in _SHAPES or self.ctx.suppressed(CODE, node):
            return
        owner = self._owner(node.value)
        if not owner.endswith(("model", "layer", "optimizer", "opt")) or node.attr in self.own:
            return
        if node.attr in _GONE:
            self.ctx.finding(CODE, node, f"{node.attr} is not in Keras 3", _GONE[node.attr])
        elif owner.endswith("layer") and owner != "self layer" and not self._set_by_the_project(node.attr):
            start, end = self.lines.span(node)
            text = self.ctx.text[slice(*self.lines.span(node.value))]
            self.edits.append(Edit(start, end, (f"{self.ctx.support(_SHAPES[node.attr])}({text})",)))
            self.ctx.change(CODE, node, f"layers of Keras 3 have no {node.attr}", Rung.SUPPORT,
                            Confidence.LIKELY)

    @cached_property
    def _sequential(self) -> set[str]:
        """What the file calls the Sequential models that it makes, and nothing else."""
        made: dict[str, bool] = {}
        for node in walk(self.ctx.tree):
            if isinstance(node, ast.Assign):
                call = node.value if isinstance(node.value, ast.Call) else None
                maker = self.ctx.names.resolve_node(call.func) or "" if call is not None else ""
                for target in node.targets:
                    name = ast.unparse(target)
                    made[name] = made.get(name, True) and maker.endswith(".Sequential")
        return {name for name, sequential in made.items() if sequential}

    def _first_input(self, node: ast.Attribute, first: ast.Subscript) -> None:
        """``model.layers[0].input``: the first layer, where it is an InputLayer, has none in Keras 3."""
        layers, number = first.value, first.slice
        if not (isinstance(number, ast.Constant) and number.value == 0 and not isinstance(number.value, bool)
                and isinstance(layers, ast.Attribute) and layers.attr == "layers"):
            return
        if not self.ctx.suppressed(CODE, node):
            start, end = self.lines.span(layers.value)[1], self.lines.span(node)[1]
            self.edits.append(Edit(start, end, (".inputs[0]",)))
            self.ctx.change(CODE, node, "an InputLayer of Keras 3 has no input", confidence=Confidence.LIKELY)

    def _numbered_output(self, node: ast.Subscript) -> None:
        """``model.output[:, numpy.argmax(p)]``: symbolic tensors of Keras 3 take no NumPy numbers."""
        if not (isinstance(node.value, ast.Attribute) and node.value.attr == "output") or (
                self.ctx.suppressed(CODE, node)):
            return
        for index in node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]:
            if isinstance(index, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)) and (
                    ast.unparse(index).partition("(")[0] not in ("int", "slice", "Ellipsis")):
                start, end = self.lines.span(index)
                self.edits.append(Edit(start, end, ("int(", (start, end), ")")))
                self.ctx.change(CODE, node, "symbolic tensors of Keras 3 take Python's numbers only",
                                confidence=Confidence.LIKELY)

    def _owner(self, node: ast.expr) -> str:
        """What an object is called: "layer" of ``model.layers[0]`` too, "self layer" of `self` in a layer."""
        if isinstance(node, ast.Subscript) and last_name(node.value).lower().endswith("layers"):
            return "layer"
        if isinstance(node, ast.Call) and last_name(node.func) == "get_layer":
            return "layer"
        if isinstance(node, ast.Name) and node.id == "self":
            return "self layer" if any(self._layers(node)) else "self"
        return last_name(node).lower()

    def _layers(self, node: ast.Name) -> Iterator[ast.ClassDef]:
        """The classes of the file that extend one of Keras and hold a node."""
        for holder in walk(self.ctx.tree):
            if isinstance(holder, ast.ClassDef) and holder.lineno <= node.lineno <= (holder.end_lineno or 0):
                bases = [self.ctx.names.resolve_node(base) or "" for base in holder.bases]
                if any(name.removeprefix("tensorflow.").startswith("keras.") for name in bases):
                    yield holder

    @cached_property
    def _texts(self) -> list[str]:
        index = self.ctx.index
        return [self.ctx.text, *(index.text(path) or "" for path in index.modules)]

    def _set_by_the_project(self, name: str) -> bool:
        """Whether classes of the project have such an attribute themselves."""
        own = re.compile(rf"(?:\.{name}\s*=[^=]|\bdef {name}\b|^\s*{name}\s*=[^=])", re.MULTILINE)
        return any(own.search(text) for text in self._texts)

    # -- calls

    def _method(self, call: ast.Call, function: ast.Attribute) -> bool:
        """Whether a call of a method was looked after."""
        name = function.attr
        if name in self.own or self.ctx.suppressed(CODE, call):
            return False
        if name in _METHODS:
            resolved = self.ctx.names.resolve_node(function) or ""
            if resolved and not resolved.removeprefix("tensorflow.").startswith("keras."):
                return False
            opening = self.lines.text.index("(", self.lines.span(function)[1]) + 1
            start, text = self.lines.span(call)[0], self.ctx.text[slice(*self.lines.span(function.value))]
            comma = ", " if call.args or call.keywords else ""
            self.edits.append(Edit(start, opening, (f"{self.ctx.support(_METHODS[name])}({text}{comma}",)))
            self.ctx.change(CODE, call, f"Keras 3 has no {name}", Rung.SUPPORT, Confidence.LIKELY)
            return True
        gone = _WITHOUT_EFFECT.get(name, frozenset()).intersection(k.arg or "" for k in call.keywords)
        if gone:
            self._without(call, gone)
        if self.standalone and name in _WEIGHED and any(k.arg == "sample_weight" for k in call.keywords):
            self.ctx.finding(
                CODE, call, "Keras 2 divided weighted losses by the number of weights that were not zero; "
                "Keras 3 divides by the number of all",
                "There is nothing to do where no weight is zero; else multiply the weights by their number "
                "over the number of those that are not zero.",
            )  # fmt: skip
        for word in call.keywords:
            if word.arg in _REFUSED.get(name, ()) and not _is_none(word.value):
                self.ctx.finding(
                    CODE, call, f"Keras 3's {name} takes no {word.arg}",
                    "Give what it stood for to fit, or write the step with tf.GradientTape.")
        return False

    def _without(self, call: ast.Call, names: frozenset[str]) -> None:
        try:
            site = read_call(self.ctx.text, self.lines, call)
        except (Unreadable, IndexError):
            return
        taken = {index: f"Keras 3 takes no {slot.keyword}, which changed no number"
                 for index, slot in enumerate(site.slots) if slot.keyword in names}
        for piece in without(site, taken):
            self.edits.append(Edit(piece.start, piece.end, ()))
            self.ctx.change(CODE, call, piece.reason)

    def _functional(self, call: ast.Call) -> None:
        """``Model([x], [y])``: lists of one, of which Keras 3 makes lists in ``model.output``, too."""
        if self.ctx.names.resolve_node(call.func) not in _MODELS or self.ctx.suppressed(CODE, call):
            return
        named = [word.value for word in call.keywords if word.arg in ("inputs", "outputs")]
        for value in (*call.args[:2], *named):
            if isinstance(value, ast.List) and len(value.elts) == 1 and not isinstance(
                    value.elts[0], ast.Starred):
                inner = self.lines.span(value.elts[0])
                self.edits.append(Edit(*self.lines.span(value), (inner,)))
                self.ctx.change(CODE, call, "Keras 3 takes a list of one for a list, in model.output too")

    def _logged_rate(self, logs: ast.expr, key: ast.expr) -> None:
        """``history.history["lr"]``, ``logs.get("lr")``."""
        if not (isinstance(key, ast.Constant) and key.value == "lr") or self.ctx.suppressed(CODE, key) or (
                last_name(logs) not in ("history", "logs")):
            return
        start, end = self.lines.span(key)
        quote = self.ctx.text[start]
        self.edits.append(Edit(start, end, (f"{quote}learning_rate{quote}",)))
        self.ctx.change(CODE, key, "Keras 3 logs the rate by its full name")

    def _batch_logs(self, node: ast.ClassDef) -> None:
        """Callbacks that read the numbers of a batch."""
        if not any((self.ctx.names.resolve_node(base) or "").endswith(".Callback") for base in node.bases):
            return
        for method in node.body:
            if isinstance(method, ast.FunctionDef) and method.name in _AFTER_BATCHES and (
                    len(method.args.args) > 2) and not self.ctx.suppressed(CODE, method):
                logs = method.args.args[2].arg
                reads = [n for n in walk(method) if isinstance(n, ast.Name) and n.id == logs
                         and isinstance(n.ctx, ast.Load)]
                if reads:
                    self.ctx.finding(
                        CODE, reads[0], "after a batch the logs of Keras 3 are means over the epoch so far; "
                        "those of TensorFlow 1's Keras were the batch's own",
                        "Take differences: n * mean - (n - 1) * mean before, for the epoch's n-th batch.",
                    )  # fmt: skip


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


@transform
class KerasAttributes:
    """TF142: what Keras 3's objects have not."""

    name = "keras_attributes"
    triggers = frozenset({"tensorflow.*", "keras.*"})
    words = frozenset({"keras"})
    order = 33

    def run(self, ctx: FileContext) -> str | None:
        if "keras" not in ctx.text:
            return None
        edits = _Attributes(ctx).read()
        return apply(ctx.text, edits)[0] if edits else None
