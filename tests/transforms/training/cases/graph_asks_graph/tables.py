"""Numbers that a graph of their own knows."""
import tensorflow as tf


def size(values):
    with tf.Graph().as_default():
        count = tf.size(tf.unique(values)[0])
        with tf.Session() as sess:
            return int(sess.run(count))


def largest(values):
    with tf.Graph().as_default(), tf.Session() as sess:
        return sess.run(tf.reduce_max(tf.constant(values)))
