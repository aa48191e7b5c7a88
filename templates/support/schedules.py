"""TF 1's learning rate schedules, as values that follow the step counter.

Each function takes a step and gives the learning rate: a tensor if the step is a number or a
tensor or the call is inside of a `tf.function`, else, for a step *variable*, a `LearningRate`
that is computed anew whenever an optimizer or an operation asks for it (as a graph tensor was).
"""
from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

keras_schedules = tf.keras.optimizers.schedules


class LearningRate:
    """A learning rate that is computed from a step variable whenever it is used.

    It stands where TF 1 had a tensor: calling it (as optimizers do), arithmetic, and any TensorFlow
    operation take its value of now.

    Args:
        value_at: Gives the rate at a step; a Keras schedule for instance.
        step: The step variable.
    """

    def __init__(self, value_at: Callable[[Any], Any], step: Any) -> None:
        self.value_at, self.step = value_at, step

    def __call__(self, step: Any = None) -> tf.Tensor:
        """The rate at `step`; default: now."""
        return tf.convert_to_tensor(self.value_at(
            tf.convert_to_tensor(self.step) if step is None else step))

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> tf.Tensor:
        return self() if dtype is None else tf.cast(self(), dtype)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.asarray(self.numpy(), dtype)

    def numpy(self) -> Any:
        return self().numpy()

    def __float__(self) -> float:
        return float(self())

    @property
    def dtype(self) -> tf.DType:
        return self().dtype

    @property
    def shape(self) -> tf.TensorShape:
        return self().shape

    def _then(self, change: Callable[[Any], Any]) -> LearningRate:
        return LearningRate(lambda step: change(self.value_at(step)), self.step)

    def __mul__(self, other: Any) -> LearningRate:
        return self._then(lambda rate: rate * other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> LearningRate:
        return self._then(lambda rate: rate / other)

    def __add__(self, other: Any) -> LearningRate:
        return self._then(lambda rate: rate + other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> LearningRate:
        return self._then(lambda rate: rate - other)

    def __repr__(self) -> str:
        return f"LearningRate({float(self())!r} now)"


def at_step(value_at: Callable[[Any], Any], step: Any) -> Any:
    """`value_at` at `step`: a tensor, or a `LearningRate` if `step` is a variable outside of a
    `tf.function`.  A function of the step that combines schedules belongs in here too.

    Raises:
        ValueError: `step` is None.
    """
    if step is None:
        raise ValueError("a learning rate schedule needs the global step")
    if isinstance(step, (tf.Variable, tf.keras.Variable)) and not tf.inside_function():
        return LearningRate(value_at, step)
    return tf.convert_to_tensor(value_at(tf.convert_to_tensor(step)))


def _like(learning_rate: Any, *values: Any) -> list[tf.Tensor]:
    """`learning_rate` as a tensor, and `values` cast to its dtype."""
    rate = tf.convert_to_tensor(learning_rate)
    return [rate, *(tf.cast(value, rate.dtype) for value in values)]


def _named(rate_at: Callable[[Any], tf.Tensor], name: str) -> Callable[[Any], tf.Tensor]:
    """`rate_at`, its operations below `name`. Keras' schedules refuse decays of 0 steps, unlike TF 1's."""
    def named(step: Any) -> tf.Tensor:
        with tf.name_scope(name):
            return rate_at(step)
    return named


def _decaying(decayed: Callable[[Any, Any, Any], tf.Tensor], learning_rate: Any, decay_steps: Any,
              decay_rate: Any, staircase: bool) -> Callable[[Any], tf.Tensor]:
    """What `decayed` makes of the rate, its decay and the periods that went by; whole ones if `staircase`."""
    def rate_at(step: Any) -> tf.Tensor:
        rate, now, steps, decay = _like(learning_rate, step, decay_steps, decay_rate)
        return decayed(rate, decay, tf.floor(now / steps) if staircase else now / steps)
    return rate_at


def exponential_decay(learning_rate: Any, global_step: Any, decay_steps: Any, decay_rate: Any,
                      staircase: bool = False, name: str | None = None) -> Any:
    """learning_rate * decay_rate ** (step / decay_steps), by whole numbers if `staircase`."""
    rate_at = _decaying(lambda rate, decay, ratio: rate * tf.pow(decay, ratio),
                        learning_rate, decay_steps, decay_rate, staircase)
    return at_step(_named(rate_at, name or "ExponentialDecay"), global_step)


def natural_exp_decay(learning_rate: Any, global_step: Any, decay_steps: Any, decay_rate: Any,
                      staircase: bool = False, name: str | None = None) -> Any:
    """learning_rate * exp(-decay_rate * step / decay_steps), by whole numbers if `staircase`."""
    rate_at = _decaying(lambda rate, decay, ratio: rate * tf.exp(-decay * ratio),
                        learning_rate, decay_steps, decay_rate, staircase)
    return at_step(rate_at, global_step)


def inverse_time_decay(learning_rate: Any, global_step: Any, decay_steps: Any, decay_rate: Any,
                       staircase: bool = False, name: str | None = None) -> Any:
    """learning_rate / (1 + decay_rate * step / decay_steps), by whole numbers if `staircase`."""
    rate_at = _decaying(lambda rate, decay, ratio: rate / (tf.constant(1, rate.dtype) + decay * ratio),
                        learning_rate, decay_steps, decay_rate, staircase)
    return at_step(_named(rate_at, name or "InverseTimeDecay"), global_step)


def polynomial_decay(learning_rate: Any, global_step: Any, decay_steps: Any,
                     end_learning_rate: Any = 0.0001, power: Any = 1.0, cycle: bool = False,
                     name: str | None = None) -> Any:
    """From `learning_rate` to `end_learning_rate` in `decay_steps`, then constant or again."""
    return at_step(keras_schedules.PolynomialDecay(
        learning_rate, decay_steps, end_learning_rate, power, cycle, name or "PolynomialDecay"),
        global_step)


def piecewise_constant(x: Any, boundaries: Sequence[Any], values: Sequence[Any],
                       name: str | None = None) -> Any:
    """values[i] for boundaries[i - 1] < x <= boundaries[i].

    Raises:
        ValueError: there is not one value more than boundaries.
    """
    if len(boundaries) != len(values) - 1:
        raise ValueError(f"{len(boundaries)} boundaries need {len(boundaries) + 1} values, "
                         f"not {len(values)}")

    def rate_at(step: Any) -> tf.Tensor:
        passed = [tf.cast(step > tf.cast(b, step.dtype), tf.int32) for b in boundaries]
        return tf.gather(tf.stack(values), tf.add_n(passed) if passed else 0)
    return at_step(rate_at, x)


def cosine_decay(learning_rate: Any, global_step: Any, decay_steps: Any, alpha: Any = 0.0,
                 name: str | None = None) -> Any:
    """Half a cosine from `learning_rate` to `alpha * learning_rate` in `decay_steps`."""
    return at_step(keras_schedules.CosineDecay(
        learning_rate, decay_steps, alpha, name or "CosineDecay"), global_step)


def cosine_decay_restarts(learning_rate: Any, global_step: Any, first_decay_steps: Any,
                          t_mul: Any = 2.0, m_mul: Any = 1.0, alpha: Any = 0.0,
                          name: str | None = None) -> Any:
    """Cosine decays one after the other, each `t_mul` as long and `m_mul` as high as the last."""
    return at_step(keras_schedules.CosineDecayRestarts(
        learning_rate, first_decay_steps, t_mul, m_mul, alpha, name or "SGDRDecay"), global_step)


def linear_cosine_decay(learning_rate: Any, global_step: Any, decay_steps: Any,
                        num_periods: Any = 0.5, alpha: Any = 0.0, beta: Any = 0.001,
                        name: str | None = None) -> Any:
    """learning_rate * ((alpha + linear) * cosine + beta), both falling over `decay_steps`."""
    def rate_at(step: Any) -> tf.Tensor:
        rate, now, steps, periods, low, floor = _like(
            learning_rate, step, decay_steps, num_periods, alpha, beta)
        now = tf.minimum(now, steps)
        cosine = 0.5 * (1.0 + tf.cos(2.0 * math.pi * periods * now / steps))
        return rate * ((low + (steps - now) / steps) * cosine + floor)
    return at_step(rate_at, global_step)


def noisy_linear_cosine_decay(learning_rate: Any, global_step: Any, decay_steps: Any,
                              initial_variance: Any = 1.0, variance_decay: Any = 0.55,
                              num_periods: Any = 0.5, alpha: Any = 0.0, beta: Any = 0.001,
                              name: str | None = None) -> Any:
    """`linear_cosine_decay` with normal noise of falling variance on the linear part."""
    def rate_at(step: Any) -> tf.Tensor:
        rate, now, steps, variance, falling, periods, low, floor = _like(
            learning_rate, step, decay_steps, initial_variance, variance_decay, num_periods,
            alpha, beta)
        now = tf.minimum(now, steps)
        deviation = tf.sqrt(variance / tf.pow(1.0 + now, falling))
        noise = tf.random.normal(tf.shape(now), stddev=deviation, dtype=rate.dtype)
        cosine = 0.5 * (1.0 + tf.cos(2.0 * math.pi * periods * now / steps))
        return rate * ((low + (steps - now) / steps + noise) * cosine + floor)
    return at_step(rate_at, global_step)
