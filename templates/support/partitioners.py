"""TF1's partitioners, which say how a large variable was cut into slices.

Variables of the support package are whole, under the name that the slices had together (the name
in a checkpoint); scopes accept a partitioner and remember it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import tensorflow as tf

Partitioner = Callable[[Any, Any], list[int]]


def fixed_size_partitioner(num_shards: int, axis: int = 0) -> Partitioner:
    """`num_shards` slices along `axis`."""

    def partitioner(shape: Any, dtype: Any = None) -> list[int]:
        sizes = tf.TensorShape(shape).as_list()
        parts = [1] * len(sizes)
        parts[axis] = min(num_shards, sizes[axis])
        return parts

    return partitioner


def variable_axis_size_partitioner(
    max_shard_bytes: int, axis: int = 0, bytes_per_string_element: int = 16,
    max_shards: int | None = None,
) -> Partitioner:  # fmt: skip
    """Slices along `axis` of at most `max_shard_bytes`, at most `max_shards` of them."""
    if max_shard_bytes < 1 or bytes_per_string_element < 1 or (max_shards or 1) < 1:
        raise ValueError("sizes and counts of shards must be positive")

    def partitioner(shape: Any, dtype: Any = tf.float32) -> list[int]:
        sizes = tf.TensorShape(shape).as_list()
        kind = tf.as_dtype(dtype)
        width = bytes_per_string_element if kind == tf.string else kind.size
        row = math.prod(n for i, n in enumerate(sizes) if i != axis % len(sizes)) * width
        parts = [1] * len(sizes)
        shards = math.ceil(sizes[axis] / max(1, math.floor(max_shard_bytes / row)))
        parts[axis] = max(1, min(sizes[axis], shards, max_shards or shards))
        return parts

    return partitioner


def min_max_variable_partitioner(
    max_partitions: int = 1, axis: int = 0, min_slice_size: int = 256 << 10,
    bytes_per_string_element: int = 16,
) -> Partitioner:  # fmt: skip
    """As many slices of at least `min_slice_size` bytes as allowed."""

    def partitioner(shape: Any, dtype: Any = tf.float32) -> list[int]:
        sizes = tf.TensorShape(shape).as_list()
        kind = tf.as_dtype(dtype)
        width = bytes_per_string_element if kind == tf.string else kind.size
        parts = [1] * len(sizes)
        slices = math.ceil(math.prod(sizes) * width / min_slice_size)
        parts[axis] = max(1, min(sizes[axis], max_partitions, slices))
        return parts

    return partitioner
