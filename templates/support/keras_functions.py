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


def set_value(x: Any, value: Any) -> None:
    """Gives a variable a value: one of TensorFlow, of Keras, or the rate of an optimizer."""
    x.assign(tf.cast(tf.convert_to_tensor(np.asarray(value)), x.dtype))


def batch_set_value(tuples: Sequence[tuple[Any, Any]]) -> None:
    """`set_value` for each of the pairs."""
    for x, value in tuples:
        set_value(x, value)


def targets(true: Any, pred: Any) -> tf.Tensor:
    """Targets as losses of the program's own got them: of the type of the predictions, and one number for
    each of the batch as a column."""
    found = tf.cast(true, pred.dtype)
    return found[:, tf.newaxis] if found.shape.rank == 1 and pred.shape.rank != 1 else found


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
        arrays = [np.array(result) for result in results]  # of their own, to be written to
        return arrays if isinstance(self.outputs, (list, tuple)) else arrays[0]


def function(inputs: Any, outputs: Any, updates: Any = None, name: str | None = None) -> Function:
    """`outputs` as a function of `inputs`.

    Raises ValueError for `updates`, which are assignments in a graph: Keras 3 has none.
    """
    del name
    if updates:
        raise ValueError("updates are assignments of a graph; make them where the function is called")
    return Function(inputs if isinstance(inputs, (list, tuple)) else [inputs], outputs)


class _Gradients(tf.keras.layers.Layer):
    """Gradients by tensors in the middle of a model: `behind` computes what is derived from them and from the
    model's inputs."""

    def __init__(self, behind: Any, count: int) -> None:
        super().__init__()
        self._behind, self._count = [behind], count  # in a list: its weights are the model's

    def call(self, tensors: Sequence[tf.Tensor]) -> list[tf.Tensor]:
        by = [tf.convert_to_tensor(tensor) for tensor in tensors[: self._count]]
        with tf.GradientTape() as tape:
            tape.watch(by)
            value = self._behind[0]([*by, *tensors[self._count :]])
        return tape.gradient(value, by, unconnected_gradients="zero")

    def compute_output_spec(self, tensors: Sequence[Any]) -> list[Any]:
        return [tf.keras.KerasTensor(tensor.shape, tensor.dtype) for tensor in tensors[: self._count]]


def gradients(loss: Any, variables: Any) -> list[Any]:
    """The derivatives of `loss` (summed) by `variables`, a symbolic tensor or several: for a `function`.

    Raises:
        ValueError: it is derived by weights, or is no symbolic tensor: a `tf.GradientTape` takes these.
    """
    by = list(variables) if isinstance(variables, (list, tuple)) else [variables]
    if not all(isinstance(tensor, tf.keras.KerasTensor) for tensor in (loss, *by)):
        if tf.executing_eagerly():
            raise ValueError("gradients of or by what is no symbolic tensor of Keras: compute them with "
                             "tf.GradientTape in the step that needs them")
        return tf.gradients(loss, by)
    inputs = [tensor for tensor in tf.keras.utils.get_source_inputs(loss) if not any(tensor is b for b in by)]
    behind = tf.keras.Model([*by, *inputs], loss)
    return _Gradients(behind, len(by))([*by, *inputs])


__all__ = [
    "Function", "batch_set_value", "function", "gradients", "learning_phase", "metrics_names", "placeholder",
    "set_value", "targets",
]
