"""Initializers, by what a large value of theirs is like (Python 3.7, TensorFlow 2.21)."""

import numpy as np
import tensorflow as tf

from tests.runtime.recorded import files, layers

INITIALIZERS = {
    "xavier": lambda api: api.slim.xavier_initializer(),
    "xavier normal": lambda api: api.slim.xavier_initializer(uniform=False),
    "contrib scaling": lambda api: api.slim.variance_scaling_initializer(),
    "contrib fan out": lambda api: api.slim.variance_scaling_initializer(1.5, "FAN_OUT", True),
    "truncated": lambda api: api.initializers.truncated_normal_initializer(0.1, 0.3),
    "normal": lambda api: api.initializers.random_normal_initializer(0.1, 0.3),
    "uniform": lambda api: api.initializers.random_uniform_initializer(-0.2, 0.5),
    "unit scaling": lambda api: api.initializers.uniform_unit_scaling_initializer(1.2),
    "glorot": lambda api: api.initializers.glorot_normal_initializer(),
    "scaling": lambda api: api.variance_scaling(2.0, "fan_out", "uniform"),
    "orthogonal": lambda api: api.initializers.orthogonal_initializer(1.3),
    "constant": lambda api: api.initializers.constant_initializer([1.0, 2.0, 3.0]),
    "default": lambda api: None,
}
INITIAL_SHAPE = (5, 4, 60, 70)


def statistics(make):
    """mean, spread and extremes of a large initial value."""
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(7)
        v = tf.get_variable("v", INITIAL_SHAPE, initializer=make(layers.tf1()))
        session.run(tf.global_variables_initializer())
        value = session.run(v)
    return [float(f(value)) for f in (np.mean, np.std, np.min, np.max)]


def record():
    tf.enable_resource_variables()
    files.write_facts("initializers", {n: statistics(make) for n, make in sorted(INITIALIZERS.items())})
