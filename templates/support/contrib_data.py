"""Transformations of tf.contrib.data that tf.data has as methods, for `dataset.apply`."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

Transformation = Callable[[tf.data.Dataset], tf.data.Dataset]


def batch_and_drop_remainder(batch_size: Any) -> Transformation:
    """`dataset.batch` without the last batch if that is smaller."""
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


def padded_batch_and_drop_remainder(batch_size: Any, padded_shapes: Any,
                                    padding_values: Any = None) -> Transformation:
    """`dataset.padded_batch` without the last batch if that is smaller."""
    return lambda dataset: dataset.padded_batch(batch_size, padded_shapes, padding_values,
                                                drop_remainder=True)


def map_and_batch(map_func: Callable[..., Any], batch_size: Any,
                  num_parallel_batches: int | None = None, drop_remainder: bool = False,
                  num_parallel_calls: Any = None) -> Transformation:
    """`dataset.map`, then `dataset.batch`; tf.data fuses the two."""
    if num_parallel_batches is not None:
        num_parallel_calls = num_parallel_batches * batch_size
    return lambda dataset: dataset.map(map_func, num_parallel_calls).batch(
        batch_size, drop_remainder)


def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: Any = None) -> Transformation:
    """`dataset.shuffle`, then `dataset.repeat`."""
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


def parallel_interleave(map_func: Callable[..., Any], cycle_length: int, block_length: int = 1,
                        sloppy: bool = False, buffer_output_elements: int | None = None,
                        prefetch_input_elements: int | None = None) -> Transformation:
    """`dataset.interleave` in parallel; with `sloppy`, in whatever order is fastest."""
    return lambda dataset: dataset.interleave(map_func, cycle_length, block_length,
                                              num_parallel_calls=cycle_length,
                                              deterministic=not sloppy)


def sloppy_interleave(map_func: Callable[..., Any], cycle_length: int,
                      block_length: int = 1) -> Transformation:
    """`parallel_interleave` in whatever order is fastest."""
    return parallel_interleave(map_func, cycle_length, block_length, sloppy=True)


def unbatch() -> Transformation:
    """`dataset.unbatch`."""
    return lambda dataset: dataset.unbatch()


def enumerate_dataset(start: int = 0) -> Transformation:
    """`dataset.enumerate`."""
    return lambda dataset: dataset.enumerate(start)


def ignore_errors() -> Transformation:
    """`dataset.ignore_errors`."""
    return lambda dataset: dataset.ignore_errors()


def sliding_window_batch(window_size: int, stride: int | None = None, window_shift: int | None = None,
                         window_stride: int = 1) -> Transformation:
    """Overlapping batches of `window_size` elements; windows begin `window_shift` elements apart.

    Raises:
        ValueError: both `stride` (its old name) and `window_shift` are given.
    """
    if stride is not None and window_shift is not None:
        raise ValueError("Cannot specify both `window_shift` and `stride`")
    shift = window_shift or stride or 1

    def batched(*windows: Any) -> Any:
        parts = tf.nest.map_structure(lambda window: window.batch(window_size), windows)
        return parts[0] if len(parts) == 1 else tf.data.Dataset.zip(parts)

    return lambda dataset: dataset.window(window_size, shift, window_stride,
                                          drop_remainder=True).flat_map(batched)


def reduce_dataset(dataset: tf.data.Dataset, reducer: Any) -> Any:
    """The state that a `tf.data.experimental.Reducer` reaches over all elements, not finalized."""
    return dataset.reduce(reducer.init_func(tf.constant(0, tf.int64)), reducer.reduce_func)
