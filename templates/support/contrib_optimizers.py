"""Optimizers of tf.contrib.opt with TF 1's arithmetic and slot names."""
from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import tensorflow as tf

from .names import key_of
from .optimizers import (
    AdamOptimizer,
    MomentumOptimizer,
    Optimizer,
    Rows,
    Slots,
    Tensor,
    Variable,
)


class LazyAdamOptimizer(AdamOptimizer):
    """Adam that touches only the rows of a sparse gradient."""

    def _update_sparse(self, gradient: Tensor, indices: Tensor, variable: Variable,
                       slots: Slots, rate: Tensor) -> None:
        Optimizer._update_sparse(self, gradient, indices, variable, slots, rate)

    def _update_rows(self, gradient: Tensor, value: Tensor, slots: Slots,
                     rate: Tensor) -> Rows:
        beta1, beta2 = (self._hyper(b, gradient) for b in (self._beta1, self._beta2))
        m = beta1 * slots[0] + (1 - beta1) * gradient
        v = beta2 * slots[1] + (1 - beta2) * tf.square(gradient)
        step = self._corrected(rate) * m / (tf.sqrt(v) + self._hyper(self._epsilon, gradient))
        return value - step, m, v


class NadamOptimizer(AdamOptimizer):
    """Adam with Nesterov momentum."""

    def _update_dense(self, gradient: Tensor, variable: Variable, slots: Slots,
                      rate: Tensor) -> None:
        tf.raw_ops.ResourceApplyAdam(
            var=variable.handle, m=slots[0].handle, v=slots[1].handle,
            beta1_power=tf.cast(self._powers[0], gradient.dtype),
            beta2_power=tf.cast(self._powers[1], gradient.dtype), lr=rate,
            beta1=self._hyper(self._beta1, gradient), beta2=self._hyper(self._beta2, gradient),
            epsilon=self._hyper(self._epsilon, gradient), grad=gradient, use_nesterov=True)

    def _update_sparse(self, gradient: Tensor, indices: Tensor, variable: Variable,
                       slots: Slots, rate: Tensor) -> None:
        beta1, beta2 = (self._hyper(b, gradient) for b in (self._beta1, self._beta2))
        for slot, beta, value in zip(slots, (beta1, beta2), (gradient, tf.square(gradient)),
                                     strict=True):
            slot.assign(slot * beta)
            slot.scatter_add(tf.IndexedSlices(value * (1 - beta), indices))
        m, v = (tf.gather(slot, indices) for slot in slots)
        step = (self._corrected(rate) * ((1 - beta1) * gradient + beta1 * m)
                / (tf.sqrt(v) + self._hyper(self._epsilon, gradient)))
        variable.scatter_sub(tf.IndexedSlices(step, indices))


class AdaMaxOptimizer(AdamOptimizer):
    """Adam with the infinity norm; a sparse gradient touches only its rows."""

    def __init__(self, learning_rate: Any = 0.001, beta1: Any = 0.9, beta2: Any = 0.999,
                 epsilon: Any = 1e-8, use_locking: bool = False, name: str = "AdaMax") -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, use_locking, name)

    def initial_scalars(self) -> dict[str, float]:
        return {"beta1_power": super().initial_scalars()["beta1_power"]}

    def _update_dense(self, gradient: Tensor, variable: Variable, slots: Slots,
                      rate: Tensor) -> None:
        tf.raw_ops.ResourceApplyAdaMax(
            var=variable.handle, m=slots[0].handle, v=slots[1].handle,
            beta1_power=tf.cast(self._powers[0], gradient.dtype), lr=rate,
            beta1=self._hyper(self._beta1, gradient), beta2=self._hyper(self._beta2, gradient),
            epsilon=self._hyper(self._epsilon, gradient), grad=gradient)

    def _update_sparse(self, gradient: Tensor, indices: Tensor, variable: Variable,
                       slots: Slots, rate: Tensor) -> None:
        Optimizer._update_sparse(self, gradient, indices, variable, slots, rate)

    def _update_rows(self, gradient: Tensor, value: Tensor, slots: Slots,
                     rate: Tensor) -> Rows:
        beta1, beta2 = (self._hyper(b, gradient) for b in (self._beta1, self._beta2))
        m = beta1 * slots[0] + (1 - beta1) * gradient
        v = tf.maximum(beta2 * slots[1], tf.abs(gradient))
        step = (rate / (1 - tf.cast(self._powers[0], gradient.dtype))
                * m / (v + self._hyper(self._epsilon, gradient)))
        return value - step, m, v


class DecoupledWeightDecayExtension(Optimizer):
    """Mix-in before an optimizer: variable -= weight_decay * variable, ahead of each update.

    Args:
        weight_decay: A number, tensor or function without arguments; it is not multiplied by the
            learning rate.
    """

    def __init__(self, weight_decay: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._decoupled_decay = weight_decay
        self._decayed: set[Any] | None = None  # None: all variables

    def apply_gradients(self, grads_and_vars: Iterable[tuple[Any, Any]], global_step: Any = None,
                        name: str | None = None,
                        decay_var_list: Sequence[Any] | None = None) -> Any:
        """As the optimizer's own; with `decay_var_list`, only those variables are decayed."""
        self._decayed = {key_of(v) for v in decay_var_list} if decay_var_list else None
        return super().apply_gradients(grads_and_vars, global_step, name)

    def minimize(self, loss: Any, global_step: Any = None, var_list: Any = None, *args: Any,
                 name: str | None = None, decay_var_list: Sequence[Any] | None = None,
                 **options: Any) -> Any:
        """As the optimizer's own; with `decay_var_list`, only those variables are decayed."""
        pairs = self.compute_gradients(loss, var_list, *args, **options)
        return self.apply_gradients(pairs, global_step, name, decay_var_list)

    def _decays(self, variable: Any) -> bool:
        return self._decayed is None or key_of(variable) in self._decayed

    def _update_dense(self, gradient: Tensor, variable: Variable, slots: Slots,
                      rate: Tensor) -> None:
        if self._decays(variable):
            variable.assign_sub(self._hyper(self._decoupled_decay, gradient) * variable)
        super()._update_dense(gradient, variable, slots, rate)

    def _update_sparse(self, gradient: Tensor, indices: Tensor, variable: Variable,
                       slots: Slots, rate: Tensor) -> None:
        if self._decays(variable):
            decay = self._hyper(self._decoupled_decay, gradient) * tf.gather(variable, indices)
            variable.scatter_sub(tf.IndexedSlices(decay, indices))
        super()._update_sparse(gradient, indices, variable, slots, rate)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "weight_decay": self._decoupled_decay}


def extend_with_decoupled_weight_decay(base_optimizer: type) -> type:
    """A class of optimizers as `base_optimizer`, whose first argument is the weight decay."""
    return type(f"{base_optimizer.__name__}WithDecoupledWeightDecay",
                (DecoupledWeightDecayExtension, base_optimizer), {})


class AdamWOptimizer(DecoupledWeightDecayExtension, AdamOptimizer):
    """Adam with decoupled weight decay."""

    def __init__(self, weight_decay: Any, learning_rate: Any = 0.001, beta1: Any = 0.9,
                 beta2: Any = 0.999, epsilon: Any = 1e-8, use_locking: bool = False,
                 name: str = "AdamW") -> None:
        super().__init__(weight_decay, learning_rate, beta1, beta2, epsilon, use_locking, name)


class MomentumWOptimizer(DecoupledWeightDecayExtension, MomentumOptimizer):
    """Momentum with decoupled weight decay."""

    def __init__(self, weight_decay: Any, learning_rate: Any, momentum: Any,
                 use_locking: bool = False, name: str = "MomentumW",
                 use_nesterov: bool = False) -> None:
        super().__init__(weight_decay, learning_rate, momentum, use_locking, name, use_nesterov)


class LARSOptimizer(MomentumOptimizer):
    """Layer-wise adaptive rate scaling; sparse gradients are updated by plain momentum.

    Args:
        eeta: The trust coefficient.
        skip_list: Variables whose name contains one of these strings are not scaled.
    """

    def __init__(self, learning_rate: Any, momentum: float = 0.9, weight_decay: float = 0.0001,
                 eeta: float = 0.001, epsilon: float = 0.0, name: str = "LARSOptimizer",
                 skip_list: Sequence[str] | None = None, use_nesterov: bool = False) -> None:
        if momentum < 0.0 or weight_decay < 0.0:
            raise ValueError("momentum and weight_decay must not be negative: "
                             f"{momentum}, {weight_decay}")
        super().__init__(learning_rate, momentum, name=name, use_nesterov=use_nesterov)
        self._lars_decay, self._eeta, self._epsilon = weight_decay, eeta, epsilon
        self._skip_list = skip_list

    def compute_lr(self, grad: Any, var: Any) -> tuple[Tensor, Tensor]:
        """(learning rate, decayed gradient) of a variable, by the norms of it and its gradient."""
        rate = tf.convert_to_tensor(self.learning_rate)
        if self._skipped(var):
            return rate, grad
        return rate * self._trust(grad, var), grad + self._lars_decay * var

    def _skipped(self, variable: Any) -> bool:
        return any(part in variable.name for part in self._skip_list or ())

    def _trust(self, gradient: Any, variable: Any) -> Tensor:
        weight_norm, gradient_norm = tf.norm(variable), tf.norm(gradient)
        trust = tf.math.divide_no_nan(
            self._eeta * weight_norm,
            gradient_norm + self._lars_decay * weight_norm + self._epsilon)
        return tf.where((weight_norm > 0) & (gradient_norm > 0), trust, tf.ones_like(trust))

    def _update_dense(self, gradient: Tensor, variable: Variable, slots: Slots,
                      rate: Tensor) -> None:
        if not self._skipped(variable):
            rate = rate * self._trust(gradient, variable)
            gradient = gradient + self._lars_decay * variable
        super()._update_dense(gradient * rate, variable, slots, tf.ones_like(rate))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "weight_decay": self._lars_decay, "eeta": self._eeta,
                "epsilon": self._epsilon, "skip_list": self._skip_list}


class _SignOptimizer(Optimizer):
    """Scales the gradient by whether its sign agrees with that of its moving average."""

    slots = ("m",)

    def __init__(self, learning_rate: Any, factor: Any, beta: Any,
                 sign_decay_fn: Callable[[Any], Any] | None, name: str) -> None:
        super().__init__(learning_rate, name)
        self._factor, self._beta, self._sign_decay_fn = factor, beta, sign_decay_fn
        self._sign_decay: Any = 1.0

    def apply_gradients(self, grads_and_vars: Iterable[tuple[Any, Any]], global_step: Any = None,
                        name: str | None = None) -> Any:
        if self._sign_decay_fn is not None:
            self._sign_decay = self._sign_decay_fn(global_step)
        return super().apply_gradients(grads_and_vars, global_step, name)

    def _common(self, gradient: Tensor, variable: Variable, slots: Slots,
                rate: Tensor) -> dict[str, Any]:
        return {"var": variable.handle, "m": slots[0].handle, "lr": rate, "grad": gradient,
                "sign_decay": tf.cast(self._sign_decay, gradient.dtype),
                "beta": self._hyper(self._beta, gradient)}

    def _update_sparse(self, gradient: Tensor, indices: Tensor, variable: Variable,
                       slots: Slots, rate: Tensor) -> None:
        shape = tf.cast(tf.shape(variable), indices.dtype)
        self._update_dense(tf.scatter_nd(indices[:, tf.newaxis], gradient, shape), variable,
                           slots, rate)


class AddSignOptimizer(_SignOptimizer):
    """variable -= learning_rate * (alpha + decay * sign(g) * sign(m)) * g."""

    def __init__(self, learning_rate: Any = 0.1, alpha: Any = 1.0, beta: Any = 0.9,
                 sign_decay_fn: Callable[[Any], Any] | None = None, use_locking: bool = False,
                 name: str = "AddSignOptimizer") -> None:
        super().__init__(learning_rate, alpha, beta, sign_decay_fn, name)

    def _update_dense(self, gradient: Tensor, variable: Variable, slots: Slots,
                      rate: Tensor) -> None:
        tf.raw_ops.ResourceApplyAddSign(alpha=self._hyper(self._factor, gradient),
                                        **self._common(gradient, variable, slots, rate))


class PowerSignOptimizer(_SignOptimizer):
    """variable -= learning_rate * base ** (decay * sign(g) * sign(m)) * g."""

    def __init__(self, learning_rate: Any = 0.1, base: float = math.e, beta: Any = 0.9,
                 sign_decay_fn: Callable[[Any], Any] | None = None, use_locking: bool = False,
                 name: str = "PowerSignOptimizer") -> None:
        super().__init__(learning_rate, math.log(base), beta, sign_decay_fn, name)

    def _update_dense(self, gradient: Tensor, variable: Variable, slots: Slots,
                      rate: Tensor) -> None:
        tf.raw_ops.ResourceApplyPowerSign(logbase=self._hyper(self._factor, gradient),
                                          **self._common(gradient, variable, slots, rate))
