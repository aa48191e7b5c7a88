"""Training helpers of tf.train, slim.learning and contrib.training."""
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import tensorflow as tf

from .names import key_of
from .optimizers import compute_gradients
from .scopes import get_or_create_global_step
from .store import current_run, current_store


def assert_global_step(global_step_tensor: Any) -> None:
    """Raises TypeError if the tensor is not a scalar of integers."""
    global_step = global_step_tensor
    if not tf.as_dtype(global_step.dtype).is_integer:
        raise TypeError(f"global_step must be an integer, not {global_step.dtype}")
    if tuple(global_step.shape) != ():
        raise TypeError(f"global_step must be a scalar, not of shape {global_step.shape}")


def global_step(sess: Any, global_step_tensor: Any = None) -> int:
    """The value of a step counter: the last argument; a session is not needed any more."""
    return int(current_run().value(sess if global_step_tensor is None else global_step_tensor))


def clip_gradient_norms(gradients_to_variables: Iterable[tuple[Any, Any]],
                        max_norm: float) -> list[tuple[Any, Any]]:
    """Each gradient clipped to the norm `max_norm` by itself."""
    def clipped(gradient: Any) -> Any:
        if isinstance(gradient, tf.IndexedSlices):
            return tf.IndexedSlices(tf.clip_by_norm(gradient.values, max_norm), gradient.indices,
                                    gradient.dense_shape)
        return None if gradient is None else tf.clip_by_norm(gradient, max_norm)

    return [(clipped(g), v) for g, v in gradients_to_variables]


def multiply_gradients(grads_and_vars: Iterable[tuple[Any, Any]],
                       gradient_multipliers: Mapping[Any, Any]) -> list[tuple[Any, Any]]:
    """Gradients times the factors given by variable, or by its name in the current store.

    Raises:
        ValueError: there are no factors, or one is of a variable without gradient.
    """
    if not gradient_multipliers:
        raise ValueError("gradient_multipliers is empty")
    names = {key_of(v): n for n, v in current_store().variables_by_name.items()}
    factors = {name if isinstance(name, str) else getattr(name, "name", name): value
               for name, value in gradient_multipliers.items()}
    result = []
    for gradient, variable in grads_and_vars:
        keys = (names.get(key_of(variable)), variable.name, variable.name.split(":")[0])
        factor = next((factors[k] for k in keys if k in factors), None)
        if factor is not None:
            if gradient is None:
                raise ValueError(f"{variable.name} has a gradient multiplier but no gradient")
            factor = tf.cast(factor, gradient.dtype)
            gradient = (tf.IndexedSlices(gradient.values * factor, gradient.indices,
                                         gradient.dense_shape)
                        if isinstance(gradient, tf.IndexedSlices) else gradient * factor)
        result.append((gradient, variable))
    return result


def apply_clipped_gradients(optimizer: Any, grads_and_vars: Iterable[tuple[Any, Any]],
                            global_step: Any = None, clip_norm: float | None = None) -> tf.Tensor:
    """Clips the gradients to the global norm `clip_norm`, applies them, gives the norm before."""
    pairs = [(g, v) for g, v in grads_and_vars if g is not None]
    gradients = [g for g, _ in pairs]
    norm = tf.linalg.global_norm(gradients)
    if clip_norm is not None:
        gradients, norm = tf.clip_by_global_norm(gradients, clip_norm, use_norm=norm)
    optimizer.apply_gradients(zip(gradients, [v for _, v in pairs], strict=True),
                              global_step=global_step)
    return norm


def train_step(total_loss: tf.Tensor, optimizer: Any, tape: tf.GradientTape,
               global_step: Any = None, variables_to_train: Sequence[Any] | None = None,
               clip_gradient_norm: float = 0, transform_grads_fn: Any = None,
               gradient_multipliers: Mapping[Any, Any] | None = None,
               check_numerics: bool = True) -> tf.Tensor:
    """What one run of the train_op of slim's (or contrib.training's) create_train_op did.

    To be called after the forward pass, in the `tf.function` that trains.

    Args:
        total_loss: The loss, recorded by `tape`.
        global_step: The counter to increment; default: the current store's.
        variables_to_train: Default: all trainable variables that the loss read.
        clip_gradient_norm: Each gradient's norm is clipped to this, if positive.
        transform_grads_fn: Takes and gives pairs (gradient, variable), before the clipping.
        gradient_multipliers: Factors by variable or name.
        check_numerics: Raise if the loss is infinite or NaN.

    Returns:
        `total_loss`.

    Raises:
        tf.errors.InvalidArgumentError: the loss is infinite or NaN.
    """
    checked = (tf.debugging.check_numerics(total_loss, "LossTensor is inf or nan")
               if check_numerics else total_loss)
    compute = getattr(optimizer, "compute_gradients", compute_gradients)
    pairs = compute(total_loss, variables_to_train, tape)
    if transform_grads_fn is not None:
        pairs = transform_grads_fn(pairs)
    if gradient_multipliers:
        pairs = multiply_gradients(pairs, gradient_multipliers)
    if clip_gradient_norm and clip_gradient_norm > 0:
        pairs = clip_gradient_norms(pairs, clip_gradient_norm)
    with tf.control_dependencies([checked]):
        optimizer.apply_gradients(pairs, global_step=(
            get_or_create_global_step() if global_step is None else global_step))
    return checked
