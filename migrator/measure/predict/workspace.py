"""Scratch memory of kernels while they run, on the CPU.

Sizes follow the kernels' own formulas; those of the convolution gradients are checked against traced
allocations (tests/measure/test_predict_tensorflow.py). cuDNN's workspaces on a GPU are chosen at run
time and are not predicted.
"""

from __future__ import annotations

import math
from typing import Any

TARGET = 30 << 20  # bytes: target_working_set_size of conv_grad_filter_ops.cc


def _image(shape: Any, layout: str) -> tuple[int, int] | None:
    if shape.rank != 4 or not shape.is_fully_defined():
        return None
    dims = shape.as_list()
    return (dims[1], dims[2]) if layout == "NHWC" else (dims[2], dims[3])


def _columns(op: Any, filter_shape: Any) -> tuple[int, int, int, int] | None:
    """(output pixels, filter taps, output channels, item size) of a convolution's gradient."""
    gradient = op.inputs[2]
    layout = op.get_attr("data_format").decode()
    image = _image(gradient.shape, layout)
    if image is None or filter_shape.rank != 4 or not filter_shape.is_fully_defined():
        return None
    height, width, channels, out = filter_shape.as_list()
    return image[0] * image[1], height * width * channels, out, gradient.dtype.size


def scratch_bytes(op: Any) -> int:
    """Bytes that `op`'s CPU kernel allocates as scratch; 0 where none or not known."""
    if op.type == "Conv2DBackpropFilter":
        # im2col of as many images as fill the working set (shard_size), whatever the batch
        found = _columns(op, op.outputs[0].shape)
        if found is None:
            return 0
        pixels, taps, out, item = found
        unit = pixels * taps + pixels * out + taps * out
        images = -(-(TARGET // item) // unit)
        return images * pixels * taps * item
    if op.type == "Conv2DBackpropInput":
        # im2col of one image at a time: the contraction itself runs in parallel
        found = _columns(op, op.inputs[1].shape)
        if found is None:
            return 0
        pixels, taps, _, item = found
        return pixels * taps * item
    if op.type == "MaxPoolGrad":
        # the arg-max of every output element as int64 (maxpooling_op.cc)
        shape = op.inputs[1].shape
        return 8 * math.prod(shape.as_list()) if shape.is_fully_defined() else 0
    return 0
