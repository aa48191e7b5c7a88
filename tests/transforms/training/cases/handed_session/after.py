"""The session is handed to the functions that run the graph."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import graphs
from tf1_support import optimizers
from tf1_support import scopes

graphs.build()

x = graphs.placeholder(tf.float64, [None, 2], name='x')
y = graphs.placeholder(tf.float64, [None], name='y')
w = scopes.Variable(np.array([0.5, -0.5]), name='w')
prediction = tf.reduce_sum(x * w, axis=1)
loss = tf.reduce_mean(tf.square(prediction - y))
train_op = optimizers.AdamOptimizer(0.05).minimize(loss)


def train_epoch(batches):
    """Trains on every batch; returns the mean loss."""
    total = 0.0
    train_step = graphs.function([x, y], [train_op, loss])
    for batch_x, batch_y in batches:
        _, value = train_step(batch_x, batch_y)
        total += value
    return total / len(batches)


def evaluate(batch):
    compute_prediction = graphs.function([x], prediction)
    return compute_prediction(batch)


def main(output):
    rng = np.random.RandomState(3)
    batches = [(rng.normal(size=(4, 2)), rng.normal(size=4)) for _ in range(3)]
    means = [train_epoch(batches) for _ in range(2)]
    predicted = evaluate(batches[0][0])
    np.savez(output, means=means, predicted=predicted)


if __name__ == '__main__':
    main(sys.argv[1])
