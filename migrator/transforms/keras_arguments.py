"""Arguments of Keras layers and optimizers that TF 1.15 took and Keras 3 ignores, refuses or reads
otherwise: `decay`, `epsilon=None`, `clipnorm` of standalone Keras, `"hard_sigmoid"`, `batch_input_shape`.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from migrator.analysis.facts_layer_names import layer_namers
from migrator.analysis.tree_walk import last_name, walk
from migrator.engine import standalone_keras
from migrator.engine.callsite import CallSite, Slot, Unreadable, read_call
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.keywords import dropped, without
from migrator.engine.registry import transform
from migrator.model import Confidence, Rung

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "TF141"
_TF = "tensorflow."
_OPTIMIZERS = "keras.optimizers."  # of tf.keras and of Keras itself
_LAYERS = "keras.layers."
#: Those that the support package has; of the others the rate is called by the tables.
_SUPPORTED = frozenset({"Adagrad", "Nadam", "RMSprop"})
_RATES = ("lr", "learning_rate")
# Learning rates by default of TF 1.15 and Keras 3 alike.
_DEFAULT = {"SGD": "0.01"}
_OTHER_DEFAULT = "0.001"
# What sets the learning rate of an optimizer, which a schedule does not allow.
_SETS_RATE = re.compile(
    r"\bReduceLROnPlateau\b|\bLearningRateScheduler\b|optimizer\.(?:lr|learning_rate)\b"
)


class _Arguments:
    """The edits of one file."""

    def __init__(self, ctx: FileContext) -> None:
        self.ctx = ctx
        self.lines = Lines(ctx.text)
        self.namers = layer_namers(ctx.index)
        self.edits: list[Edit] = []
        self.of_version_2 = standalone_keras.is_version_2(ctx.index, ctx.text)

    def read(self) -> list[Edit]:
        for node in walk(self.ctx.tree):
            if not isinstance(node, ast.Call) or not (node.args or node.keywords):
                continue
            full = self.ctx.names.resolve_node(node.func) or ""
            name = full.removeprefix(_TF)
            if self.ctx.suppressed(CODE, node):
                continue
            if last_name(node.func) in self.namers and not full.startswith((_TF, "keras.")):
                for word in node.keywords:
                    if word.arg == "name":
                        self._layer_name(node, word.value)
                continue
            if not name.startswith((_OPTIMIZERS, _LAYERS)):
                continue
            try:
                site = read_call(self.ctx.text, self.lines, node)
            except (Unreadable, IndexError):
                continue
            if name.startswith(_OPTIMIZERS):
                self._optimizer(node, site, full)
            else:
                self._layer(node, site, full)
        return self.edits

    # -- optimizers

    def _optimizer(self, call: ast.Call, site: CallSite, name: str) -> None:
        gone: dict[int, str] = {}
        for slot in site.slots:
            if slot.keyword == "lr" and name.rpartition(".")[2] in _SUPPORTED:
                self.edits.append(Edit(slot.start, slot.start + 2, ("learning_rate",)))
                self.ctx.change(CODE, call, "lr is learning_rate now")
        for index, slot in enumerate(site.slots):
            value = slot.node.value if isinstance(slot.node, ast.Constant) else ...
            if slot.keyword == "epsilon" and value is None:
                gone[index] = "TF 1's epsilon=None was Keras's own, the default"
            elif slot.keyword == "decay" and value in (0, None):
                gone[index] = "Keras 3 has no decay, and it was none"
            elif slot.keyword == "decay" and self._decay(call, site, index, name):
                gone[index] = "Keras 3 decays learning rates by schedules only"
            elif slot.keyword == "clipnorm" and not name.startswith(_TF) and self.of_version_2:
                end = slot.start + len("clipnorm")
                self.edits.append(Edit(slot.start, end, ("global_clipnorm",)))
                self.ctx.change(CODE, call, "Keras 2 clipped the norm of all gradients together")
        for piece in without(site, gone):
            self.edits.append(Edit(piece.start, piece.end, ()))
            self.ctx.change(CODE, call, piece.reason)

    def _keras(self, name: str) -> str:
        """How this file writes the module that a Keras name comes from."""
        if not name.startswith(_TF):
            return self.ctx.require_import("keras")
        return self.ctx.require_import("tensorflow", None, "tf") + ".keras"

    def _decay(self, call: ast.Call, site: CallSite, index: int, name: str) -> bool:
        """Put the schedule where the rate is given; whether `decay` is to be taken out then."""
        slots = site.slots
        if _SETS_RATE.search(self.ctx.text) or any(slot.stars for slot in slots):
            self.ctx.finding(
                CODE, call, "Keras 3 ignores decay, and this file sets the learning rate itself",
                "Multiply the rate by 1 / (1 + decay * iterations) where it is set, or give the "
                "optimizer tf.keras.optimizers.schedules.InverseTimeDecay.",
            )  # fmt: skip
            return False
        rate = next((s for s in slots if s.keyword in _RATES), None)
        if rate is None and slots[0].keyword is None:
            rate = slots[0]
        schedule = f"{self._keras(name)}.optimizers.schedules.InverseTimeDecay("
        decayed = self._value(slots[index])
        if rate is None:
            first = _DEFAULT.get(name.rpartition(".")[2], _OTHER_DEFAULT)
            new = f"learning_rate={schedule}{first}, 1, {decayed})"
            self.edits.append(Edit(slots[index].start, slots[index].end, (new,)))
            self.ctx.change(CODE, call, "Keras 3 decays learning rates by schedules only")
            return False
        value = (rate.value_start, rate.end)
        self.edits.append(Edit(*value, (schedule, value, f", 1, {decayed})")))
        return True

    def _value(self, slot: Slot) -> str:
        return self.ctx.text[slot.value_start : slot.end]

    # -- layers

    def _layer(self, call: ast.Call, site: CallSite, name: str) -> None:
        if name == "keras.layers.UpSampling2D" and self.of_version_2 and any(
                slot.keyword == "interpolation" and ast.unparse(slot.node) != "'nearest'"
                for slot in site.slots):
            self.edits.append(
                Edit(*self.lines.span(call.func), (self.ctx.support("keras_layers.UpSampling2D"),)))
            self.ctx.change(CODE, call, "Keras 3 interpolates between the centres of pixels", Rung.SUPPORT)
        if name.endswith(".Embedding"):
            self._embedding(call, site)
        for index, slot in enumerate(site.slots):
            literal = slot.node.value if isinstance(slot.node, ast.Constant) else None
            if literal == "hard_sigmoid" and (name.startswith(_TF) or self.of_version_2):
                new = self.ctx.support("keras_layers.hard_sigmoid")
                self.edits.append(Edit(slot.value_start, slot.end, (new,)))
                self.ctx.change(CODE, call, "Keras 3's hard_sigmoid has another slope", Rung.SUPPORT)
            elif slot.keyword == "batch_input_shape":
                self._batch_shape(call, site, index, name)
            elif slot.keyword == "name" and "/" in self._value(slot):
                self._layer_name(call, slot.node)

    def _layer_name(self, call: ast.Call, value: ast.expr) -> None:
        """Literal parts of a layer's name lose what Keras 3 refuses."""
        if isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Mod, ast.Add)):
            parts = [value.left, value.right] if isinstance(value.op, ast.Add) else [value.left]
        elif isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and (
            value.func.attr == "format"
        ):
            parts = [value.func.value]
        else:
            parts = [value]
        for part in parts:
            if not (isinstance(part, ast.Constant) and isinstance(part.value, str)):
                continue
            start, end = self.lines.span(part)
            new = self.ctx.text[start:end].replace("/", "_")
            if new != self.ctx.text[start:end]:
                self.edits.append(Edit(start, end, (new,)))
                self.ctx.change(CODE, call, "Keras 3 refuses a slash in a layer's name",
                                confidence=Confidence.LIKELY)

    def _batch_shape(self, call: ast.Call, site: CallSite, index: int, name: str) -> None:
        """An Input before the layer, in the list of a Sequential model or by an `add` before it."""
        shape = self._value(site.slots[index])
        place = self._place(call)
        if place is None:
            self.ctx.finding(
                CODE, call, "layers of Keras 3 take no batch_input_shape",
                "Put a tf.keras.Input(batch_shape=...) before the layer.",
            )  # fmt: skip
            return
        start, before, after = place
        entry = f"{self._keras(name)}.Input(batch_shape={shape})"
        piece = dropped(site, index, "")
        self.edits.append(Edit(start, start, (before, entry, after)))
        self.edits.append(Edit(piece.start, piece.end, ()))
        self.ctx.change(CODE, call, "Keras 3 takes the batch's size by an Input",
                        confidence=Confidence.LIKELY)

    def _embedding(self, call: ast.Call, site: CallSite) -> None:
        """The first layer of a Sequential model, which Keras 2 built at once: of an Embedding, too, which
        said the shape of its input itself."""
        if any(slot.stars or slot.keyword in ("input_shape", "batch_input_shape") for slot in site.slots):
            return
        index, length = next(
            ((i, slot) for i, slot in enumerate(site.slots) if slot.keyword == "input_length"), (0, None))
        if self._place(call) is None:
            for piece in without(site, {} if length is None else {index: "Keras 3 takes no input_length"}):
                self.edits.append(Edit(piece.start, piece.end, ()))
                self.ctx.change(CODE, call, piece.reason)
            return
        if length is None:
            start = end = site.slots[-1].end
            new: tuple[str | tuple[int, int], ...] = (", input_shape=(None,)",)
        elif isinstance(length.node, (ast.Tuple, ast.List)):
            return
        else:
            start, end = length.start, length.end
            new = ("input_shape=(", (length.value_start, length.end), ",)")
        self.edits.append(Edit(start, end, new))
        self.ctx.change(CODE, call, "Keras 3 builds a Sequential model once it knows its input's shape")

    def _place(self, call: ast.Call) -> tuple[int, str, str] | None:
        """(where an Input goes, the text before and after it); None where there is no place."""
        for statement in walk(self.ctx.tree):
            if isinstance(statement, ast.List):
                holder = next((item for item in statement.elts if _wraps(item, call)), None)
                if holder is not None:
                    return self.lines.span(holder)[0], "", ", "
            if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)):
                continue
            adding = statement.value
            if not (isinstance(adding.func, ast.Attribute) and adding.func.attr == "add"):
                continue
            if len(adding.args) == 1 and _wraps(adding.args[0], call):
                owner = ast.get_source_segment(self.ctx.text, adding.func)
                indent = self.lines.indent(statement.lineno)
                return self.lines.span(statement)[0], f"{owner}(", f")\n{indent}"
        return None


def _wraps(layer: ast.expr, call: ast.Call) -> bool:
    """Whether a layer is that call, or a wrapper of it (``Bidirectional(LSTM(...))``)."""
    while layer is not call:
        if not (isinstance(layer, ast.Call) and layer.args):
            return False
        layer = layer.args[0]
    return True


@transform
class KerasArguments:
    """TF141: what calls of Keras layers and optimizers give."""

    name = "keras_arguments"
    triggers = frozenset({f"{_TF}{_OPTIMIZERS}*", f"{_TF}{_LAYERS}*", "keras.*"})
    order = 31

    def run(self, ctx: FileContext) -> str | None:
        edits = _Arguments(ctx).read()
        return apply(ctx.text, edits)[0] if edits else None
