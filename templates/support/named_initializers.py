"""What tf.initializers had in TF 1, by the names there, for code that looks names up."""
from __future__ import annotations

from typing import Any

import tensorflow as tf

from .initializers import (
    constant_initializer as constant,
    glorot_normal_initializer as glorot_normal,
    glorot_uniform_initializer as glorot_uniform,
    identity_initializer as identity,
    ones_initializer as ones,
    orthogonal_initializer as orthogonal,
    random_normal_initializer as random_normal,
    random_uniform_initializer as random_uniform,
    tf_variance_scaling_initializer as variance_scaling,
    truncated_normal_initializer as truncated_normal,
    uniform_unit_scaling_initializer as uniform_unit_scaling,
    zeros_initializer as zeros,
)


def __getattr__(name: str) -> Any:
    """What TensorFlow 2 has under its old name."""
    for module in (tf.initializers,):
        if hasattr(module, name):
            return getattr(module, name)
    raise AttributeError(f"tf.initializers has no {name}")


__all__ = [
    "constant",
    "glorot_normal",
    "glorot_uniform",
    "identity",
    "ones",
    "orthogonal",
    "random_normal",
    "random_uniform",
    "truncated_normal",
    "uniform_unit_scaling",
    "variance_scaling",
    "zeros",
]
