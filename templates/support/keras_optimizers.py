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


@tf.keras.utils.register_keras_serializable("tf1_support")
class RMSprop(tf.keras.optimizers.RMSprop):
    """The optimizer that adds epsilon to the root, where Keras 3 adds it to what the root is taken of: small
    gradients make larger steps.  With momentum, both add it to that."""

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Called by Keras."""
        if self.momentum > 0:
            super().update_step(gradient, variable, learning_rate)
            return
        place = self._get_variable_index(variable)
        gradient, velocity = tf.cast(gradient, variable.dtype), self._velocities[place]
        self.assign(velocity, self.rho * velocity + (1 - self.rho) * tf.square(gradient))
        spread = tf.convert_to_tensor(velocity)
        if self.centered:
            average = self._average_gradients[place]
            self.assign(average, self.rho * average + (1 - self.rho) * gradient)
            spread = spread - tf.square(tf.convert_to_tensor(average))
        rate = tf.cast(learning_rate, variable.dtype)
        self.assign_sub(variable, rate * gradient / (tf.sqrt(spread) + self.epsilon))


@tf.keras.utils.register_keras_serializable("tf1_support")
class Adagrad(tf.keras.optimizers.Adagrad):
    """The optimizer of Keras 2, whose sums began at zero; epsilon is added to their root."""

    def __init__(self, learning_rate: Any = 0.01, initial_accumulator_value: float = 0.0,
                 epsilon: float | None = None, **kwargs: Any) -> None:
        epsilon = tf.keras.backend.epsilon() if epsilon is None else epsilon
        super().__init__(learning_rate, initial_accumulator_value, epsilon, **kwargs)

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Called by Keras."""
        total = self._accumulators[self._get_variable_index(variable)]
        gradient, rate = tf.cast(gradient, variable.dtype), tf.cast(learning_rate, variable.dtype)
        self.assign_add(total, tf.square(gradient))
        self.assign_sub(variable, rate * gradient / (tf.sqrt(tf.convert_to_tensor(total)) + self.epsilon))


@tf.keras.utils.register_keras_serializable("tf1_support")
class Nadam(tf.keras.optimizers.Nadam):
    """The optimizer whose momentum nears its value with 0.96 ** (step * schedule_decay)."""

    def __init__(self, learning_rate: Any = 0.002, beta_1: float = 0.9, beta_2: float = 0.999,
                 epsilon: float | None = None, schedule_decay: float = 0.004, **kwargs: Any) -> None:
        epsilon = tf.keras.backend.epsilon() if epsilon is None else epsilon
        super().__init__(learning_rate, beta_1, beta_2, epsilon, **kwargs)
        self.schedule_decay = schedule_decay

    def _share(self, ahead: int, dtype: Any) -> Any:
        step = tf.cast(self.iterations + ahead, dtype)
        return self.beta_1 * (1.0 - 0.5 * tf.pow(tf.cast(0.96, dtype), step * self.schedule_decay))

    def _backend_update_step(self, grads: Any, trainable_variables: Any, learning_rate: Any) -> None:
        product = self._u_product
        self.assign(product, product * self._share(1, product.dtype))
        tf.keras.optimizers.Optimizer._backend_update_step(self, grads, trainable_variables, learning_rate)

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Called by Keras."""
        place, dtype = self._get_variable_index(variable), variable.dtype
        gradient, rate = tf.cast(gradient, dtype), tf.cast(learning_rate, dtype)
        mean, spread = self._momentums[place], self._velocities[place]
        share, following = self._share(1, dtype), self._share(2, dtype)
        product = tf.cast(tf.convert_to_tensor(self._u_product), dtype)
        self.assign(mean, self.beta_1 * mean + (1 - self.beta_1) * gradient)
        self.assign(spread, self.beta_2 * spread + (1 - self.beta_2) * tf.square(gradient))
        power = tf.pow(tf.cast(self.beta_2, dtype), tf.cast(self.iterations + 1, dtype))
        step = following * tf.convert_to_tensor(mean) / (1 - product * following)
        step += (1 - share) * gradient / (1 - product)
        self.assign_sub(
            variable, rate * step / (tf.sqrt(tf.convert_to_tensor(spread) / (1 - power)) + self.epsilon))

    def get_config(self) -> dict[str, Any]:
        """Its arguments."""
        return {**super().get_config(), "schedule_decay": self.schedule_decay}


@tf.keras.utils.register_keras_serializable("tf1_support")
class NadamOfTensorFlow(Nadam):
    """That of tf.keras in TF 1, whose rate was half of it."""

    def __init__(self, learning_rate: Any = 0.001, *args: Any, **kwargs: Any) -> None:
        super().__init__(learning_rate, *args, **kwargs)


__all__ = ["Adagrad", "Nadam", "NadamOfTensorFlow", "RMSprop", "minimize"]
