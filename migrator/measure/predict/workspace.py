"""Scratch memory of kernels while they run, on the CPU.

Sizes follow the kernels' own formulas; they are checked against traced allocations
(tests/measure/test_predict_tensorflow.py, docs/predictor_error.md). Those of a GPU: `gpu_kernels`.
"""

from __future__ import annotations

import functools
import math
from pathlib import Path
from typing import Any

from migrator.measure.predict import shapes

TARGET = 30 << 20  # bytes: target_working_set_size of conv_grad_filter_ops.cc
# oneDNN's GEMM convolution unfolds the whole image where the weights are at least so many elements, else
# a row of output pixels at a time; half of it where a row takes more than UNFOLDED_ROW bytes, a few
# where rows, weights and channels are small (observed with oneDNN 3 on AVX2, 51 convolutions)
UNFOLDED_WEIGHTS = 1 << 16
UNFOLDED_ROW = 96 << 10
FEW_ROWS = 4
FEW_PIXELS, FEW_BYTES, FEW_CHANNELS = 32, 6 << 10, 16  # of a row, less than; and of the output
FROZEN = (
    8216  # bytes: of the kernel for constant weights, whatever its size (observed, 17 convolutions)
)
# What oneDNN's kernels need of a processor for a type (IsDataTypeSupportedByOneDNNOnThisCPU of
# tensorflow/core/graph/mkl_graph_util.h, without AMX and NE_CONVERT)
HALVES = {"bfloat16": frozenset({"avx512f"}), "float16": frozenset({"avx512_fp16"})}
CONVOLUTIONS = frozenset({"Conv2D", "_FusedConv2D"})
# whose constant weights oneDNN keeps once more, in the layout that its kernel wants
CACHING = CONVOLUTIONS | {"DepthwiseConv2dNative", "_FusedDepthwiseConv2dNative"}


def kernels_here() -> str:
    """Which CPU kernels this process's TensorFlow uses: "onednn" or "eigen"."""
    from tensorflow.python.framework import test_util

    return "onednn" if test_util.IsMklEnabled() else "eigen"


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


def scratch_bytes(op: Any, kernels: str = "eigen", frozen: bool = False) -> int:
    """Bytes that `op`'s kernel allocates as scratch; 0 where none or not known.

    frozen: whether the weights of a convolution are constants.
    """
    kernels = _kernels_of(op, kernels)
    if kernels == "eigen":
        return _eigen(op)
    if kernels == "onednn":
        return _onednn(op, frozen)
    return 0


def cached_bytes(op: Any, kernels: str) -> int:
    """Bytes that `op`'s kernel keeps from its first run on, if its weights are constants.

    MklConvOp::CacheFilter of tensorflow/core/kernels/mkl/mkl_conv_ops.cc: a second copy of the weights.
    """
    if op.type not in CACHING or _kernels_of(op, kernels) != "onednn":
        return 0
    return shapes.bytes_of(op.inputs[1]) or 0


def _kernels_of(op: Any, kernels: str) -> str:
    """A processor without instructions for a type leaves it to Eigen."""
    if kernels == "onednn" and op.inputs and op.inputs[0].dtype.name in HALVES:
        return kernels if HALVES[op.inputs[0].dtype.name] <= _instructions() else "eigen"
    return kernels


@functools.cache
def _instructions() -> frozenset[str]:
    """This processor's extensions by Linux's names; none where the system does not tell."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return frozenset()
    found = next((line for line in lines if line.startswith("flags")), "")
    return frozenset(found.partition(":")[2].split())


def _eigen(op: Any) -> int:
    if op.type == "Conv2DBackpropFilter":
        # im2col of as many images as fill the working set (shard_size), at most all of them
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


def _onednn(op: Any, frozen: bool) -> int:
    """A batch of one goes to the GEMM kernel, which transposes the image and unfolds it.

    Constant weights are kept in the layout that another kernel wants, which unfolds nothing.
    """
    if op.type not in CONVOLUTIONS:
        return 0
    image, weights, output = op.inputs[0].shape, op.inputs[1].shape, op.outputs[0].shape
    if not all(s.rank == 4 and s.is_fully_defined() for s in (image, weights, output)):
        return 0
    if image[0] != 1 or op.get_attr("data_format") != b"NHWC":
        return 0
    height, width, channels, out = weights.as_list()
    item = op.inputs[0].dtype.size
    if frozen:
        return FROZEN + out * item
    transposed = math.prod(image.as_list()) * item
    if height == width == 1 and list(op.get_attr("strides")) == [1, 1, 1, 1]:
        return transposed + 128
    taps = height * width * channels
    rows, pixels = output[1], output[2]
    if taps * out >= UNFOLDED_WEIGHTS:
        pixels *= rows
    elif pixels * taps * item > UNFOLDED_ROW:
        pixels = -(-pixels // 16) * 8
    elif pixels < FEW_PIXELS and pixels * taps * item < FEW_BYTES and out <= FEW_CHANNELS:
        pixels *= min(rows, FEW_ROWS)
    return transposed + pixels * taps * item + 256


def pooling_mask_bytes(op: Any, kernels: str) -> int:
    """Bytes that oneDNN's MaxPool keeps for its gradient: the place of each maximum as a byte."""
    shape = op.outputs[0].shape
    if kernels != "onednn" or op.type != "MaxPool" or not shape.is_fully_defined():
        return 0
    return math.prod(shape.as_list())
