"""Sums of numbers, which TensorFlow adds in a graph of its own."""
import tensorflow as tf


def total(values):
    with tf.Graph().as_default(), tf.Session() as sess:
        return sess.run(tf.reduce_sum(tf.constant(values)))
