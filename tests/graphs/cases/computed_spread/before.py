"""Initializers whose settings the graph computes (a spread of 0 draws the same everywhere)."""
import sys

import numpy as np
import tensorflow as tf


class Net(object):
    def __init__(self, width):
        self.width = width

    def build(self, x):
        with tf.variable_scope("net"):
            none = tf.sqrt(tf.divide(tf.constant(0.0), tf.cast(2 * 3 * self.width, tf.float32)))
            mean = tf.sqrt(tf.constant(4.0))
            w = tf.get_variable("w", [2, self.width], initializer=tf.truncated_normal_initializer(
                mean=mean, stddev=none))
            b = tf.get_variable("b", [self.width], initializer=tf.random_normal_initializer(mean, none))
            hidden = tf.layers.dense(
                tf.matmul(x, w) + b, 1,
                kernel_initializer=tf.random_uniform_initializer(minval=mean, maxval=mean + none))
            v = tf.Variable(tf.truncated_normal([2], mean=mean, stddev=none), name="v")
        return tf.squeeze(hidden, 1) * tf.reduce_sum(v)


def main(path):
    x = tf.placeholder(tf.float32, [None, 2])
    y = Net(3).build(x)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        np.savez(path, y=sess.run(y, {x: [[1.0, 2.0], [0.5, -1.0]]}))


if __name__ == "__main__":
    main(sys.argv[1])
