"""Symbolic tensors of Keras where TF 1 had tensors of its graph: TensorFlow's operations take them, and
Lambda layers read some beside their input."""
from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import tensorflow as tf

_dispatch = tf.__internal__.dispatch


def _symbolic(values: Any) -> bool:
    return any(isinstance(value, tf.keras.KerasTensor) for value in tf.nest.flatten(values))


class _Computed(tf.keras.Operation):
    """A function of TensorFlow as a step of a model."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self._function = function

    def call(self, *args: Any, **kwargs: Any) -> Any:
        return self._function(*args, **kwargs)

    def compute_output_spec(self, *args: Any, **kwargs: Any) -> Any:
        args, kwargs = tf.nest.map_structure(_dense, (args, kwargs))
        return super().compute_output_spec(*args, **kwargs)


def _dense(value: Any) -> Any:
    """A symbolic tensor that is no sparse input: Keras 3.15 takes the product with a number for sparse."""
    if not isinstance(value, tf.keras.KerasTensor) or not value.sparse or isinstance(
            value._keras_history.operation, tf.keras.layers.InputLayer):
        return value
    return tf.keras.KerasTensor(value.shape, value.dtype)


class _Operations(_dispatch.GlobalOpDispatcher):  # type: ignore[misc, name-defined]
    """Gives a model's step for each operation of TensorFlow on a symbolic tensor of Keras."""

    def handle(self, op: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        if _symbolic([args, kwargs]):
            return computed(op, *args, **kwargs)
        return self.NOT_SUPPORTED


_accepted: list[_Operations] = []


def accept() -> None:
    """From here on TensorFlow's operations take symbolic tensors of Keras, as in TF 1."""
    if not _accepted:
        _accepted.append(_Operations())
        _accepted[0].register()


def computed(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """`function` of the arguments; of symbolic tensors, the symbolic tensor that a model computes."""
    if not _symbolic([args, kwargs]):
        return function(*args, **kwargs)
    return _Computed(function)(*args, **kwargs)


class Lambda(tf.keras.layers.Lambda):
    """The layer, whose function may read symbolic tensors of the code around it: further inputs here."""

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        cells = [cell.cell_contents for cell in getattr(self.function, "__closure__", None) or ()]
        self._cells = types.SimpleNamespace(values=cells)  # nothing for Keras to look into
        read = [value for value in cells if isinstance(value, tf.keras.KerasTensor)]
        if read and not _joined(inputs, len(read)):  # a model gives again what it was made with
            inputs = [inputs, read]
        return super().__call__(inputs, *args, **kwargs)

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        cells = self._cells.values
        if not _symbolic(cells):
            return super().call(inputs, *args, **kwargs)
        inputs, read = inputs
        given, whole = iter(read), self.function
        self.function = types.FunctionType(
            whole.__code__, whole.__globals__, whole.__name__, whole.__defaults__, tuple(
                types.CellType(next(given) if isinstance(value, tf.keras.KerasTensor) else value)
                for value in cells))
        try:
            return super().call(inputs, *args, **kwargs)
        finally:
            self.function = whole


def _joined(inputs: Any, count: int) -> bool:
    """Whether the inputs are together with `count` tensors that the function reads."""
    return isinstance(inputs, (list, tuple)) and len(inputs) == 2 and (
        isinstance(inputs[1], (list, tuple)) and len(inputs[1]) == count)
