"""Helpers beside the function that builds the graph are given its session, tensors and model."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import scopes
from tf1_support import initializers
from tf1_support import optimizers


class Regression(object):
    """Fits one linear layer."""

    def __init__(self, x, y, size):
        self.x = x
        self.y = y
        w = scopes.get_variable('w', [size, 1], tf.float64, initializers.constant_initializer(0.1))
        self.prediction = tf.squeeze(tf.matmul(self.x, w), 1)
        self.loss = tf.reduce_mean(tf.square(self.prediction - self.y))


def main(output):
    rng = np.random.RandomState(6)
    data, targets = rng.normal(size=(6, 3)), rng.normal(size=6)
    totals, errors = [], []
    optimizer = optimizers.MomentumOptimizer(0.05, 0.9)

    @tf.function(input_signature=[
        tf.TensorSpec([None, 3], tf.float64),
        tf.TensorSpec([None], tf.float64),
    ])
    def train_step(x, y):
        """One training step; returns model.loss.

        Args:
            x: float64 [None, 3]
            y: float64 [None]
        """
        with store.run(), tf.GradientTape() as tape:
            model = Regression(x, y, 3)
        variables = store.trainable_variables
        gradients = tape.gradient(model.loss, variables)
        optimizer.apply_gradients(zip(gradients, variables))
        return model.loss

    store = scopes.current_store()

    @tf.function(input_signature=[
        tf.TensorSpec([None, 3], tf.float64),
        tf.TensorSpec([None], tf.float64),
    ])
    def compute_error(x, y):
        """Computes error.

        Args:
            x: float64 [None, 3]
            y: float64 [None]
        """
        with store.run():
            model = Regression(x, y, 3)
            error = tf.abs(model.prediction - y)
        return error

    def check_error(data, targets):
        """The largest error of all batches."""
        largest = 0.0
        for i in range(0, len(data), 2):
            found = compute_error(data[i:i + 2], targets[i:i + 2]).numpy()
            largest = max(largest, found.max())
        return largest

    errors.append(check_error(data, targets))

    def run_epoch(data, targets, verbose=False):
        """Trains on every batch; returns the sum of the losses."""
        total = 0.0
        for i in range(0, len(data), 2):
            feed = {'x': data[i:i + 2], 'y': targets[i:i + 2]}
            loss = train_step(**feed).numpy()
            if verbose:
                print(i, loss)
            total += loss
        return total

    for epoch in range(3):
        totals.append(run_epoch(data, targets))
    errors.append(check_error(data, targets))
    np.savez(output, totals=totals, errors=errors)


if __name__ == '__main__':
    main(sys.argv[1])
