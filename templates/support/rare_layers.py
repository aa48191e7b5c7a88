"""tf.layers of volumes and sequences that few programs use."""
from __future__ import annotations

from typing import Any

import tensorflow as tf

from .layers import Conv2DTranspose, SeparableConv2D, _applied


class Conv3DTranspose(Conv2DTranspose):
    """A transposed convolution of [batch, depth, height, width, channels]."""

    rank = 3


class SeparableConv1D(SeparableConv2D):
    """A depthwise convolution of [batch, width, channels] followed by a 1x1 convolution."""

    rank = 1

    def call(self, inputs: Any) -> tf.Tensor:
        axis = 2 if self.channels_first else 1  # of a height of 1
        steps = list(self.strides) * 2
        outputs = tf.nn.separable_conv2d(
            tf.expand_dims(inputs, axis),
            tf.expand_dims(tf.cast(self.depthwise_kernel, inputs.dtype), 0),
            tf.expand_dims(tf.cast(self.pointwise_kernel, inputs.dtype), 0),
            [1, 1, *steps] if self.channels_first else [1, *steps, 1],
            self.padding,
            "NCHW" if self.channels_first else "NHWC",
            [1, *self.dilation_rate],
        )
        return self._finish(tf.squeeze(outputs, [axis]))


def conv3d_transpose(
    inputs: Any, filters: int, kernel_size: Any, *args: Any, **kwargs: Any
) -> tf.Tensor:
    """`Conv3DTranspose(...)` applied; `name` is its scope, `reuse` shares it."""
    return _applied(Conv3DTranspose, inputs, filters, kernel_size, *args, **kwargs)


def separable_conv1d(
    inputs: Any, filters: int, kernel_size: Any, *args: Any, **kwargs: Any
) -> tf.Tensor:
    """`SeparableConv1D(...)` applied; `name` is its scope, `reuse` shares it."""
    return _applied(SeparableConv1D, inputs, filters, kernel_size, *args, **kwargs)
