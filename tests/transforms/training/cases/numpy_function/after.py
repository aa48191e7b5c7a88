"""A NumPy function inside of the graph, and gradients clipped by value."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import math_ops
from tf1_support import optimizers
from tf1_support import scopes


def weights_of(values):
    """Down-weights outliers; NumPy code."""
    return 1.0 / (1.0 + np.abs(values - np.median(values)))


class Options(object):
    learning_rate = 0.2
    clip = 0.05


def main(output, options=Options()):
    w = scopes.get_variable('w', initializer=np.array([0.3, -0.2]), dtype=tf.float64)

    optimizer = optimizers.GradientDescentOptimizer(options.learning_rate)

    @tf.function(input_signature=[
        tf.TensorSpec((None, 2), tf.float64),
        tf.TensorSpec((None,), tf.float64),
    ])
    def train_step(x, y):
        """One training step; returns loss and weights.

        Args:
            x: float64 (None, 2)
            y: float64 (None,)
        """
        with tf.GradientTape() as tape:
            residual = tf.reduce_sum(x * w, 1) - y
            weights = math_ops.py_func(weights_of, [residual], tf.float64)
            weights = tf.stop_gradient(weights)
            weights.set_shape([None])
            loss = tf.reduce_mean(weights * tf.square(residual))
        gradients = tape.gradient(loss, [w])
        grads_and_vars = list(zip(gradients, [w]))
        clipped = [(tf.clip_by_value(g, -options.clip, options.clip), v) for g, v in grads_and_vars
                   if g is not None]
        optimizer.apply_gradients(clipped)
        return loss, weights

    rng = np.random.RandomState(7)
    data, target = rng.normal(size=(9, 2)), rng.normal(size=9)
    history = []
    for _ in range(3):
        loss_value, weights_value = (value.numpy() for value in train_step(data, target))
        history.append(loss_value)
    final = w.numpy()
    np.savez(output, history=history, weights=weights_value, final=final)


if __name__ == '__main__':
    main(sys.argv[1])
