"""The graph functions of Keras 2's backend, over the symbolic tensors of Keras 3."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf


def metrics_names(model: Any) -> list[str]:
    """What `model.evaluate` gives, in its order: Keras 3 has one name for all metrics of `compile`."""
    names: list[str] = []
    for metric in model.metrics:
        names += [one.name for one in getattr(metric, "metrics", None) or [metric]]
    return names


def image_dim_ordering() -> str:
    """Where images have their channels, as Keras 1 said it: 'th' first, 'tf' last."""
    return "th" if tf.keras.backend.image_data_format() == "channels_first" else "tf"


def set_image_dim_ordering(dim_ordering: str) -> None:
    """Channels are the first dimension of images ('th') or the last ('tf')."""
    tf.keras.backend.set_image_data_format({"th": "channels_first", "tf": "channels_last"}[dim_ordering])


class _LearningPhase:
    """What stands for "training or not" among the inputs of a `function`."""

    def __bool__(self) -> bool:
        raise TypeError("the learning phase is known only inside of a function; pass training=...")


_PHASE = _LearningPhase()


def learning_phase() -> Any:
    """The input of a `function` that says whether it trains (1) or not (0)."""
    return _PHASE


def placeholder(
    shape: Sequence[int | None] | None = None, ndim: int | None = None, dtype: Any = None,
    sparse: bool = False, name: str | None = None, ragged: bool = False,
) -> Any:
    """A symbolic tensor of Keras, for models and layers to be called with."""
    if shape is None:
        if ndim is None:
            raise ValueError("a placeholder of Keras 3 has a known rank: give shape or ndim")
        shape = [None] * ndim
    return tf.keras.Input(
        batch_shape=tuple(shape), dtype=dtype or tf.keras.backend.floatx(), sparse=sparse, name=name,
        ragged=ragged)


class Function:
    """Computes outputs from inputs, both symbolic tensors; takes a list, gives arrays."""

    def __init__(self, inputs: Sequence[Any], outputs: Any) -> None:
        self.inputs, self.outputs = list(inputs), outputs
        self._listed = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
        self._model = tf.keras.Model([x for x in self.inputs if x is not _PHASE], self._listed)

    def __call__(self, inputs: Any) -> Any:
        given = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
        if len(given) != len(self.inputs):
            raise ValueError(f"the function takes {len(self.inputs)} inputs, not {len(given)}")
        training = False
        tensors = []
        for place, value in zip(self.inputs, given, strict=True):
            if place is _PHASE:
                training = bool(value)
            else:
                tensors.append(tf.convert_to_tensor(value, place.dtype))
        results = tf.nest.flatten(self._model(tensors, training=training))
        arrays = [np.asarray(result) for result in results]
        return arrays if isinstance(self.outputs, (list, tuple)) else arrays[0]


def function(inputs: Any, outputs: Any, updates: Any = None, name: str | None = None) -> Function:
    """`outputs` as a function of `inputs`.

    Raises ValueError for `updates`, which are assignments in a graph: Keras 3 has none.
    """
    del name
    if updates:
        raise ValueError("updates are assignments of a graph; make them where the function is called")
    return Function(inputs if isinstance(inputs, (list, tuple)) else [inputs], outputs)


__all__ = ["Function", "function", "learning_phase", "placeholder"]
