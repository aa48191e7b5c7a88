"""What optimizers of tf.keras did in TF 1 and those of Keras 3 leave to the caller."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import tensorflow as tf


def minimize(
    optimizer: Any,
    loss: Callable[[], Any],
    var_list: Iterable[Any] | Callable[[], Iterable[Any]],
    grad_loss: Any = None,
    name: str | None = None,
) -> Any:
    """One step of a Keras optimizer towards a smaller `loss()`; returns its number of steps.

    `var_list` may be a function, for variables that `loss` makes.  Variables that the loss does not
    depend on are left alone.  Raises ValueError where it depends on none.
    """
    del name
    with tf.GradientTape() as tape:
        value = loss()
    variables = tf.nest.flatten(list(var_list() if callable(var_list) else var_list))
    gradients = tape.gradient(value, variables, grad_loss)
    optimizer.apply_gradients(
        [(g, v) for g, v in zip(gradients, variables, strict=True) if g is not None])
    return optimizer.iterations


class RMSprop(tf.keras.optimizers.RMSprop):
    """Keras 2's own, whose epsilon stands outside of the root: small gradients make large steps."""

    def __init__(
        self, lr: Any = 0.001, rho: float = 0.9, epsilon: float | None = None, **kwargs: Any
    ) -> None:
        epsilon = tf.keras.backend.epsilon() if epsilon is None else epsilon
        super().__init__(kwargs.pop("learning_rate", lr), rho=rho, epsilon=epsilon, **kwargs)

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        rate, squares = tf.cast(learning_rate, variable.dtype), _slot(self, self._velocities, variable)
        gradient = tf.cast(gradient, variable.dtype)
        squares.assign(self.rho * squares + (1 - self.rho) * tf.square(gradient))
        variable.assign_sub(rate * gradient / (tf.sqrt(squares) + self.epsilon))


class Adagrad(tf.keras.optimizers.Adagrad):
    """Keras 2's own, whose sums of squares begin with 0, and epsilon stands outside of the root."""

    def __init__(self, lr: Any = 0.01, epsilon: float | None = None, **kwargs: Any) -> None:
        epsilon = tf.keras.backend.epsilon() if epsilon is None else epsilon
        kwargs["initial_accumulator_value"] = 0.0
        super().__init__(kwargs.pop("learning_rate", lr), epsilon=epsilon, **kwargs)

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        rate, squares = tf.cast(learning_rate, variable.dtype), _slot(self, self._accumulators, variable)
        gradient = tf.cast(gradient, variable.dtype)
        squares.assign_add(tf.square(gradient))
        variable.assign_sub(rate * gradient / (tf.sqrt(squares) + self.epsilon))


class Nadam(tf.keras.optimizers.Nadam):
    """Keras 2's, whose momentum comes to its full size 250 times more slowly than that of Keras 3."""

    def __init__(
        self, lr: Any = 0.002, beta_1: float = 0.9, beta_2: float = 0.999, epsilon: float | None = None,
        schedule_decay: float = 0.004, **kwargs: Any,
    ) -> None:  # fmt: skip
        epsilon = tf.keras.backend.epsilon() if epsilon is None else epsilon
        super().__init__(kwargs.pop("learning_rate", lr), beta_1, beta_2, epsilon, **kwargs)
        self.schedule_decay = schedule_decay

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "schedule_decay": self.schedule_decay}

    def build(self, variables: Any) -> None:
        if not self.built:
            super().build(variables)
            self._products = [
                self.add_variable(shape=(), initializer="ones", dtype=v.dtype, name="m_schedule")
                for v in variables]

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        rate, step = (tf.cast(x, variable.dtype) for x in (learning_rate, self.iterations + 1))
        gradient = tf.cast(gradient, variable.dtype)
        first, second, product = (
            _slot(self, of, variable) for of in (self._momentums, self._velocities, self._products))
        now, then = (
            self.beta_1 * (1.0 - 0.5 * tf.pow(0.96, at * self.schedule_decay)) for at in (step, step + 1))
        product.assign(product * now)
        first.assign(self.beta_1 * first + (1 - self.beta_1) * gradient)
        second.assign(self.beta_2 * second + (1 - self.beta_2) * tf.square(gradient))
        mean = (1 - now) * gradient / (1 - product) + then * first / (1 - product * then)
        size = second / (1 - tf.pow(tf.cast(self.beta_2, variable.dtype), step))
        variable.assign_sub(rate * mean / (tf.sqrt(size) + self.epsilon))


class NadamOfTensorFlow(Nadam):
    """That of tf.keras in TF 1, whose rate was half of it."""

    def __init__(self, learning_rate: Any = 0.001, *args: Any, lr: Any = None, **kwargs: Any) -> None:
        super().__init__(learning_rate if lr is None else lr, *args, **kwargs)


def _slot(optimizer: Any, slots: Any, variable: Any) -> Any:
    """What an optimizer keeps beside a variable."""
    return slots[optimizer._get_variable_index(variable)]


__all__ = ["Adagrad", "Nadam", "NadamOfTensorFlow", "RMSprop", "minimize"]
