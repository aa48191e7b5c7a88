"""TF167: calls of standalone Keras 2 in the words of Keras 1, which it took, and first weights of layers.

Read from `keras/legacy/interfaces.py` of Keras 2.2.4.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrator.analysis.tree_walk import calls_in
from migrator.engine import standalone_keras
from migrator.engine.callsite import CallSite, Unreadable, read_call
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.keywords import without
from migrator.engine.registry import transform
from migrator.model import Rung

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "TF167"
_TF = "tensorflow."
_OF_KERAS_2 = {"padding", "strides", "data_format"}  # with which Keras 2 refused two sides
_WEIGHTS = {"init": "kernel_initializer", "W_regularizer": "kernel_regularizer",
            "b_regularizer": "bias_regularizer", "W_constraint": "kernel_constraint",
            "b_constraint": "bias_constraint", "bias": "use_bias"}  # fmt: skip
_IMAGES = {"border_mode": "padding", "dim_ordering": "data_format"}
_CONV = {**_WEIGHTS, **_IMAGES, "nb_filter": "filters", "subsample": "strides"}
_CONV1D = {**_WEIGHTS, "border_mode": "padding", "nb_filter": "filters", "filter_length": "kernel_size",
           "subsample_length": "strides"}  # fmt: skip
_RECURRENT = {
    **{old: new for old, new in _WEIGHTS.items() if old != "bias"}, "output_dim": "units",
    "inner_init": "recurrent_initializer", "inner_activation": "recurrent_activation",
    "U_regularizer": "recurrent_regularizer", "dropout_W": "dropout", "dropout_U": "recurrent_dropout",
}
_POOL = {"pool_length": "pool_size", "stride": "strides", **_IMAGES}
_RATE = {"p": "rate", "dim_ordering": "data_format"}
_PLACED = {"dim_ordering": "data_format"}
_SEPARABLE = {old: new for old, new in _CONV.items() if old not in ("init", "W_regularizer", "W_constraint")}
#: Layers and models -> the arguments of Keras 1 -> those of Keras 2 and 3.
_RENAMED: dict[str, dict[str, str]] = {
    "Dense": {**_WEIGHTS, "output_dim": "units"},
    **dict.fromkeys(("Conv1D", "Convolution1D"), _CONV1D),
    **dict.fromkeys(("Conv2D", "Convolution2D", "Conv3D", "Convolution3D", "Conv2DTranspose",
                     "Convolution2DTranspose"), _CONV),
    **dict.fromkeys(("SeparableConv2D", "SeparableConvolution2D"), _SEPARABLE),
    **dict.fromkeys(("LSTM", "GRU", "SimpleRNN"), _RECURRENT),
    **dict.fromkeys(("MaxPooling1D", "MaxPooling2D", "MaxPooling3D", "AveragePooling1D", "AveragePooling2D",
                     "AveragePooling3D"), _POOL),
    **dict.fromkeys(("Dropout", "SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D",
                     "GaussianDropout"), _RATE),
    **dict.fromkeys(("GlobalMaxPooling2D", "GlobalAveragePooling2D", "UpSampling2D", "UpSampling3D",
                     "ZeroPadding2D", "ZeroPadding3D", "Cropping2D", "Cropping3D", "Flatten"), _PLACED),
    "UpSampling1D": {"length": "size"},
    "GaussianNoise": {"sigma": "stddev"},
    "PReLU": {"init": "alpha_initializer"},
    "Embedding": {"init": "embeddings_initializer", "W_regularizer": "embeddings_regularizer",
                  "W_constraint": "embeddings_constraint"},
    "BatchNormalization": {"beta_init": "beta_initializer", "gamma_init": "gamma_initializer"},
    "Model": {"input": "inputs", "output": "outputs"},
    "Input": {"input_dtype": "dtype"},
}  # fmt: skip
#: Those whose kernel's sides may be integers, one behind the other.
_SIDES = frozenset({"Conv2D", "Convolution2D", "SeparableConv2D", "SeparableConvolution2D", "Conv2DTranspose",
                   "Convolution2DTranspose"})  # fmt: skip
_ORDERINGS = {"tf": "channels_last", "th": "channels_first"}


class _Calls:
    """The edits of one file."""

    def __init__(self, ctx: FileContext) -> None:
        self.ctx = ctx
        self.lines = Lines(ctx.text)
        self.edits: list[Edit] = []
        self.of_2 = standalone_keras.is_version_2(ctx.index, ctx.text)

    def read(self) -> list[Edit]:
        for node in calls_in(self.ctx.tree):
            full = self.ctx.names.resolve_node(node.func) or ""
            ours = full.removeprefix(_TF)
            if not ours.startswith("keras.") or self.ctx.suppressed(CODE, node):
                continue
            try:
                site = read_call(self.ctx.text, self.lines, node)
            except (Unreadable, IndexError):
                continue
            module, _, name = ours[len("keras.") :].rpartition(".")
            module = module.partition(".")[0]
            if full == ours and module in ("layers", "models", "engine", "legacy", ""):
                self._keywords(node, site, name)
            if module == "layers":
                self._weights(node, site)
        return self.edits

    def _keywords(self, call: ast.Call, site: CallSite, name: str) -> None:
        """``Dense(output_dim=3, init='uniform')``, ``Convolution2D(64, 3, 3, border_mode='same')``."""
        renamed = _RENAMED.get(name, {})
        given = {slot.keyword for slot in site.slots if slot.keyword is not None}
        places = [slot for slot in site.slots if slot.keyword is None and not slot.stars]
        if name in _SIDES and len(places) == 3 and self.of_2 and not given & _OF_KERAS_2:
            rows, columns = places[1:]
            if not any(isinstance(slot.node, (ast.Tuple, ast.List)) for slot in (rows, columns)):
                self.edits += [Edit(rows.start, rows.start, ("(",)), Edit(columns.end, columns.end, (")",))]
                self.ctx.change(CODE, call, "a kernel's second side, which Keras 3 takes for the strides")
        if name in _SIDES and {"nb_row", "nb_col"} <= given:
            self._sides(call, site)
        for slot in site.slots:
            new = renamed.get(slot.keyword or "")
            if new is None or new in given:
                continue
            assert slot.keyword is not None
            self.edits.append(Edit(slot.start, slot.start + len(slot.keyword), (new,)))
            self.ctx.change(CODE, call, f"{slot.keyword} of Keras 1 is {new}")
            if slot.keyword == "dim_ordering":
                self._ordering(slot.node)

    def _sides(self, call: ast.Call, site: CallSite) -> None:
        """``nb_row=3, nb_col=3`` is one kernel_size."""
        rows, columns = (next(s for s in site.slots if s.keyword == name) for name in ("nb_row", "nb_col"))
        text = self.ctx.text
        size = f"({text[rows.value_start : rows.end]}, {text[columns.value_start : columns.end]})"
        self.edits.append(Edit(rows.start, rows.end, (f"kernel_size={size}",)))
        for piece in without(site, {site.slots.index(columns): ""}):
            self.edits.append(Edit(piece.start, piece.end, ()))
        self.ctx.change(CODE, call, "nb_row and nb_col of Keras 1 are kernel_size")

    def _ordering(self, node: ast.expr) -> None:
        start, end = self.lines.span(node)
        if isinstance(node, ast.Constant):
            new = repr(_ORDERINGS.get(str(node.value)))
        else:
            new = f"{{'tf': 'channels_last', 'th': 'channels_first'}}.get({self.ctx.text[start:end]})"
        self.edits.append(Edit(start, end, (new,)))

    def _weights(self, call: ast.Call, site: CallSite) -> None:
        """``Embedding(10, 3, weights=[table])``: the values that a layer begins with."""
        index = next((i for i, slot in enumerate(site.slots) if slot.keyword == "weights"), None)
        if index is None:
            return
        slot = site.slots[index]
        for piece in without(site, {index: ""}):
            self.edits.append(Edit(piece.start, piece.end, ()))
        new = self.ctx.support("keras_layers.weighted")
        value = self.ctx.text[slot.value_start : slot.end]
        self.edits += [Edit(site.start, site.start, (f"{new}(",)), Edit(site.end, site.end, (f", {value})",))]
        self.ctx.change(CODE, call, "layers of Keras 3 are not given weights", Rung.SUPPORT)


@transform
class Keras1Arguments:
    """TF167: the words of Keras 1."""

    name = "keras1_arguments"
    triggers = frozenset({"keras.*", "tensorflow.keras.*"})
    order = 30  # ahead of what goes by the words of Keras 2

    def run(self, ctx: FileContext) -> str | None:
        edits = _Calls(ctx).read()
        return apply(ctx.text, edits)[0] if edits else None
