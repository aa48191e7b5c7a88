"""tf.Variable and tf.get_variable by the same names, and what cells of TF 1 are asked for."""
import sys

import numpy as np
import tensorflow as tf

scale = tf.Variable(2.0, name="scale")
shared = tf.get_variable("scale", initializer=tf.constant(3.0))
with tf.variable_scope("inner"):
    tf.Variable(5.0, name="scale")
    own = tf.get_variable("scale", initializer=tf.constant(7.0))
with tf.variable_scope("inner", reuse=True):
    again = tf.get_variable("scale")
names = [v.op.name for v in tf.global_variables()]

lstm = tf.nn.rnn_cell.BasicLSTMCell(3, forget_bias=0.5)
projected = tf.nn.rnn_cell.LSTMCell(4, num_proj=2, use_peepholes=True, cell_clip=1.0)
gru, plain = tf.contrib.rnn.GRUCell(5), tf.nn.rnn_cell.BasicRNNCell(6)
several = tf.contrib.rnn.MultiRNNCell([lstm, gru])
asked = [lstm._num_units, lstm._forget_bias, lstm._state_is_tuple, projected._num_proj,
         projected._use_peepholes, projected._cell_clip, gru._num_units, plain._num_units,
         several._cells[1]._num_units, len(several._cells), lstm._activation is tf.tanh]


class Doubled(tf.nn.rnn_cell.GRUCell):
    """A cell that reads what its base keeps."""

    def call(self, inputs, state):
        output, state = super(Doubled, self).call(inputs, state)
        return self._activation(output) * self._num_units, state


rows = tf.placeholder(tf.float32, [2, 4])
cell = Doubled(3, kernel_initializer=tf.constant_initializer(0.1))
doubled, _ = cell(rows, cell.zero_state(2, tf.float32))

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    values = sess.run([scale, shared, own, again])
    rows_doubled = sess.run(doubled, {rows: np.arange(8.0).reshape(2, 4)})

np.savez(sys.argv[1], values=values, names=names, asked=np.array(asked, float), doubled=rows_doubled)
