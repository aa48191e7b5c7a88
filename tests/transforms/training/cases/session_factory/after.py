"""Fits a line in a session that another module makes; what is fed is put together elsewhere."""
import sys

import numpy as np
import tensorflow as tf

import devices
from tf1_support import compat
from tf1_support import scopes


def feed_of(tensors, arrays):
    return dict(zip(tensors, arrays))


@compat.in_graph_mode
def fit(xs, ys, steps):
    x = tf.compat.v1.placeholder(tf.float64, [None])
    y = tf.compat.v1.placeholder(tf.float64, [None])
    slope = scopes.get_variable('slope', initializer=np.float64(0.0))
    loss = tf.reduce_mean(tf.square(slope * x - y))
    step = tf.compat.v1.train.GradientDescentOptimizer(0.05).minimize(loss)
    with devices.new_session(0.3) as sess:
        sess.run(tf.compat.v1.global_variables_initializer())
        for _ in range(steps):
            _, value = sess.run([step, loss], feed_dict=feed_of([x, y], [xs, ys]))
        return sess.run(slope), value


if __name__ == '__main__':
    slope, loss = fit(np.arange(4.0), 3 * np.arange(4.0), 4)
    np.savez(sys.argv[1], slope=slope, loss=loss)
