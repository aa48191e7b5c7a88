"""Keras layers as TF 1 had them where Keras 3 has them otherwise, as classes to inherit from."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tensorflow as tf


class SyncBatchNormalization(tf.keras.layers.BatchNormalization):
    """Batch normalization whose statistics are those of all replicas together."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("synchronized", True)  # given where a saved layer is read back
        super().__init__(*args, **kwargs)


class DepthwiseConv2D(tf.keras.layers.DepthwiseConv2D):
    """A depthwise convolution that ignores what TF 1's layer ignored.

    It inherited `kernel_initializer`, `kernel_regularizer` and `kernel_constraint` from Conv2D,
    but its weights are made by their `depthwise_` namesakes.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        for unused in ("kernel_initializer", "kernel_regularizer", "kernel_constraint"):
            kwargs.pop(unused, None)
        super().__init__(*args, **kwargs)


def tensor_shapes(shapes: Any) -> Any:
    """The shapes that Keras hands to `build` (tuples, in a list or dict of them) as TensorShapes."""
    if isinstance(shapes, Mapping):
        return {key: tensor_shapes(shape) for key, shape in shapes.items()}
    if shapes is None or isinstance(shapes, tf.TensorShape):
        return shapes
    if all(size is None or isinstance(size, int) for size in shapes):
        return tf.TensorShape(shapes)
    return [tensor_shapes(shape) for shape in shapes]
