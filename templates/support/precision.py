"""Mixed precision: the policy, results back in float32, and loss scaling that skips bad steps."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import tensorflow as tf

from .names import outside_traces
from .store import current_store

POLICIES = ("float32", "float64", "mixed_float16", "mixed_bfloat16")


def set_policy(name: str) -> None:
    """Sets in which precision layers compute from here on; to be called before layers are made.

    Raises:
        ValueError: `name` is not one of `POLICIES`.
    """
    if name not in POLICIES:
        raise ValueError(f"unknown precision {name!r}; choose from {', '.join(POLICIES)}")
    tf.keras.mixed_precision.set_global_policy(name)


def compute_dtype() -> tf.DType:
    """The dtype in which layers compute under the current policy."""
    return tf.as_dtype(tf.keras.mixed_precision.global_policy().compute_dtype)


def to_float32(structure: Any) -> Any:
    """`structure` (a nest) with its float16 and bfloat16 tensors cast to float32.

    For the border between a network in low precision and what needs range or resolution: softmax,
    box decoding, losses, metrics, results.
    """
    def cast(value: Any) -> Any:
        dtype = getattr(value, "dtype", None)
        return tf.cast(value, tf.float32) if dtype in (tf.float16, tf.bfloat16) else value

    return tf.nest.map_structure(cast, structure)


def _times(gradient: Any, factor: tf.Tensor) -> Any:
    if isinstance(gradient, tf.IndexedSlices):
        return tf.IndexedSlices(_times(gradient.values, factor), gradient.indices,
                                gradient.dense_shape)
    return None if gradient is None else gradient * tf.cast(factor, gradient.dtype)


class LossScaled(tf.Module):
    """An optimizer whose gradients are computed of a scaled loss, and handed out unscaled.

    The scale halves when a gradient is infinite or NaN (the step is skipped and `global_step` does
    not count it) and doubles after `growth_steps` good steps.  Gradients may be clipped between
    `compute_gradients` and `apply_gradients`: they are true gradients there.

    Args:
        optimizer: A Keras optimizer.

    Attributes:
        keras: The `tf.keras.optimizers.LossScaleOptimizer` that keeps the scale; for
            `model.compile(optimizer.keras)`.
    """

    def __init__(self, optimizer: tf.keras.optimizers.Optimizer, initial_scale: float = 2.0**15,
                 growth_steps: int = 2000) -> None:
        super().__init__()
        self.inner = optimizer
        self.keras = tf.keras.optimizers.LossScaleOptimizer(
            optimizer, initial_scale=initial_scale, dynamic_growth_steps=growth_steps)

    @property
    def loss_scale(self) -> tf.Tensor:
        """The present scale, float32."""
        return tf.convert_to_tensor(
            self.keras.dynamic_scale if self.keras.built else self.keras.initial_scale, tf.float32)

    @property
    def learning_rate(self) -> Any:
        return self.inner.learning_rate

    @learning_rate.setter
    def learning_rate(self, value: Any) -> None:
        self.inner.learning_rate = value

    @property
    def iterations(self) -> Any:
        """How many steps were applied, not counting the skipped ones."""
        return self.inner.iterations

    def build(self, variables: Iterable[Any]) -> None:
        """Creates the state for `variables`; do so before a `tf.function` first trains."""
        if not self.keras.built:
            with outside_traces():  # else a `tf.function` would trace its first step twice
                self.keras.build(list(variables))

    def compute_gradients(self, loss: Any, var_list: Iterable[Any] | None = None,
                          tape: tf.GradientTape | None = None) -> list[tuple[Any, Any]]:
        """Pairs (gradient, variable); the gradients were scaled on their way back only.

        Args:
            loss: A tensor recorded by `tape` or traced by the `tf.function` around the call, or a
                function without arguments.
            var_list: Default: all trainable variables that the loss read (without a tape: those of
                the current store).

        Raises:
            ValueError: `loss` is an eager tensor and there is no tape.
        """
        if callable(loss):
            with tf.GradientTape() as tape:
                loss = loss()
        elif tape is None and not tf.inside_function():
            raise ValueError("compute_gradients of a loss tensor needs the tape that recorded it")
        if var_list is None:
            var_list = current_store().trainable_variables if tape is None else (
                tape.watched_variables())
        variables = list(var_list)
        self.build(variables)
        scale = self.loss_scale
        sources = [v.value if isinstance(v, tf.keras.Variable) else v for v in variables]
        # the gradient of `scale` times the loss, without having to record that product
        scales = tf.fill(tf.shape(loss), tf.cast(scale, loss.dtype))
        gradients = (tf.gradients(loss, sources, scales) if tape is None
                     else tape.gradient(loss, sources, output_gradients=scales))
        return list(zip([_times(g, 1.0 / scale) for g in gradients], variables, strict=True))

    def apply_gradients(self, grads_and_vars: Iterable[tuple[Any, Any]],
                        global_step: Any = None, name: str | None = None) -> None:
        """Updates the variables and adds 1 to `global_step`, unless a gradient is not finite.

        Raises:
            ValueError: no pair has a gradient.
        """
        pairs = [(g, v) for g, v in grads_and_vars if g is not None]
        if not pairs:
            raise ValueError("No gradients provided for any variable")
        self.build([v for _, v in pairs])
        before = tf.convert_to_tensor(self.iterations)
        scale = self.loss_scale  # what keras.apply divides by
        self.keras.apply([_times(g, scale) for g, _ in pairs], [v for _, v in pairs])
        if global_step is not None:
            applied = tf.convert_to_tensor(self.iterations) - before
            global_step.assign_add(tf.cast(applied, global_step.dtype))

    def minimize(self, loss: Any, global_step: Any = None, var_list: Iterable[Any] | None = None,
                 *, tape: tf.GradientTape | None = None, name: str | None = None) -> None:
        """`compute_gradients`, then `apply_gradients`."""
        self.apply_gradients(self.compute_gradients(loss, var_list, tape=tape), global_step, name)


def loss_scaled(optimizer: tf.keras.optimizers.Optimizer, **options: Any) -> Any:
    """`optimizer` with loss scaling if the policy computes in float16, else as it is.

    Args:
        options: See `LossScaled`.
    """
    return LossScaled(optimizer, **options) if compute_dtype() == tf.float16 else optimizer
