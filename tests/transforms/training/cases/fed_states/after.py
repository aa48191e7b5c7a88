"""States of cells are fed whole, and a step that only one mode has is made where that mode is asked."""

import sys

import numpy as np
import tensorflow as tf
from tf1_support import graphs
from tf1_support import initializers
from tf1_support import rnn
from tf1_support import scopes

graphs.build()

MODE = "plain"

x = graphs.placeholder(tf.float32, [1, 1])
with scopes.variable_scope("net", initializer=initializers.constant_initializer(0.3)):
    cell = rnn.MultiRNNCell([rnn.BasicLSTMCell(n) for n in (3, 2)])
    state = cell.zero_state(1, tf.float32)
    y, last = cell(x, state)
if MODE == "clipped":
    clip_weights = tf.group(*[v.assign(tf.clip_by_value(v, -0.1, 0.1)) for v in scopes.trainable_variables()])

label = graphs.placeholder(tf.float32, [1, 2]) if MODE == "labelled" else None
cost = tf.reduce_sum(y) if label is None else tf.nn.l2_loss(y - label)

found = []
given = graphs.run(cell.zero_state(1, tf.float32))
compute_y_and_last = graphs.function([x, state], [y, last])
compute_cost = graphs.function([x, state, label], cost)
run_compute_cost = graphs.function([x, state], cost)
for step in range(3):
    if MODE == "clipped":
        clip_weights_step = graphs.function([], clip_weights)
        clip_weights_step()
    if MODE == "labelled":
        compute_cost([[step]], given, [[1.0, 0.0]])
    else:
        found.append(run_compute_cost([[step]], given))
    value, given = compute_y_and_last([[step]], given)
    found.extend(value.ravel())
np.savez(sys.argv[1], found=found, state=given[1].h)
