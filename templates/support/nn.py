"""tf.nn functions that TensorFlow 2 dropped."""

from __future__ import annotations

from typing import Any

import tensorflow as tf


def fused_batch_norm(
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any = None,
    variance: Any = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
    exponential_avg_factor: float = 1.0,
) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    """(normalized x, mean, variance), in one kernel; the variance is Bessel-corrected in training.

    `mean` and `variance` are used as they are unless `is_training`.
    Raises ValueError if they are given in training, or missing otherwise.
    """
    given = (mean is not None, variance is not None)
    if is_training and any(given) and exponential_avg_factor == 1.0:
        raise ValueError("Both 'mean' and 'variance' must be None if is_training is True.")
    if not is_training and not all(given):
        raise ValueError("Both 'mean' and 'variance' must be given if is_training is False.")
    empty = tf.constant([], tf.float32)
    outputs = tf.raw_ops.FusedBatchNormV3(
        x=x,
        scale=tf.cast(scale, tf.float32),
        offset=tf.cast(offset, tf.float32),
        mean=empty if mean is None else tf.cast(mean, tf.float32),
        variance=empty if variance is None else tf.cast(variance, tf.float32),
        epsilon=max(epsilon, 1.001e-5),
        exponential_avg_factor=exponential_avg_factor,
        data_format=data_format,
        is_training=is_training,
    )
    return outputs.y, outputs.batch_mean, outputs.batch_variance
