"""Optimizers of Keras 2 that Keras 3 computes otherwise, beside their formulas.

The case keras2_calls has what RMSprop and Adagrad did under Keras 2.2.4.
"""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
from tf1_support import keras_optimizers

GRADIENTS = [np.array([1e-3, -2e-4]) * (1 + n) for n in range(4)]


def steps(optimizer):
    variable = tf.keras.Variable(np.array([1.0, 2.0]), dtype="float64")
    for gradient in GRADIENTS:
        optimizer.apply([tf.constant(gradient, tf.float64)], [variable])
    return np.array([1.0, 2.0]) - np.asarray(variable)


@pytest.mark.parametrize("centered", [False, True])
def test_rmsprop(centered):
    spread = mean = wanted = np.zeros(2)
    for g in GRADIENTS:
        spread, mean = 0.9 * spread + 0.1 * g**2, 0.9 * mean + 0.1 * g
        wanted += 0.01 * g / (np.sqrt(spread - mean**2 * centered) + 1e-7)
    found = steps(keras_optimizers.RMSprop(0.01, centered=centered))
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


def test_rmsprop_with_momentum_is_that_of_keras():
    ours = keras_optimizers.RMSprop(0.01, momentum=0.9)
    np.testing.assert_array_equal(steps(ours), steps(tf.keras.optimizers.RMSprop(0.01, momentum=0.9)))


def test_nadam():
    """As TF 1.15's optimizer_v2/nadam.py has it."""
    m = v = wanted = np.zeros(2)
    product = 1.0
    for t, g in enumerate(GRADIENTS, 1):
        share, following = (0.9 * (1 - 0.5 * 0.96 ** (n * 0.004)) for n in (t, t + 1))
        product *= share
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
        step = (1 - share) * g / (1 - product) + following * m / (1 - product * following)
        wanted += 0.002 * step / (np.sqrt(v / (1 - 0.999**t)) + 1e-7)
    optimizer = keras_optimizers.Nadam()
    np.testing.assert_allclose(steps(optimizer), wanted, rtol=1e-5)
    assert optimizer.get_config()["schedule_decay"] == 0.004


@pytest.mark.parametrize("name", ["RMSprop", "Adagrad", "Nadam"])
def test_they_are_read_back(name):
    made = getattr(keras_optimizers, name)(learning_rate=0.5)
    again = tf.keras.optimizers.deserialize(tf.keras.optimizers.serialize(made))
    # A name is registered once in a process; other tests import copies of the package, and the last has it.
    assert type(again).__module__.endswith("keras_optimizers") and type(again).__name__ == name
    assert again.get_config() == made.get_config()
