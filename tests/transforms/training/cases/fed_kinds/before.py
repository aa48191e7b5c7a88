"""Python numbers of another kind are fed: whole ones to a switch, those with a point to labels."""
import sys

import numpy as np
import tensorflow as tf

labels = [[1.0], [2.0], [3.7]]
x = tf.placeholder(tf.float64, [None], name='x')
y = tf.placeholder(tf.int32, [None, 1], name='y')
phase = tf.placeholder(tf.bool, name='phase')
w = tf.Variable(np.float64(2.0))
out = tf.cond(phase, lambda: w * x, lambda: w - x)
total = tf.reduce_sum(out) + tf.cast(tf.reduce_sum(y), tf.float64)
mode = 1

sess = tf.Session()
sess.run(tf.global_variables_initializer())
named = sess.run(total, feed_dict={x: [1, 2], y: labels, phase: mode})
written = [sess.run(out, feed_dict={x: [1, 2], phase: 1}),
           sess.run(out, feed_dict={x: [1, 2], phase: 0}),
           sess.run(out, feed_dict={x: [1, 2], phase: True})]
negative = sess.run(total, feed_dict={x: [1., 2], y: [[float(3)], [-1.5]], phase: 0.0})
whole = sess.run(total, feed_dict={x: [1., 2], y: [[int(v[0])] for v in labels], phase: False})
looped = []
for training in [0, 1]:
    looped.append(sess.run(out, feed_dict={x: [5.0], phase: training}))
for i in range(2):
    looped.append(sess.run(out, feed_dict={x: [5.0], phase: (i + 1) % 2}))
np.savez(sys.argv[1], named=named, written=written, negative=negative, whole=whole, looped=looped)
