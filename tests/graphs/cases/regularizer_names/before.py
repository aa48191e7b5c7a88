"""Penalties are found by the names of their variables."""
import sys

import numpy as np
import tensorflow as tf


def squared(scale):
    def penalty(weights):
        return scale * tf.reduce_sum(tf.square(weights))
    return penalty


rows = tf.placeholder(tf.float32, [None, 3])
with tf.variable_scope("first"):
    weights = tf.get_variable("weights", [3, 2], initializer=tf.constant_initializer(0.5),
                              regularizer=squared(0.1))
with tf.variable_scope("second", regularizer=tf.contrib.layers.l2_regularizer(0.3)):
    more = tf.get_variable("weights", [2, 2], initializer=tf.constant_initializer(2.0))
result = tf.matmul(tf.matmul(rows, weights), more)
losses = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
(own,) = [loss for loss in losses if loss.name.find("second/weights/") >= 0]
heads = [loss.name.rpartition("/")[0] for loss in losses]

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    values = sess.run([result, own, tf.add_n(losses)], {rows: np.ones([1, 3])})
np.savez(sys.argv[1], result=values[0], own=values[1], total=values[2], heads=heads)
