"""Fits a line in a session that another module makes; what is fed is put together elsewhere."""
import sys

import numpy as np
import tensorflow as tf

import devices
from tf1_support import graphs
from tf1_support import optimizers
from tf1_support import scopes


def feed_of(tensors, arrays):
    return dict(zip(tensors, arrays))


@graphs.building
def fit(xs, ys, steps):
    x = graphs.placeholder(tf.float64, [None])
    y = graphs.placeholder(tf.float64, [None])
    slope = scopes.get_variable('slope', initializer=np.float64(0.0))
    loss = tf.reduce_mean(tf.square(slope * x - y))
    step = optimizers.GradientDescentOptimizer(0.05).minimize(loss)
    with devices.new_session(0.3) as sess:
        for _ in range(steps):
            _, value = graphs.run([step, loss], feed_dict=feed_of([x, y], [xs, ys]))
        return graphs.run(slope), value


if __name__ == '__main__':
    slope, loss = fit(np.arange(4.0), 3 * np.arange(4.0), 4)
    np.savez(sys.argv[1], slope=slope, loss=loss)
