"""Recomputes activations in the backward pass: a Keras model in segments under tf.recompute_grad.

A segment ends where one tensor carries everything that comes later; only those tensors are kept.
Layers that update statistics (batch normalisation) run twice, and so do their updates.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from migrator.measure.programs import measure_probe as probe
from migrator.measure.programs.measure_subjects import Subject, item_size


def bottlenecks(model: Any) -> list[tuple[Any, int]]:
    """(tensor, bytes for one item of all tensors made since the last) where one tensor carries all.

    model: a functional Keras model. Its inputs count as gone once their last reader has run.
    """
    layers = [x for x in model.layers if x._inbound_nodes]
    known = set(map(id, layers))
    last: dict[int, int] = {}  # id(tensor) -> index of its last reader
    for index, layer in enumerate(layers):
        for node in layer._inbound_nodes:
            for tensor in node.input_tensors:
                last[id(tensor)] = index
    for tensor in model.outputs:
        last[id(tensor)] = len(layers)
    live: dict[int, Any] = {}
    found: list[tuple[Any, int]] = []
    size = 0
    for index, layer in enumerate(layers):
        for node in layer._inbound_nodes:
            for tensor in node.output_tensors:
                if last.get(id(tensor), -1) > index and id(layer) in known:
                    live[id(tensor)] = tensor
                    size += math.prod(d or 1 for d in tensor.shape) * item_size(tensor.dtype)
        live = {k: t for k, t in live.items() if last[k] > index}
        if len(live) == 1:
            found.append((next(iter(live.values())), size))
            size = 0
    return found


def segments(tf: Any, model: Any) -> list[Any]:
    """Models that one after the other compute `model`: about √n of them for n cutting points, with
    about as many bytes of activations in each."""
    cuts = bottlenecks(model)
    if len(model.inputs) != 1 or len(cuts) < 4:
        raise probe.Unusable("the model has too few places where one tensor carries everything")
    share = sum(size for _, size in cuts) / math.isqrt(len(cuts))
    chosen: list[Any] = []
    since = 0
    for tensor, size in cuts[:-1]:
        since += size
        if since >= share and tensor is not model.inputs[0]:
            chosen.append(tensor)
            since = 0
    ends = [*chosen, model.outputs if len(model.outputs) > 1 else model.outputs[0]]
    starts = [model.inputs[0], *chosen]
    return [tf.keras.Model(a, b) for a, b in zip(starts, ends, strict=True)]


def forward(tf: Any, subject: Subject) -> Callable[[dict[str, Any], bool], Any]:
    """The subject's forward pass, recomputing all segments but the last one.

    Raises:
      Unusable: there is no functional Keras model to cut.
    """
    model = subject.model
    if model is None or not getattr(model, "inputs", None) or not hasattr(model, "_nodes_by_depth"):
        raise probe.Unusable("recomputation needs a functional Keras model to cut into segments")
    parts = segments(tf, model)

    def run(inputs: dict[str, Any], training: bool) -> Any:
        (value,) = inputs.values()
        for part in parts[:-1]:
            value = tf.recompute_grad(lambda x, part=part: part(x, training=training))(value)
        return parts[-1](value, training=training)

    return run
