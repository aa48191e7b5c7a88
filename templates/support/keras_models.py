"""What models and layers of Keras 2 had, for those of Keras 3."""

from __future__ import annotations

from typing import Any

import numpy as np


def predict_proba(model: Any, x: Any, batch_size: int | None = 32, verbose: int = 0) -> np.ndarray:
    """What the model predicts; that these are probabilities is up to its last layer."""
    return model.predict(x, batch_size=batch_size, verbose=verbose)


def predict_classes(model: Any, x: Any, batch_size: int | None = 32, verbose: int = 0) -> np.ndarray:
    """The number of the likeliest class; of one unit, whether it is above a half, as a column."""
    found = predict_proba(model, x, batch_size, verbose)
    return found.argmax(axis=-1) if found.shape[-1] > 1 else (found > 0.5).astype("int32")


def reset_states(of: Any, *states: Any) -> None:
    """Sets the state of recurrent layers back, of a metric, or of all layers of a model."""
    for name in ("reset_states", "reset_state"):
        if hasattr(of, name):
            getattr(of, name)(*states)
            return
    for layer in of.layers:
        if getattr(layer, "stateful", False) or hasattr(layer, "layers"):
            reset_states(layer)


def output_shape(layer: Any) -> Any:
    """The shape of what a layer or model gives, batch included: a tuple, or a list of tuples."""
    return layer.output_shape if hasattr(layer, "output_shape") else _shape(layer.output)


def input_shape(layer: Any) -> Any:
    """The shape of what a layer or model takes, batch included: a tuple, or a list of tuples."""
    return layer.input_shape if hasattr(layer, "input_shape") else _shape(layer.input)


def output_at(layer: Any, index: int) -> Any:
    """What the layer gave where it was called; a functional model's own outputs are its first."""
    return _one([layer.outputs] if hasattr(layer, "operations") else [], layer, "output_tensors", index)


def input_at(layer: Any, index: int) -> Any:
    """What the layer was given where it was called; a functional model's own inputs are its first."""
    return _one([layer.inputs] if hasattr(layer, "operations") else [], layer, "input_tensors", index)


def output_shape_at(layer: Any, index: int) -> Any:
    return _shape(output_at(layer, index))


def input_shape_at(layer: Any, index: int) -> Any:
    return _shape(input_at(layer, index))


def _one(own: list[Any], layer: Any, name: str, index: int) -> Any:
    tensors = [*own, *(getattr(node, name) for node in layer._inbound_nodes)][index]
    return tensors[0] if len(tensors) == 1 else list(tensors)


def _shape(tensors: Any) -> Any:
    if isinstance(tensors, (list, tuple)):
        return [_shape(tensor) for tensor in tensors]
    return tuple(tensors.shape)


__all__ = [
    "input_at", "input_shape", "input_shape_at", "output_at", "output_shape", "output_shape_at",
    "predict_classes", "predict_proba", "reset_states",
]  # fmt: skip
