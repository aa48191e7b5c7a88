"""TF1's initializers, which draw new values on every call unless they have a seed, and its weight
regularizers.

Keras initializers repeat their values and take other arguments; these keep TF1's signatures. An
initializer is called as `initializer(shape, dtype=..., partition_info=None)`; `partition_info` is
accepted for custom code and has no meaning in TF 2.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from .draws import drawn, fan
from .scopes import GraphKeys, add_to_collection, get_collection

Initializer = Callable[..., tf.Tensor]
Regularizer = Callable[[Any], Any]

# The standard deviation of a standard normal truncated at two sigmas.
_TRUNCATED_STDDEV = 0.87962566103423978


class _Base:
    """Common ground: a default dtype, and a configuration for code that inspects it."""

    def __init__(self, dtype: Any = tf.float32) -> None:
        self.dtype = tf.as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> tf.Tensor:
        return self.value(_dims(shape), tf.as_dtype(dtype or self.dtype))

    def value(self, shape: list[int], dtype: tf.DType) -> tf.Tensor:
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        return {k: v.name if isinstance(v, tf.DType) else v for k, v in vars(self).items()}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> _Base:
        return cls(**config)


def _dims(shape: Any) -> Any:
    """The dimensions as a list; of a shape that a graph computes, as the tensor that it is."""
    if tf.is_tensor(shape):
        static = tf.get_static_value(shape)
        if static is None:
            return shape
        shape = static
    return tf.TensorShape(shape).as_list()


class zeros_initializer(_Base):
    def value(self, shape: list[int], dtype: tf.DType) -> tf.Tensor:
        return tf.zeros(shape, dtype)


class ones_initializer(_Base):
    def value(self, shape: list[int], dtype: tf.DType) -> tf.Tensor:
        return tf.ones(shape, dtype)


class constant_initializer(_Base):
    """A scalar, or values that fill the shape in order; too few repeat the last one, as in TF1."""

    def __init__(self, value: Any = 0, dtype: Any = tf.float32, verify_shape: bool = False) -> None:
        super().__init__(dtype)
        self.values, self.verify_shape = value, verify_shape

    def value(self, shape: list[int], dtype: tf.DType) -> tf.Tensor:
        values = tf.convert_to_tensor(self.values)
        if values.shape.rank and self.verify_shape and values.shape.as_list() != shape:
            raise TypeError(f"Expected Tensor's shape: {tuple(shape)}, got {tuple(values.shape)}.")
        flat = tf.cast(tf.reshape(values, [-1]), dtype)
        size, given = math.prod(shape), int(flat.shape[0])
        if given > size:
            raise ValueError(f"Too many elements provided. Needed at most {size}, received {given}")
        missing = tf.repeat(flat[-1:], size - given)
        return tf.reshape(tf.concat([flat, missing], 0), shape)

    def get_config(self) -> dict[str, Any]:
        return {"value": self.values, "dtype": self.dtype.name, "verify_shape": self.verify_shape}


class random_uniform_initializer(_Base):
    def __init__(
        self, minval: Any = 0, maxval: Any = None, seed: int | None = None, dtype: Any = tf.float32
    ) -> None:
        super().__init__(dtype)
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def value(self, shape: list[int], dtype: tf.DType) -> tf.Tensor:
        maxval = 1 if self.maxval is None and dtype.is_floating else self.maxval
        return drawn(tf.random.uniform, shape, self.minval, maxval, dtype, self.seed)


class random_normal_initializer(_Base):
    def __init__(
        self,
        mean: float = 0.0,
        stddev: float = 1.0,
        seed: int | None = None,
        dtype: Any = tf.float32,
    ) -> None:
        super().__init__(dtype)
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def value(self, shape: list[int], dtype: tf.DType) -> tf.Tensor:
        return drawn(tf.random.normal, shape, self.mean, self.stddev, dtype, self.seed)


class truncated_normal_initializer(random_normal_initializer):
    """Normal, redrawn beyond two `stddev` (the spread is therefore 0.88 `stddev`)."""

    def value(self, shape: list[int], dtype: tf.DType) -> tf.Tensor:
        return drawn(tf.random.truncated_normal, shape, self.mean, self.stddev, dtype, self.seed)


class uniform_unit_scaling_initializer(_Base):
    """Uniform within factor * sqrt(3 / inputs), inputs being all dimensions but the last."""

    def __init__(
        self, factor: float = 1.0, seed: int | None = None, dtype: Any = tf.float32
    ) -> None:
        super().__init__(dtype)
        self.factor, self.seed = factor, seed

    def value(self, shape: list[int], dtype: tf.DType) -> tf.Tensor:
        limit = math.sqrt(3 / max(1.0, math.prod(shape[:-1]))) * self.factor
        return drawn(tf.random.uniform, shape, -limit, limit, dtype, self.seed)


class tf_variance_scaling_initializer(_Base):
    """`tf.variance_scaling_initializer` (not contrib's): truncated normals get the full spread."""

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: int | None = None,
        dtype: Any = tf.float32,
    ) -> None:
        super().__init__(dtype)
        if scale <= 0.0:
            raise ValueError("`scale` must be positive float.")
        if mode not in {"fan_in", "fan_out", "fan_avg"}:
            raise ValueError(f"Invalid `mode` argument: {mode}")
        distribution = distribution.lower()
        if distribution not in {"normal", "uniform", "truncated_normal", "untruncated_normal"}:
            raise ValueError(f"Invalid `distribution` argument: {distribution}")
        self.scale, self.mode, self.distribution, self.seed = scale, mode, distribution, seed

    def value(self, shape: list[int], dtype: tf.DType) -> tf.Tensor:
        variance = self.scale / max(1.0, fan(shape, self.mode))
        if self.distribution == "uniform":
            limit = math.sqrt(3.0 * variance)
            return drawn(tf.random.uniform, shape, -limit, limit, dtype, self.seed)
        if self.distribution == "untruncated_normal":
            return drawn(tf.random.normal, shape, 0.0, math.sqrt(variance), dtype, self.seed)
        stddev = math.sqrt(variance) / _TRUNCATED_STDDEV
        return drawn(tf.random.truncated_normal, shape, 0.0, stddev, dtype, self.seed)


def glorot_uniform_initializer(seed: int | None = None, dtype: Any = tf.float32) -> Initializer:
    return tf_variance_scaling_initializer(1.0, "fan_avg", "uniform", seed, dtype)


def glorot_normal_initializer(seed: int | None = None, dtype: Any = tf.float32) -> Initializer:
    return tf_variance_scaling_initializer(1.0, "fan_avg", "truncated_normal", seed, dtype)


class orthogonal_initializer(_Base):
    """An orthogonal matrix of all-but-last by last dimension, times `gain`."""

    def __init__(self, gain: float = 1.0, seed: int | None = None, dtype: Any = tf.float32) -> None:
        super().__init__(dtype)
        self.gain, self.seed = gain, seed

    def value(self, shape: list[int], dtype: tf.DType) -> tf.Tensor:
        if len(shape) < 2:
            raise ValueError("The tensor to initialize must be at least two-dimensional")
        rows, columns = math.prod(shape[:-1]), shape[-1]
        tall = [max(rows, columns), min(rows, columns)]
        q, r = tf.linalg.qr(drawn(tf.random.normal, tall, 0.0, 1.0, dtype, self.seed))
        q *= tf.sign(tf.linalg.diag_part(r))  # makes the distribution uniform
        q = tf.transpose(q) if rows < columns else q
        return self.gain * tf.reshape(q, shape)


class identity_initializer(_Base):
    def __init__(self, gain: float = 1.0, dtype: Any = tf.float32) -> None:
        super().__init__(dtype)
        self.gain = gain

    def value(self, shape: list[int], dtype: tf.DType) -> tf.Tensor:
        if len(shape) != 2:
            raise ValueError("Identity matrix initializer can only be used for 2D matrices.")
        return self.gain * tf.eye(*shape, dtype=dtype)


# ---- tf.contrib.layers ---------------------------------------------------------------------------
def variance_scaling_initializer(
    factor: float = 2.0,
    mode: str = "FAN_IN",
    uniform: bool = False,
    seed: int | None = None,
    dtype: Any = tf.float32,
) -> Initializer:
    """contrib's variance scaling: truncated normals with stddev sqrt(1.3 * factor / n).

    The 1.3 makes up for the truncation (approximately: Keras divides by 0.8796 ** 2 instead).
    """
    if not tf.as_dtype(dtype).is_floating:
        raise TypeError("Cannot create initializer for non-floating point type.")
    if mode not in ("FAN_IN", "FAN_OUT", "FAN_AVG"):
        raise TypeError(f"Unknown mode {mode} [FAN_IN, FAN_OUT, FAN_AVG]")
    default_dtype = dtype

    def initializer(
        shape: Any, dtype: Any = default_dtype, partition_info: Any = None
    ) -> tf.Tensor:
        dims, dtype = _dims(shape), tf.as_dtype(dtype)
        if not dtype.is_floating:
            raise TypeError("Cannot create initializer for non-floating point type.")
        size = fan(dims, mode.lower())
        if uniform:
            limit = math.sqrt(3.0 * factor / size)
            return drawn(tf.random.uniform, dims, -limit, limit, dtype, seed)
        return drawn(tf.random.truncated_normal, dims, 0.0, math.sqrt(1.3 * factor / size), dtype, seed)

    return initializer


def xavier_initializer(
    uniform: bool = True, seed: int | None = None, dtype: Any = tf.float32
) -> Initializer:
    """contrib's Glorot initializer."""
    return variance_scaling_initializer(1.0, "FAN_AVG", uniform, seed, dtype)


xavier_initializer_conv2d = xavier_initializer

# The defaults of slim's layers. They keep no state, so that all layers can share them.
XAVIER = xavier_initializer()
ZEROS = zeros_initializer()


# ---- regularizers --------------------------------------------------------------------------------
def l1_regularizer(scale: float, scope: str | None = None) -> Regularizer:
    """scale * sum(|w|); a function that returns None for scale 0."""
    return _norm_regularizer(scale, lambda w: tf.reduce_sum(tf.abs(w)), scope or "l1_regularizer")


def l2_regularizer(scale: float, scope: str | None = None) -> Regularizer:
    """scale * sum(w ** 2) / 2: half of what `tf.keras.regularizers.L2(scale)` gives."""
    return _norm_regularizer(scale, tf.nn.l2_loss, scope or "l2_regularizer")


def _norm_regularizer(scale: Any, norm: Callable[[Any], tf.Tensor], name: str) -> Regularizer:
    if isinstance(scale, numbers.Integral):
        raise ValueError(f"scale cannot be an integer: {scale}")
    if isinstance(scale, numbers.Real):
        if scale < 0.0:
            raise ValueError(f"Setting a scale less than 0 on a regularizer: {scale}")
        if scale == 0.0:
            return lambda _: None

    def penalty(weights: Any) -> tf.Tensor:
        with tf.name_scope(name) as path:  # which the result is called
            return tf.multiply(tf.cast(scale, weights.dtype), norm(tf.convert_to_tensor(weights)), path)

    return penalty


def l1_l2_regularizer(
    scale_l1: float = 1.0, scale_l2: float = 1.0, scope: str | None = None
) -> Regularizer | None:
    """The sum of both penalties."""
    return sum_regularizer(
        [l1_regularizer(scale_l1), l2_regularizer(scale_l2)], scope or "l1_l2_regularizer")


def sum_regularizer(
    regularizer_list: Sequence[Regularizer | None], scope: str | None = None
) -> Regularizer | None:
    """The sum of several penalties; None when there are none."""
    regularizers = [r for r in regularizer_list if r is not None]
    if not regularizers:
        return None

    def total(weights: Any) -> Any:
        with tf.name_scope(scope or "sum_regularizer") as path:
            penalties = [p for p in (r(weights) for r in regularizers) if p is not None]
            return tf.add_n(penalties, path) if penalties else None

    return total


def apply_regularization(regularizer: Regularizer, weights_list: Any = None) -> tf.Tensor:
    """The summed penalty of `weights_list` (default: collection WEIGHTS), also collected."""
    weights_list = weights_list or get_collection(GraphKeys.WEIGHTS)
    if not weights_list:
        raise ValueError("No weights to regularize.")
    with tf.name_scope("get_regularization_penalty") as path:
        penalties = [regularizer(w) for w in weights_list]
        total = tf.add_n([tf.constant(0.0) if p is None else p for p in penalties], path)
    if total.shape.rank:
        raise ValueError("regularizer must return a scalar Tensor")
    add_to_collection(GraphKeys.REGULARIZATION_LOSSES, total)
    return total
