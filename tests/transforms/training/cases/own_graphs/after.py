"""Writes records and trains on them; then a graph that asks another one while it is being built."""
import sys

import numpy as np
import tensorflow as tf

import records
import scales
from tf1_support import optimizers
from tf1_support import scopes


def train(path, rows):
    """The weights and losses after some steps on the rows of the file."""
    records.write(path, rows)
    size = records.count(path)
    dataset = records.elements(path)
    batches = iter(dataset)
    w = scopes.Variable(np.ones(3), name='w')
    optimizer = optimizers.GradientDescentOptimizer(.05)

    @tf.function(input_signature=[dataset.element_spec])
    def train_step(row):
        """One training step; returns loss."""
        with tf.GradientTape() as tape:
            row.set_shape([3])
            loss = tf.square(tf.reduce_sum(row * w) - 1.)
        gradients = tape.gradient(loss, tape.watched_variables())
        optimizer.apply_gradients(zip(gradients, tape.watched_variables()))
        return loss

    losses = []
    for _ in range(4):
        losses.append(train_step(next(batches)).numpy())
    return w.numpy(), losses, size


def main(output):
    rng = np.random.RandomState(8)
    w, losses, size = train('rows.records', rng.normal(size=(3, 3)).round(3))
    np.savez(output, w=w, losses=losses, size=size, total=scales.total(np.arange(4.)))


if __name__ == '__main__':
    main(sys.argv[1])
