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


__all__ = ["minimize"]
