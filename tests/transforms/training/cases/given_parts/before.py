"""Helpers beside the function that builds the graph are given its session, tensors and model."""
import sys

import numpy as np
import tensorflow as tf


class Regression(object):
    """Fits one linear layer."""

    def __init__(self, size):
        self.x = tf.placeholder(tf.float64, [None, size])
        self.y = tf.placeholder(tf.float64, [None])
        w = tf.get_variable('w', [size, 1], tf.float64, tf.constant_initializer(0.1))
        self.prediction = tf.squeeze(tf.matmul(self.x, w), 1)
        self.loss = tf.reduce_mean(tf.square(self.prediction - self.y))


def check_error(sess, error, x, y, data, targets):
    """The largest error of all batches."""
    largest = 0.0
    for i in range(0, len(data), 2):
        found = sess.run(error, feed_dict={x: data[i:i + 2], y: targets[i:i + 2]})
        largest = max(largest, found.max())
    return largest


def run_epoch(session, model, train_op, data, targets, verbose=False):
    """Trains on every batch; returns the sum of the losses."""
    total = 0.0
    for i in range(0, len(data), 2):
        feed = {model.x: data[i:i + 2], model.y: targets[i:i + 2]}
        loss, _ = session.run([model.loss, train_op], feed_dict=feed)
        if verbose:
            print(i, loss)
        total += loss
    return total


def main(output):
    rng = np.random.RandomState(6)
    data, targets = rng.normal(size=(6, 3)), rng.normal(size=6)
    totals, errors = [], []
    model = Regression(3)
    optimizer = tf.train.MomentumOptimizer(0.05, 0.9)
    train_op = optimizer.minimize(model.loss)
    error = tf.abs(model.prediction - model.y)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        errors.append(check_error(sess, error, model.x, model.y, data, targets))
        for epoch in range(3):
            totals.append(run_epoch(sess, model, train_op, data, targets))
        errors.append(check_error(sess, error, model.x, model.y, data, targets))
    np.savez(output, totals=totals, errors=errors)


if __name__ == '__main__':
    main(sys.argv[1])
