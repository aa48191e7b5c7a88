"""A network that a module without TensorFlow describes, restored into a graph that has not run yet."""
import sys

import numpy as np
import tensorflow as tf

import described


def train(path):
    with tf.Graph().as_default():
        with tf.variable_scope('first'):
            tf.get_variable('weights', [3, 2], tf.float64, tf.constant_initializer([1., -2., 3., 4., -5., 6.]))
        with tf.variable_scope('second'):
            tf.get_variable('weights', [2, 1], tf.float64, tf.constant_initializer([0.5, -1.]))
        saver = tf.train.Saver()
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            saver.save(sess, path)


def predict(path, data):
    x = tf.placeholder(tf.float64, [None, 3])
    net = described.Small({'data': x})

    with tf.Session() as sess:
        saver = tf.train.Saver()
        saver.restore(sess, path)
        return sess.run(net.get_output(), feed_dict={x: data})


if __name__ == '__main__':
    train(sys.argv[1] + '.ckpt')
    np.savez(sys.argv[1], found=predict(sys.argv[1] + '.ckpt', np.arange(6.0).reshape(2, 3)))
