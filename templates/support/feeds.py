"""Values in the forms in which TF 1's sessions were fed and gave them."""
from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf


def sparse_tensor(value: Any, dtype: Any) -> tf.SparseTensor:
    """What a sparse placeholder of `dtype` was fed, as a SparseTensor.

    Args:
        value: (indices, values, dense shape) with shapes (n, rank), (n,) and (rank,): a tuple, a
            `SparseTensorValue` or a SparseTensor.
        dtype: The dtype of the values.

    Raises:
        ValueError: `value` has not three parts.
    """
    if isinstance(value, tf.SparseTensor):
        return value if value.dtype == dtype else tf.cast(value, dtype)
    if len(value) != 3:
        raise ValueError("a sparse value is (indices, values, dense shape), "
                         f"not {len(value)} parts")
    indices, values, shape = value
    shape = np.asarray(shape, np.int64)
    return tf.SparseTensor(np.asarray(indices, np.int64).reshape(-1, len(shape)),
                           np.asarray(values, tf.as_dtype(dtype).as_numpy_dtype), shape)


def unfed(spec: tf.TensorSpec) -> tf.Tensor:
    """A tensor without a value, for what a step builds from an input that it is not given.

    Only inside of a `tf.function`.  Nothing that the function returns or changes may depend on it:
    TensorFlow then raises InvalidArgumentError ("You must feed a value"), as TF 1's sessions did.
    """
    return tf.raw_ops.Placeholder(dtype=spec.dtype, shape=spec.shape)


def fetched(nest: Any) -> Any:
    """The tensors of a nest in the form in which a session gave their values."""
    return tf.nest.map_structure(as_fetched, nest)


def as_fetched(value: Any) -> Any:
    """The array of a tensor; of a sparse one its `SparseTensorValue`; what is no tensor itself."""
    if value is None or isinstance(value, np.ndarray):
        return value
    if isinstance(value, tf.SparseTensor):
        return tf.compat.v1.SparseTensorValue(*(
            part.numpy() for part in (value.indices, value.values, value.dense_shape)))
    if isinstance(value, tf.IndexedSlices):
        shape = None if value.dense_shape is None else value.dense_shape.numpy()
        return tf.compat.v1.ConvertIndexed(value.values.numpy(), value.indices.numpy(), shape)
    if not isinstance(value, tf.Tensor):
        return value
    return value.numpy() if value.dtype not in (tf.resource, tf.variant) else value
