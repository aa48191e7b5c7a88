"""Linear regression whose graph is built by a helper."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import graphs
from tf1_support import optimizers
from tf1_support import scopes


def build_graph(num_features, rate=0.1):
    """Builds the regression.

    Returns placeholders, prediction, loss and training op.
    """
    x = graphs.placeholder(tf.float64, [None, num_features], name='x')
    y = graphs.placeholder(tf.float64, [None], name='y')
    w = scopes.Variable(np.linspace(-1, 1, num_features), name='w')
    prediction = tf.reduce_sum(x * w, axis=1)
    # Half the mean square.
    loss = tf.reduce_mean(tf.square(prediction - y)) / 2
    train_op = optimizers.GradientDescentOptimizer(rate).minimize(loss)
    return x, y, prediction, loss, train_op


@graphs.building
def main(output):
    inputs, targets, prediction, loss, train_op = build_graph(3, rate=0.2)
    rng = np.random.RandomState(0)
    losses = []
    train_step = graphs.function([inputs, targets], [train_op, loss])
    for _ in range(3):
        data = rng.normal(size=(5, 3))
        _, value = train_step(data, data[:, 0])
        losses.append(value)
    compute_prediction = graphs.function([inputs], prediction)
    predicted = compute_prediction(data)
    np.savez(output, losses=losses, predicted=predicted)


if __name__ == '__main__':
    main(sys.argv[1])
