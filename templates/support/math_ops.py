"""Operations whose TF 2 namesakes do something else for some arguments."""

from __future__ import annotations

import tensorflow as tf


def div(x, y, name=None):
    """Python 2 division as TF 1's `tf.div` does it: integers are floored, floats are divided."""
    with tf.name_scope(name or "div"):
        x = tf.convert_to_tensor(x)
        y = tf.convert_to_tensor(y, dtype=x.dtype)
        return x / y if x.dtype.is_floating or x.dtype.is_complex else x // y


def batch_gather(params, indices, name=None):
    """Slices of `params` at `indices`, whose dimensions but the last are batch dimensions of both.

    Raises ValueError if the rank of `indices` is unknown.
    """
    indices = tf.convert_to_tensor(indices)
    if indices.shape.rank is None:
        raise ValueError("batch_gather does not allow indices with unknown shape")
    return tf.gather(params, indices, batch_dims=indices.shape.rank - 1, name=name)


def where(condition, x, y, name=None):
    """`x` where `condition` holds, `y` elsewhere, of one shape.

    A condition of rank 1 chooses whole rows, as in TF 1; TF 2's `tf.where` would broadcast it
    along the last axis.
    """
    condition = tf.convert_to_tensor(condition, dtype=tf.bool)
    x = tf.convert_to_tensor(x)
    rank = x.shape.rank
    if condition.shape.rank == 1 and rank is not None and rank > 1:
        condition = tf.reshape(condition, [-1] + [1] * (rank - 1))
    return tf.where(condition, x, y, name=name)
