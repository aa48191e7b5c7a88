"""Sums of numbers, which TensorFlow adds in a graph of its own."""
import tensorflow as tf


def total(values):
    return tf.reduce_sum(tf.constant(values)).numpy()
