"""Keras layers as TF 1 had them where Keras 3 has them otherwise, as classes to inherit from."""
from __future__ import annotations

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
