"""Scratch memory of convolutions on an NVIDIA GPU: what TensorFlow's kernels take, and what cuDNN does.

TensorFlow's part follows its kernels (conv_ops_impl.h, conv_grad_input_ops.cc, conv_grad_filter_ops.cc):
weights in cuDNN's layout, a padded image, and a gradient beside the output that it replaces. cuDNN
chooses its algorithm by trying, on the card: what that takes is only bounded here. Its tensor cores
want the channels last, so the usual choice copies image, weights and gradient into that layout; that
is what seven convolutions of three networks took on an H100 (cuDNN 9.19, TF32), to within 300 bytes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

CONVOLUTIONS = frozenset({"Conv2D", "_FusedConv2D"})
# Partial sums of a filter's gradient, as many as were seen (1 and 33 images, 1x1 filters), at most.
SPLITS = 33


@dataclass(frozen=True, slots=True)
class Scratch:
    """Bytes while a kernel runs: what is sure, what is likely, and the most."""

    least: int = 0
    likely: int = 0
    most: int = 0


def _size(tensor: Any) -> int | None:
    shape = tensor.shape
    if shape.rank != 4 or not shape.is_fully_defined():
        return None
    return int(math.prod(shape.as_list())) * int(tensor.dtype.size)


def _sizes(*tensors: Any) -> list[int] | None:
    """Bytes of each tensor; None where the graph does not tell one."""
    found = [size for size in map(_size, tensors) if size is not None]
    return found if len(found) == len(tensors) else None


def _image(shape: Any, channels_last: bool) -> tuple[int, int]:
    dims = shape.as_list()
    return (dims[1], dims[2]) if channels_last else (dims[2], dims[3])


def _padded(op: Any, image: Any, weights: Any, output: Any) -> int:
    """Bytes of the image that TensorFlow pads itself: cuDNN pads both sides alike only."""
    if op.get_attr("padding") != b"SAME":
        return 0
    last = op.get_attr("data_format") == b"NHWC"
    sides = slice(1, 3) if last else slice(2, 4)
    strides, dilations = list(op.get_attr("strides"))[sides], list(op.get_attr("dilations"))[sides]
    grown, odd = [], False
    for have, made, taps, stride, dilation in zip(
        _image(image.shape, last), _image(output.shape, last), weights.shape.as_list()[:2], strides,
        dilations, strict=True,
    ):  # fmt: skip
        pad = max((made - 1) * stride + (taps - 1) * dilation + 1 - have, 0)
        odd |= bool(pad % 2)
        grown.append(have + pad % 2)
    if not odd:
        return 0
    size, (height, width) = _size(image) or 0, _image(image.shape, last)
    return size * grown[0] * grown[1] // (height * width)


def scratch(op: Any) -> Scratch:
    """What a convolution's kernel takes while it runs; nothing for other ops.

    A gradient of the image counts once here: the output that is replaced by it, beside the one that
    stays. Where the graph does not tell a size, nothing is counted.
    """
    if op.type in CONVOLUTIONS:
        image, weights, output = op.inputs[0], op.inputs[1], op.outputs[0]
        parts = _sizes(image, weights, output)
        if parts is None:
            return Scratch()
        x, f, y = parts
        if op.get_attr("data_format") == b"NHWC":  # as halves are: cuDNN takes it as it is
            return Scratch(0, 0, x + f + y)
        padded = _padded(op, image, weights, output)
        return _with_copies(f + padded, weights, f + (padded or x), f + 2 * (padded or x) + y)
    if op.type == "Conv2DBackpropInput":
        weights, gradient, output = op.inputs[1], op.inputs[2], op.outputs[0]
        parts = _sizes(output, weights, gradient)
        if parts is None:
            return Scratch()
        x, f, y = parts
        if op.get_attr("data_format") == b"NHWC":
            return Scratch(x, x, 2 * x + f + y)
        x = _padded(op, output, weights, gradient) or x
        return _with_copies(x + f, weights, f + x + y, 2 * (f + x + y))
    if op.type == "Conv2DBackpropFilter":
        image, gradient, output = op.inputs[0], op.inputs[2], op.outputs[0]
        parts = _sizes(image, output, gradient)
        if parts is None:
            return Scratch()
        x, f, y = parts
        if op.get_attr("data_format") == b"NHWC":
            return Scratch(f, f, f + SPLITS * f + x + y)
        padded = _padded(op, image, output, gradient)
        return _with_copies(f + padded, output, f + (padded or x) + y, SPLITS * f + (padded or x) + y)
    return Scratch()


def _with_copies(sure: int, weights: Any, copies: int, most: int) -> Scratch:
    """With cuDNN's copies: none for 1x1 filters, which are products of matrices."""
    if weights.shape.as_list()[:2] == [1, 1]:
        copies = 0
    return Scratch(sure, sure + copies, sure + max(most, copies))
