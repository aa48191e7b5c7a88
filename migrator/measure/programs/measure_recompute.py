"""Recomputes activations in the backward pass: a Keras model in parts under tf.recompute_grad.

A functional model is cut into segments; one ends where one tensor carries everything that comes
later, and only those tensors are kept. Of a model whose `call` is Python, the layers that are made of
layers (its blocks) are the parts. Layers that update statistics (batch normalisation) or draw numbers
(dropout) run twice, and so do their updates and draws.
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
    about as many bytes of activations in each. [] where there are too few points."""
    cuts = bottlenecks(model)
    if len(model.inputs) != 1 or len(cuts) < 4:
        return []
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


def _functional(layer: Any) -> Any:
    """The graph of layers behind a model, None where its `call` is Python."""
    layer = getattr(layer, "_functional", None) or layer  # of a Sequential
    return layer if getattr(layer, "inputs", None) and hasattr(layer, "_nodes_by_depth") else None


def _inner(layer: Any) -> list[Any]:
    return list(layer._flatten_layers(include_self=False, recursive=False))


def blocks(layer: Any) -> list[Any]:
    """The outermost layers below `layer` that are made of layers, in order of creation.

    A single one is looked into: recomputed whole, it would hold everything at once again.
    """
    found = [x for x in _inner(layer) if _inner(x)]
    if len(found) == 1 and _functional(found[0]) is None:
        return blocks(found[0])
    return found


def _in_segments(tf: Any, parts: list[Any]) -> Callable[..., Any]:
    """A call that recomputes all segments but the last one."""

    def call(value: Any, training: Any = None, **_: Any) -> Any:
        for part in parts[:-1]:
            value = tf.recompute_grad(lambda x, part=part: part(x, training=training))(value)
        return parts[-1](value, training=training)

    return call


def _again(tf: Any, plain: Callable[..., Any]) -> Callable[..., Any]:
    """`plain` under tf.recompute_grad, wherever among its arguments the tensors are: what it does not
    get as positional tensors would have no gradient."""

    def call(*args: Any, **kwargs: Any) -> Any:
        leaves = tf.nest.flatten((args, kwargs))
        places = [i for i, leaf in enumerate(leaves) if tf.is_tensor(leaf)]

        def filled(*tensors: Any) -> Any:
            values = list(leaves)
            for i, tensor in zip(places, tensors, strict=True):
                values[i] = tensor
            own, named = tf.nest.pack_sequence_as((args, kwargs), values)
            return plain(*own, **named)

        return tf.recompute_grad(filled)(*(leaves[i] for i in places))

    return call


def _calls(tf: Any, model: Any) -> dict[Any, Callable[..., Any]]:
    """{block: what to call in the place of its `call`} for a model whose own `call` is Python."""
    found: dict[Any, Callable[..., Any]] = {}
    inner = blocks(model)
    for block in inner:
        graph = _functional(block)
        parts = segments(tf, graph) if graph is not None else []
        if parts:
            found[block] = _in_segments(tf, parts)
        elif len(inner) > 1:
            found[block] = _again(tf, block.call)
    return found


def forward(tf: Any, subject: Subject) -> Callable[[dict[str, Any], bool], Any]:
    """The subject's forward pass with parts of its model recomputed.

    Raises:
      Unusable: there is no Keras model, or nothing in it to cut at.
    """
    model = subject.model
    if model is None:
        raise probe.Unusable("recomputation needs a Keras model to cut into parts")
    graph = _functional(model)
    if graph is not None:
        parts = segments(tf, graph)
        if not parts:
            raise probe.Unusable("the model has too few places where one tensor carries everything")
        call = _in_segments(tf, parts)
        return lambda inputs, training: call(*inputs.values(), training=training)
    plain = subject.forward
    calls: dict[Any, Callable[..., Any]] = {}

    def run(inputs: dict[str, Any], training: bool) -> Any:
        if not calls:
            plain(inputs, training)  # makes layers that the model builds when it is called
            calls.update(_calls(tf, model))
            if not calls:
                raise probe.Unusable("the model has no layers made of layers to compute again")
        before = {block: block.call for block in calls}
        try:
            for block, call in calls.items():
                block.call = call
            return plain(inputs, training)
        finally:
            for block, call in before.items():
                block.call = call

    return run
