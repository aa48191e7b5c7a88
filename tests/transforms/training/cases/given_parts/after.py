"""Helpers beside the function that builds the graph are given its session, tensors and model."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import graphs
from tf1_support import initializers
from tf1_support import optimizers
from tf1_support import scopes


class Regression(object):
    """Fits one linear layer."""

    def __init__(self, size):
        self.x = graphs.placeholder(tf.float64, [None, size])
        self.y = graphs.placeholder(tf.float64, [None])
        w = scopes.get_variable('w', [size, 1], tf.float64, initializers.constant_initializer(0.1))
        self.prediction = tf.squeeze(tf.matmul(self.x, w), 1)
        self.loss = tf.reduce_mean(tf.square(self.prediction - self.y))


def check_error(error, x, y, data, targets):
    """The largest error of all batches."""
    largest = 0.0
    compute_error = graphs.function([x, y], error)
    for i in range(0, len(data), 2):
        found = compute_error(data[i:i + 2], targets[i:i + 2])
        largest = max(largest, found.max())
    return largest


def run_epoch(model, train_op, data, targets, verbose=False):
    """Trains on every batch; returns the sum of the losses."""
    total = 0.0
    train_step = graphs.function([model.x, model.y], [model.loss, train_op])
    for i in range(0, len(data), 2):
        loss, _ = train_step(data[i:i + 2], targets[i:i + 2])
        if verbose:
            print(i, loss)
        total += loss
    return total


@graphs.building
def main(output):
    rng = np.random.RandomState(6)
    data, targets = rng.normal(size=(6, 3)), rng.normal(size=6)
    totals, errors = [], []
    model = Regression(3)
    optimizer = optimizers.MomentumOptimizer(0.05, 0.9)
    train_op = optimizer.minimize(model.loss)
    error = tf.abs(model.prediction - model.y)
    errors.append(check_error(error, model.x, model.y, data, targets))
    for epoch in range(3):
        totals.append(run_epoch(model, train_op, data, targets))
    errors.append(check_error(error, model.x, model.y, data, targets))
    np.savez(output, totals=totals, errors=errors)


if __name__ == '__main__':
    main(sys.argv[1])
