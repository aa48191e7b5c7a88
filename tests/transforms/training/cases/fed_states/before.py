"""States of cells are fed whole, and a step that only one mode has is made where that mode is asked."""

import sys

import numpy as np
import tensorflow as tf

MODE = "plain"

x = tf.placeholder(tf.float32, [1, 1])
with tf.variable_scope("net", initializer=tf.constant_initializer(0.3)):
    cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.BasicLSTMCell(n) for n in (3, 2)])
    state = cell.zero_state(1, tf.float32)
    y, last = cell(x, state)
if MODE == "clipped":
    clip_weights = tf.group(*[v.assign(tf.clip_by_value(v, -0.1, 0.1)) for v in tf.trainable_variables()])

label = tf.placeholder(tf.float32, [1, 2]) if MODE == "labelled" else None
cost = tf.reduce_sum(y) if label is None else tf.nn.l2_loss(y - label)

found = []
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    given = sess.run(cell.zero_state(1, tf.float32))
    for step in range(3):
        if MODE == "clipped":
            sess.run(clip_weights)
        if MODE == "labelled":
            sess.run(cost, {x: [[step]], state: given, label: [[1.0, 0.0]]})
        else:
            found.append(sess.run(cost, {x: [[step]], state: given}))
        value, given = sess.run([y, last], {x: [[step]], state: given})
        found.extend(value.ravel())
np.savez(sys.argv[1], found=found, state=given[1].h)
