"""tf.estimator.inputs: input functions over arrays and data frames."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import tensorflow as tf


def numpy_input_fn(x: Any, y: Any = None, batch_size: int = 128, num_epochs: int | None = 1,
                   shuffle: bool | None = None, queue_capacity: int = 1000, num_threads: int = 1
                   ) -> Callable[[], tf.data.Dataset]:
    """An input function over arrays, or dicts of them, whose first axes are as long.

    Args:
        num_epochs: How often the arrays are gone through; None: for ever. A batch may hold the end
            of one epoch and the beginning of the next.
        queue_capacity: From so many rows the next one is drawn if `shuffle`.

    Raises:
        ValueError: `shuffle` is not given, there are no arrays, or their lengths differ.
    """
    if shuffle is None:
        raise ValueError("shuffle must be provided and explicitly set as boolean")
    columns = tf.nest.map_structure(np.asarray, x if y is None else (x, y))
    lengths = {len(column) for column in tf.nest.flatten(columns)}
    if len(lengths) != 1:
        raise ValueError(f"arrays of the same length are needed, not of {sorted(lengths)}")

    def input_fn() -> tf.data.Dataset:
        rows = tf.data.Dataset.from_tensor_slices(columns)
        if shuffle:
            rows = rows.shuffle(queue_capacity)
        return rows.repeat(num_epochs).batch(batch_size)

    return input_fn


def pandas_input_fn(x: Any, y: Any = None, batch_size: int = 128, num_epochs: int | None = 1,
                    shuffle: bool | None = None, queue_capacity: int = 1000, num_threads: int = 1,
                    target_column: str = "target") -> Callable[[], tf.data.Dataset]:
    """`numpy_input_fn` over the columns of a data frame; `y` is a series with the same index.

    Raises:
        ValueError: the index of `y` is another one; what `numpy_input_fn` raises.
    """
    if y is not None and not np.array_equal(x.index, y.index):
        raise ValueError("Index for x and y are mismatched.")
    columns: Mapping[str, Any] = {name: x[name].to_numpy() for name in x.columns}
    labels = None if y is None else y.to_numpy()
    return numpy_input_fn(columns, labels, batch_size, num_epochs, shuffle, queue_capacity)
