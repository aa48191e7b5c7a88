"""Names by which models of Keras were given losses, metrics and optimizers, and which Keras 3 does not know
or takes for something else: `model.compile("adadelta", "logcosh")`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from migrator.analysis.tree_walk import calls_in, last_name, walk
from migrator.analysis.values import argument
from migrator.engine import standalone_keras
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform
from migrator.model import Rung

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "TF141"
_STANDALONE = re.compile(r"^\s*(?:import|from) keras\b", re.MULTILINE)
#: What Keras 3 calls otherwise.
_NAMES = {"kullback_leibler_divergence": "kl_divergence", "logcosh": "log_cosh"}
_COSINE = frozenset({"cosine", "cosine_proximity"})
#: Optimizers that compute otherwise, or by other rates: of Keras 2 itself, and of its copy in TensorFlow 1.
_OWN = {
    "adadelta": ("keras.optimizers.Adadelta", "learning_rate=1.0"),
    "adamax": ("keras.optimizers.Adamax", "learning_rate=0.002"),
    "adagrad": ("keras_optimizers.Adagrad", ""),
    "nadam": ("keras_optimizers.Nadam", ""),
    "rmsprop": ("keras_optimizers.RMSprop", ""),
}
_COPY = {"rmsprop": ("keras_optimizers.RMSprop", ""), "nadam": ("keras_optimizers.NadamOfTensorFlow", "")}
_GETTERS = frozenset(
    f"{keras}.{module}.get" for keras in ("keras", "tensorflow.keras")
    for module in ("losses", "metrics", "optimizers"))


@transform
class KerasIdentifiers:
    """TF141: losses, metrics and optimizers that are given by name."""

    name = "keras_identifiers"
    triggers = frozenset({"tensorflow.keras.*", "keras.*"})
    words = frozenset({"keras"})
    order = 33

    def run(self, ctx: FileContext) -> str | None:
        if "keras" not in ctx.text:
            return None
        own = _STANDALONE.search(ctx.text) is not None
        if own and not standalone_keras.is_version_2(ctx.index, ctx.text):
            return None
        edits = _Identifiers(ctx, own).read()
        return apply(ctx.text, edits)[0] if edits else None


class _Identifiers:
    """The edits of one file; `own`: it imports Keras itself, not TensorFlow's copy."""

    def __init__(self, ctx: FileContext, own: bool) -> None:
        self.ctx, self.own = ctx, own
        self.lines = Lines(ctx.text)
        self.edits: list[Edit] = []

    def read(self) -> list[Edit]:
        for call in calls_in(self.ctx.tree):
            if self.ctx.suppressed(CODE, call):
                continue
            for kind, value in self._given(call):
                self._named(kind, value)
            self._held(call)
            if isinstance(call.func, ast.Attribute) and call.func.attr == "compile":
                self._accuracy(argument(call, 1, "loss"), argument(call, 2, "metrics"))
        return self.edits

    def _given(self, call: ast.Call) -> Iterator[tuple[str, ast.Constant]]:
        """(what it is for, the text) of names that a call gives."""
        if isinstance(call.func, ast.Attribute) and call.func.attr == "compile":
            places = ("optimizer", "loss", "metrics")
            given = [*zip(places, call.args, strict=False),
                     *((k.arg, k.value) for k in call.keywords if k.arg in places)]
        elif (getter := self.ctx.names.resolve_node(call.func) or "") in _GETTERS and call.args:
            given = [("optimizer" if ".optimizers." in getter else "loss", call.args[0])]
        else:
            return
        for kind, value in given:
            keys = {part for node in walk(value) if isinstance(node, ast.Dict) for key in node.keys if key
                    for part in walk(key)}
            for node in walk(value) if kind != "optimizer" else [value]:
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in keys:
                    yield kind or "", node

    def _held(self, call: ast.Call) -> None:
        """An optimizer that a variable may name, where the file has such names."""
        if not (isinstance(call.func, ast.Attribute) and call.func.attr == "compile"):
            return
        value = argument(call, 0, "optimizer")
        names = sorted(name for name in (_OWN if self.own else _COPY)
                       if re.search(rf"""["']{name}["']""", self.ctx.text, re.IGNORECASE))
        if names and isinstance(value, (ast.Name, ast.Attribute, ast.Subscript)):
            self.ctx.finding(
                CODE, call, f"if {ast.unparse(value)} is a name ({', '.join(map(repr, names))}), Keras 3 "
                "takes other steps by it than TensorFlow 1's Keras",
                "Make the optimizer where the name is chosen, by its class: it is then migrated.",
            )  # fmt: skip

    def _named(self, kind: str, node: ast.Constant) -> None:
        name = str(node.value)
        if kind == "optimizer":
            symbol, arguments = (_OWN if self.own else _COPY).get(name.lower(), ("", ""))
            if symbol:
                made = self._keras(symbol) if symbol.startswith("keras.") else self.ctx.support(symbol)
                self._put(node, f"{made}({arguments})", f"Keras 3 takes other steps by {name!r}")
        elif name in _COSINE:
            new = self._keras("keras.losses.cosine_similarity") if self.own else (
                self.ctx.support("keras_layers.cosine_proximity"))
            self._put(node, new, f"Keras 3 knows no {name!r}")
        elif name in _NAMES:
            quote = self.lines.text[self.lines.span(node)[0]]
            self._put(node, f"{quote}{_NAMES[name]}{quote}", f"Keras 3 calls it {_NAMES[name]}")

    # -- "accuracy", which Keras 2 took for the kind that went with the loss

    def _accuracy(self, loss: ast.expr | None, metrics: ast.expr | None) -> None:
        if loss is None or metrics is None or self._single:
            return
        if isinstance(loss, ast.Dict) and isinstance(metrics, ast.Dict):
            binary = {ast.unparse(key) for key, value in zip(loss.keys, loss.values, strict=True)
                      if key is not None and self._is_binary(value)}
            wanted = [value for key, value in zip(metrics.keys, metrics.values, strict=True)
                      if key is not None and ast.unparse(key) in binary]
        else:
            losses = list(getattr(loss, "elts", None) or getattr(loss, "values", None) or [loss])
            some = [self._is_binary(one) for one in losses]
            wanted = [metrics] if any(some) else []
            if any(some) and not all(some):
                for node in self._accuracies(wanted):
                    self.ctx.finding(
                        CODE, node, "Keras 3 chooses the kind of accuracy by shapes; TensorFlow 1's Keras "
                        "took binary accuracy where the loss is binary_crossentropy",
                        "Give metrics as a dict, with keras.metrics.BinaryAccuracy for those outputs.",
                    )  # fmt: skip
                return
        for node in self._accuracies(wanted):
            made = self._keras("keras.metrics.BinaryAccuracy")
            self._put(node, f"{made}(name={node.value!r})",
                      "with this loss it was the binary accuracy; Keras 3 chooses by shapes")

    def _is_binary(self, loss: ast.expr) -> bool:
        if isinstance(loss, ast.Constant):
            return loss.value == "binary_crossentropy"
        name = self.ctx.names.resolve_node(loss.func if isinstance(loss, ast.Call) else loss) or ""
        return name.removeprefix("tensorflow.").startswith("keras.") and name.endswith(
            (".binary_crossentropy", ".BinaryCrossentropy"))

    @staticmethod
    def _accuracies(values: list[ast.expr]) -> Iterator[ast.Constant]:
        for value in values:
            keys = {part for node in walk(value) if isinstance(node, ast.Dict) for key in node.keys if key
                    for part in walk(key)}
            for node in walk(value):
                if isinstance(node, ast.Constant) and node.value in ("acc", "accuracy") and node not in keys:
                    yield node

    @cached_property
    def _single(self) -> bool:
        """Whether all layers with a sigmoid have one unit, of which Keras 3 thinks the same."""
        units = [
            argument(call, 0, "units") for call in calls_in(self.ctx.tree)
            if last_name(call.func) == "Dense" and any(
                k.arg == "activation" and isinstance(k.value, ast.Constant) and k.value.value == "sigmoid"
                for k in call.keywords)]
        return bool(units) and all(isinstance(n, ast.Constant) and n.value == 1 for n in units)

    def _keras(self, name: str) -> str:
        """A name of Keras as this file writes it."""
        if self.own:
            return self.ctx.require_import("keras") + name.removeprefix("keras")
        return f"{self.ctx.require_import('tensorflow', None, 'tf')}.{name}"

    def _put(self, node: ast.Constant, new: str, why: str) -> None:
        self.edits.append(Edit(*self.lines.span(node), (new,)))
        rung = Rung.SUPPORT if "keras_" in new else Rung.NATIVE
        self.ctx.change(CODE, node, why, rung)
