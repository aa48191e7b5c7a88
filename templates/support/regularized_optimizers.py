"""TF 1's optimizers with built-in regularization: Ftrl, proximal and dual averaging."""
from __future__ import annotations

from typing import Any

import tensorflow as tf

from .optimizers import (
    AdagradOptimizer,
    GradientDescentOptimizer,
    Optimizer,
    Rows,
    Slots,
    Tensor,
    Variable,
)


class FtrlOptimizer(Optimizer):
    """Follow the regularized leader, with optional L1, L2 and shrinkage L2 regularization.

    Raises:
        ValueError: a negative strength or initial value, or a positive learning rate power.
    """

    slots = ("accum", "linear")

    def __init__(self, learning_rate: Any, learning_rate_power: float = -0.5,
                 initial_accumulator_value: float = 0.1, l1_regularization_strength: float = 0.0,
                 l2_regularization_strength: float = 0.0, use_locking: bool = False,
                 name: str = "Ftrl", accum_name: str | None = None, linear_name: str | None = None,
                 l2_shrinkage_regularization_strength: float = 0.0) -> None:
        if learning_rate_power > 0.0:
            raise ValueError(f"learning_rate_power must not be positive: {learning_rate_power}")
        for label, number in (("initial_accumulator_value", initial_accumulator_value),
                              ("l1_regularization_strength", l1_regularization_strength),
                              ("l2_regularization_strength", l2_regularization_strength),
                              ("l2_shrinkage_regularization_strength",
                               l2_shrinkage_regularization_strength)):
            if number < 0.0:
                raise ValueError(f"{label} must not be negative: {number}")
        super().__init__(learning_rate, name)
        self._power, self._initial = learning_rate_power, initial_accumulator_value
        self._l1, self._l2 = l1_regularization_strength, l2_regularization_strength
        self._shrinkage = l2_shrinkage_regularization_strength
        self._labels = {"accum": accum_name, "linear": linear_name}

    def _slot_value(self, slot: str) -> float:
        return self._initial if slot == "accum" else 0.0

    def slot_label(self, slot: str) -> str:
        return self._labels[slot] or self._tf1_name

    def _update_dense(self, gradient: Tensor, variable: Variable, slots: Slots,
                      rate: Tensor) -> None:
        arguments = {
            "var": variable.handle, "accum": slots[0].handle, "linear": slots[1].handle,
            "grad": gradient, "lr": rate, "l1": self._hyper(self._l1, gradient),
            "l2": self._hyper(self._l2, gradient), "lr_power": self._hyper(self._power, gradient)}
        if self._shrinkage:
            tf.raw_ops.ResourceApplyFtrlV2(
                l2_shrinkage=self._hyper(self._shrinkage, gradient), **arguments)
        else:
            tf.raw_ops.ResourceApplyFtrl(**arguments)

    def _update_rows(self, gradient: Tensor, value: Tensor, slots: Slots,
                     rate: Tensor) -> Rows:
        l1, l2 = self._hyper(self._l1, gradient), self._hyper(self._l2, gradient)
        power = -self._hyper(self._power, gradient)
        accum = slots[0] + tf.square(gradient)
        shrunk = gradient + 2 * self._hyper(self._shrinkage, gradient) * value
        linear = (slots[1] + shrunk
                  - (tf.pow(accum, power) - tf.pow(slots[0], power)) / rate * value)
        quadratic = tf.pow(accum, power) / rate + 2 * l2
        solution = (tf.clip_by_value(linear, -l1, l1) - linear) / quadratic
        return solution, accum, linear

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "learning_rate_power": self._power,
                "initial_accumulator_value": self._initial,
                "l1_regularization_strength": self._l1, "l2_regularization_strength": self._l2,
                "accum_name": self._labels["accum"], "linear_name": self._labels["linear"],
                "l2_shrinkage_regularization_strength": self._shrinkage}


def _proximal_step(value: tf.Tensor, rate: tf.Tensor, l1: tf.Tensor, l2: tf.Tensor) -> tf.Tensor:
    """`value` soft-thresholded by rate * l1 and shrunk by rate * l2."""
    return tf.sign(value) * tf.maximum(tf.abs(value) - rate * l1, 0) / (1 + rate * l2)


class ProximalGradientDescentOptimizer(GradientDescentOptimizer):
    """Gradient descent followed by the proximal operator of L1 and L2 regularization."""

    def __init__(self, learning_rate: Any, l1_regularization_strength: float = 0.0,
                 l2_regularization_strength: float = 0.0, use_locking: bool = False,
                 name: str = "ProximalGradientDescent") -> None:
        super().__init__(learning_rate, use_locking, name)
        self._l1, self._l2 = l1_regularization_strength, l2_regularization_strength

    def _update_dense(self, gradient: Tensor, variable: Variable, slots: Slots,
                      rate: Tensor) -> None:
        tf.raw_ops.ResourceApplyProximalGradientDescent(
            var=variable.handle, alpha=rate, delta=gradient, l1=self._hyper(self._l1, gradient),
            l2=self._hyper(self._l2, gradient))

    def _update_sparse(self, gradient: Tensor, indices: Tensor, variable: Variable,
                       slots: Slots, rate: Tensor) -> None:
        moved = _proximal_step(tf.gather(variable, indices) - rate * gradient, rate,
                               self._hyper(self._l1, gradient), self._hyper(self._l2, gradient))
        variable.scatter_update(tf.IndexedSlices(moved, indices))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "l1_regularization_strength": self._l1,
                "l2_regularization_strength": self._l2}


class ProximalAdagradOptimizer(AdagradOptimizer):
    """Adagrad followed by the proximal operator of L1 and L2 regularization."""

    def __init__(self, learning_rate: Any, initial_accumulator_value: float = 0.1,
                 l1_regularization_strength: float = 0.0, l2_regularization_strength: float = 0.0,
                 use_locking: bool = False, name: str = "ProximalAdagrad") -> None:
        super().__init__(learning_rate, initial_accumulator_value, use_locking, name)
        self._l1, self._l2 = l1_regularization_strength, l2_regularization_strength

    def _update_dense(self, gradient: Tensor, variable: Variable, slots: Slots,
                      rate: Tensor) -> None:
        tf.raw_ops.ResourceApplyProximalAdagrad(
            var=variable.handle, accum=slots[0].handle, lr=rate, grad=gradient,
            l1=self._hyper(self._l1, gradient), l2=self._hyper(self._l2, gradient))

    def _update_rows(self, gradient: Tensor, value: Tensor, slots: Slots,
                     rate: Tensor) -> Rows:
        accum = slots[0] + tf.square(gradient)
        rate = rate * tf.math.rsqrt(accum)
        return _proximal_step(value - rate * gradient, rate, self._hyper(self._l1, gradient),
                              self._hyper(self._l2, gradient)), accum

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "l1_regularization_strength": self._l1,
                "l2_regularization_strength": self._l2}


class AdagradDAOptimizer(Optimizer):
    """Adagrad by dual averaging: the variable is a function of the sums of all gradients.

    Args:
        global_step: The variable that counts steps; it must be the one given to
            `apply_gradients`.
    """

    slots = ("gradient_accumulator", "gradient_squared_accumulator")

    def __init__(self, learning_rate: Any, global_step: Any,
                 initial_gradient_squared_accumulator_value: float = 0.1,
                 l1_regularization_strength: float = 0.0, l2_regularization_strength: float = 0.0,
                 use_locking: bool = False, name: str = "AdagradDA") -> None:
        if initial_gradient_squared_accumulator_value <= 0.0:
            raise ValueError("initial_gradient_squared_accumulator_value must be positive: "
                             f"{initial_gradient_squared_accumulator_value}")
        super().__init__(learning_rate, name)
        self._global_step = global_step
        self._initial = initial_gradient_squared_accumulator_value
        self._l1, self._l2 = l1_regularization_strength, l2_regularization_strength

    def _slot_value(self, slot: str) -> float:
        return self._initial if slot == "gradient_squared_accumulator" else 0.0

    def _update_dense(self, gradient: Tensor, variable: Variable, slots: Slots,
                      rate: Tensor) -> None:
        tf.raw_ops.ResourceApplyAdagradDA(
            var=variable.handle, gradient_accumulator=slots[0].handle,
            gradient_squared_accumulator=slots[1].handle, grad=gradient, lr=rate,
            l1=self._hyper(self._l1, gradient), l2=self._hyper(self._l2, gradient),
            global_step=tf.cast(self._global_step, tf.int64) + 1)

    def _update_rows(self, gradient: Tensor, value: Tensor, slots: Slots,
                     rate: Tensor) -> Rows:
        step = tf.cast(self._global_step, gradient.dtype) + 1
        total, squares = slots[0] + gradient, slots[1] + tf.square(gradient)
        l1, l2 = self._hyper(self._l1, gradient), self._hyper(self._l2, gradient)
        threshold = tf.sign(total) * tf.maximum(tf.abs(total) - l1 * step, 0)
        return -rate * threshold / (l2 * step * rate + tf.sqrt(squares)), total, squares
