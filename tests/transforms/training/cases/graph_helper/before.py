"""Linear regression whose graph is built by a helper."""
import sys

import numpy as np
import tensorflow as tf


def build_graph(num_features, rate=0.1):
    """Builds the regression.

    Returns placeholders, prediction, loss and training op.
    """
    x = tf.placeholder(tf.float64, [None, num_features], name='x')
    y = tf.placeholder(tf.float64, [None], name='y')
    w = tf.Variable(np.linspace(-1, 1, num_features), name='w')
    prediction = tf.reduce_sum(x * w, axis=1)
    # Half the mean square.
    loss = tf.reduce_mean(tf.square(prediction - y)) / 2
    train_op = tf.train.GradientDescentOptimizer(rate).minimize(loss)
    return x, y, prediction, loss, train_op


def main(output):
    inputs, targets, prediction, loss, train_op = build_graph(3, rate=0.2)
    rng = np.random.RandomState(0)
    losses = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(3):
            data = rng.normal(size=(5, 3))
            _, value = sess.run([train_op, loss], {inputs: data, targets: data[:, 0]})
            losses.append(value)
        predicted = sess.run(prediction, feed_dict={inputs: data})
    np.savez(output, losses=losses, predicted=predicted)


if __name__ == '__main__':
    main(sys.argv[1])
