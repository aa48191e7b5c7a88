"""Convolutions along any number of dimensions, whose operations have the names that TF1's layers gave."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf


def layout(rank: int, first: bool) -> str:
    """The order of dimensions, of which `rank` are spatial, as TF writes it; first: the channels' place."""
    spatial = "DHW"[-rank:]
    return f"NC{spatial}" if first else f"N{spatial}C"


def convolve(
    inputs: tf.Tensor, kernel: tf.Tensor, strides: Sequence[int], padding: str, first: bool,
    rates: Sequence[int],
) -> tf.Tensor:
    """`tf.nn.convolution` along as many dimensions as there are strides."""
    rank = len(strides)
    name = {1: "conv1d", 2: "Conv2D", 3: "Conv3D"}[rank]
    return tf.nn.convolution(inputs, kernel, strides, padding, layout(rank, first), rates, name)


def convolve_transposed(
    inputs: tf.Tensor, kernel: tf.Tensor, strides: Sequence[int], padding: str, first: bool
) -> tf.Tensor:
    """`tf.nn.conv_transpose` of images or volumes with the output size that TF1's layers chose."""
    spatial = slice(2, None) if first else slice(1, -1)
    rank = len(strides)
    extra = [
        max(k - s, 0) if padding == "VALID" else 0
        for k, s in zip(kernel.shape[:rank], strides, strict=True)
    ]

    def enlarged(sizes: Any) -> list[Any]:
        return [
            None if n is None else n * s + e for n, s, e in zip(sizes, strides, extra, strict=True)
        ]

    dynamic = tf.shape(inputs)
    sizes = enlarged(tf.unstack(dynamic[spatial], rank))
    static = enlarged(inputs.shape[spatial])
    filters = kernel.shape[rank]
    shape = [dynamic[0], filters, *sizes] if first else [dynamic[0], *sizes, filters]
    outputs = tf.nn.conv_transpose(
        inputs, kernel, tf.stack(shape), list(strides), padding, layout(rank, first),
        name=f"conv{rank}d_transpose")
    batch = inputs.shape[0]
    outputs.set_shape([batch, filters, *static] if first else [batch, *static, filters])
    return outputs
