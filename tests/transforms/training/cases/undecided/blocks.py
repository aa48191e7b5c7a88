"""Layers that tell a collection what they computed."""
import tensorflow as tf


def block(x, name):
    with tf.variable_scope(name):
        weight = tf.get_variable('weight', [3, 3], tf.float64,
                                 initializer=tf.constant_initializer(0.3, tf.float64))
        end = tf.tanh(tf.matmul(x, weight))
        tf.add_to_collection('ends', end)
        return end + x
