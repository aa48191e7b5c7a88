"""Keras layers as TF 1 had them where Keras 3 has them otherwise, as classes to inherit from."""
from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np
import tensorflow as tf


class SyncBatchNormalization(tf.keras.layers.BatchNormalization):
    """Batch normalization whose statistics are those of all replicas together."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("synchronized", True)  # given where a saved layer is read back
        super().__init__(*args, **kwargs)


def told(layer: Any, training: Any) -> Any:
    """`layer`, which is called with this `training` next: it keeps that in a model of Keras 3, which tells
    its layers by itself whether it trains. None leaves it to the model."""
    if training is not None and isinstance(layer, tf.keras.layers.Layer):
        layer._call_context_args = set(layer._call_context_args) - {"training"}
    return layer


def hold(layer: Any, variables: Any, trainable: bool = True) -> None:
    """Makes variables, of TensorFlow or of Keras, weights of `layer`: it trains and saves them."""
    known = {id(_of_tensorflow(weight)) for weight in layer.weights}
    for variable in variables:
        if id(_of_tensorflow(variable)) in known:
            continue
        if isinstance(variable, tf.Variable):
            name = variable.name.partition(":")[0].rpartition("/")[2]
            variable = tf.keras.Variable(variable, trainable=trainable, name=name)
        layer._track_variable(variable)


def weighted(layer: Any, weights: Any) -> Any:
    """`layer`, which begins with `weights`, a list of arrays, or as it would (None)."""
    if weights is None:
        return layer
    if layer.built:  # as an Embedding is when it was made
        layer.set_weights(weights)
        return layer
    build = layer.build

    @functools.wraps(build)
    def built(*args: Any, **kwargs: Any) -> None:
        build(*args, **kwargs)
        with tf.init_scope():  # a model may be built while a function is traced
            layer.set_weights(weights)

    layer.build = built
    return layer


def _of_tensorflow(variable: Any) -> Any:
    """The variable of TensorFlow in one of Keras."""
    return variable if isinstance(variable, tf.Variable) else variable.value


class TimeDistributed(tf.keras.layers.TimeDistributed):
    """The wrapper, which gives its layer all steps of [batch, steps, ...] as one batch: statistics are those
    of all of them, and their number need not be known.  If the layer before tells it, it counts."""

    def build(self, input_shape: Any) -> None:
        super().build(input_shape)
        self._steps = input_shape[1]

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        kwargs: dict[str, Any] = {"training": training} if self.layer._call_has_training_arg else {}
        if mask is not None and self.layer._call_has_mask_arg:
            kwargs["mask"] = tf.reshape(mask, tf.concat([[-1], tf.shape(mask)[2:]], 0))
        batch = tf.reshape(inputs, tf.concat([[-1], tf.shape(inputs)[2:]], 0))
        batch.set_shape([None, *inputs.shape[2:]])
        found = self.layer.call(batch, **kwargs)
        steps = inputs.shape[1] if self._steps is None else self._steps
        known = tf.shape(inputs)[1] if steps is None else steps
        outputs = tf.reshape(found, tf.concat([[-1, known], tf.shape(found)[1:]], 0))
        outputs.set_shape([None, steps, *found.shape[1:]])
        return outputs


class UpSampling2D(tf.keras.layers.UpSampling2D):
    """Keras 2's own, which interpolated from the corners of pixels on, as TensorFlow 1 resized."""

    def call(self, inputs: Any) -> Any:
        if self.interpolation != "bilinear" or self.data_format != "channels_last":
            return super().call(inputs)
        rows, columns = tf.shape(inputs)[1] * self.size[0], tf.shape(inputs)[2] * self.size[1]
        resized = tf.raw_ops.ResizeBilinear(images=inputs, size=[rows, columns])
        return tf.ensure_shape(resized, self.compute_output_shape(inputs.shape))


class DepthwiseConv2D(tf.keras.layers.DepthwiseConv2D):
    """A depthwise convolution that ignores what TF 1's layer ignored.

    It inherited `kernel_initializer`, `kernel_regularizer` and `kernel_constraint` from Conv2D,
    but its weights are made by their `depthwise_` namesakes.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        for unused in ("kernel_initializer", "kernel_regularizer", "kernel_constraint"):
            kwargs.pop(unused, None)
        super().__init__(*args, **kwargs)


@tf.keras.utils.register_keras_serializable("tf1_support")
def hard_sigmoid(x: Any) -> tf.Tensor:
    """Zero below -2.5, one above 2.5, a line between; Keras 3's goes from -3 to 3."""
    return tf.clip_by_value(0.2 * tf.convert_to_tensor(x) + 0.5, 0.0, 1.0)


def cosine_proximity(y_true: Any, y_pred: Any, axis: int = -1) -> tf.Tensor:
    """The cosine of the angle between `y_true` and `y_pred`, which Keras 3's losses negate."""
    return -tf.keras.losses.cosine_similarity(y_true, y_pred, axis=axis)


@tf.keras.utils.register_keras_serializable("tf1_support")
class CosineSimilarity(tf.keras.losses.Loss):
    """`cosine_proximity` as a loss: the more alike, the larger, as TF 1.15 had it."""

    def __init__(
        self, axis: int = -1, reduction: str = "auto", name: str = "cosine_similarity"
    ) -> None:
        super().__init__(
            name=name, reduction="sum_over_batch_size" if reduction == "auto" else reduction
        )
        self.axis = axis

    def call(self, y_true: Any, y_pred: Any) -> tf.Tensor:
        """The cosines of a batch."""
        return cosine_proximity(y_true, y_pred, self.axis)

    def get_config(self) -> dict[str, Any]:
        """Its arguments."""
        return {**super().get_config(), "axis": self.axis}


def binary_accuracy(y_true: Any, y_pred: Any, threshold: float = 0.5) -> tf.Tensor:
    """The part of each row's classes that are on the right side of `threshold` [batch].

    Keras 3's function of this name leaves the rows as they are.
    """
    hits = tf.equal(tf.cast(tf.convert_to_tensor(y_pred) > threshold, tf.float32),
                    tf.cast(y_true, tf.float32))
    return tf.reduce_mean(tf.cast(hits, tf.float32), axis=-1)


def _by_sample(values: tf.Tensor, y_true: Any, y_pred: Any) -> tf.Tensor:
    """Values [batch]: Keras 3 gives them the shape of labels that are a column [batch, 1]."""
    labels = tf.convert_to_tensor(y_true)
    same = labels.shape.rank == tf.convert_to_tensor(y_pred).shape.rank
    return tf.squeeze(values, -1) if same and values.shape.rank == labels.shape.rank else values


def sparse_categorical_accuracy(y_true: Any, y_pred: Any) -> tf.Tensor:
    """1 where the largest of `y_pred` [batch, classes] is the label [batch] or [batch, 1]."""
    values = tf.keras.metrics.sparse_categorical_accuracy(y_true, y_pred)
    return _by_sample(values, y_true, y_pred)


def sparse_top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> tf.Tensor:
    """1 where the label [batch] or [batch, 1] is among the `k` largest of `y_pred`."""
    values = tf.keras.metrics.sparse_top_k_categorical_accuracy(y_true, y_pred, k)
    return _by_sample(values, y_true, y_pred)


def to_categorical(y: Any, num_classes: int | None = None, dtype: str = "float32") -> np.ndarray:
    """One-hot rows for the classes `y`, as float32 where Keras 3 makes float64 of them."""
    return np.asarray(tf.keras.utils.to_categorical(y, num_classes)).astype(dtype)


def tensor_shapes(shapes: Any) -> Any:
    """The shapes that Keras hands to `build` (tuples, in a list or dict of them) as TensorShapes."""
    if isinstance(shapes, Mapping):
        return {key: tensor_shapes(shape) for key, shape in shapes.items()}
    if shapes is None or isinstance(shapes, tf.TensorShape):
        return shapes
    if all(size is None or isinstance(size, int) for size in shapes):
        return tf.TensorShape(shapes)
    return [tensor_shapes(shape) for shape in shapes]
