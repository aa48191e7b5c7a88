"""What tf.initializers had in TF 1, by the names there, for code that looks names up."""
from __future__ import annotations

from typing import Any

import tensorflow as tf

from .graphs import (
    global_variables_initializer,
    local_variables_initializer,
    tables_initializer,
    variables_initializer,
)
from .initializers import (
    constant_initializer,
    glorot_normal_initializer,
    glorot_uniform_initializer,
    identity_initializer,
    ones_initializer,
    orthogonal_initializer,
    random_normal_initializer,
    random_uniform_initializer,
    tf_variance_scaling_initializer,
    truncated_normal_initializer,
    uniform_unit_scaling_initializer,
    zeros_initializer,
)

constant = constant_initializer
global_variables = global_variables_initializer
glorot_normal = glorot_normal_initializer
glorot_uniform = glorot_uniform_initializer
identity = identity_initializer
local_variables = local_variables_initializer
ones = ones_initializer
orthogonal = orthogonal_initializer
random_normal = random_normal_initializer
random_uniform = random_uniform_initializer
truncated_normal = truncated_normal_initializer
uniform_unit_scaling = uniform_unit_scaling_initializer
variables = variables_initializer
variance_scaling = tf_variance_scaling_initializer
zeros = zeros_initializer


def __getattr__(name: str) -> Any:
    """What TensorFlow 2 has under its old name."""
    return getattr(tf.initializers, name)


__all__ = [
    "constant",
    "constant_initializer",
    "global_variables",
    "global_variables_initializer",
    "glorot_normal",
    "glorot_normal_initializer",
    "glorot_uniform",
    "glorot_uniform_initializer",
    "identity",
    "identity_initializer",
    "local_variables",
    "local_variables_initializer",
    "ones",
    "ones_initializer",
    "orthogonal",
    "orthogonal_initializer",
    "random_normal",
    "random_normal_initializer",
    "random_uniform",
    "random_uniform_initializer",
    "tables_initializer",
    "tf_variance_scaling_initializer",
    "truncated_normal",
    "truncated_normal_initializer",
    "uniform_unit_scaling",
    "uniform_unit_scaling_initializer",
    "variables",
    "variables_initializer",
    "variance_scaling",
    "zeros",
    "zeros_initializer",
]
