"""Random tensors with a seed of their own: every call draws what a new op of a TF 1 graph did.

Eager calls of one op with one seed continue one another, so that the second of two variables with
the same seed would get other values than in TF 1. Inside of a `tf.function` or a graph these are the
plain ops.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from .names import lifted


def global_seed() -> int | None:
    """What `tf.random.set_seed` set last."""
    with tf.init_scope():
        found: int | None = tf.__internal__.FuncGraph("seed").seed
    return found


def drawn(op: Callable[..., tf.Tensor], *args: Any) -> tf.Tensor:
    """`op` of the arguments, of which the last one is its seed (None: whatever comes next)."""
    if not tf.executing_eagerly():
        return op(*args)
    args = tuple(map(lifted, args))  # a trace may have computed the spread of a variable's first value
    if args[-1] is None:
        return op(*args)
    return tf.function(lambda: op(*args), autograph=False).get_concrete_function()()


def fan(shape: list[int], mode: str) -> float:
    """Inputs, outputs or their mean of a kernel of this shape (receptive field included)."""
    if not shape:
        return 1.0
    field = float(math.prod(shape[:-2]))
    fan_in = field * (shape[-2] if len(shape) > 1 else shape[-1])
    fan_out = field * shape[-1]
    return {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2.0}[mode]


def glorot_uniform(shape: list[int], dtype: Any = tf.float32) -> tf.Tensor:
    """What variables without an initializer begin with. Keras's draws by a seed that it takes from
    Python's `random`, whose sequence is the program's own."""
    limit = math.sqrt(3.0 / max(1.0, fan(shape, "fan_avg")))
    return drawn(tf.random.uniform, shape, -limit, limit, dtype, None)


def random_uniform(shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = tf.float32,
                   seed: int | None = None, name: str | None = None) -> tf.Tensor:
    """`tf.random_uniform`: from [minval, maxval); maxval is 1 for floats where it is not given."""
    if maxval is None and tf.as_dtype(dtype).is_floating:
        maxval = 1
    return _named(drawn(tf.random.uniform, shape, minval, maxval, dtype, seed), name)


def random_normal(shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = tf.float32,
                  seed: int | None = None, name: str | None = None) -> tf.Tensor:
    """`tf.random_normal`."""
    return _named(drawn(tf.random.normal, shape, mean, stddev, dtype, seed), name)


def truncated_normal(shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = tf.float32,
                     seed: int | None = None, name: str | None = None) -> tf.Tensor:
    """`tf.truncated_normal`: beyond two standard deviations is drawn again."""
    return _named(drawn(tf.random.truncated_normal, shape, mean, stddev, dtype, seed), name)


def _named(value: tf.Tensor, name: str | None) -> tf.Tensor:
    return value if name is None else tf.identity(value, name)
