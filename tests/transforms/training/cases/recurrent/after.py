"""A recogniser whose labels are sparse: its graph is kept, with the cell's variables in its scope."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import graphs
from tf1_support import initializers
from tf1_support import layers
from tf1_support import optimizers
from tf1_support import rnn
from tf1_support import rnn_loops
from tf1_support import scopes

FEATURES, UNITS, SYMBOLS = 5, 6, 4


def build():
  scopes.reset_default_store()
  frames = graphs.placeholder(tf.float32, [None, None, FEATURES])
  labels = graphs.sparse_placeholder(tf.int32)
  lengths = graphs.placeholder(tf.int32, [None])
  with scopes.variable_scope('net', initializer=initializers.constant_initializer(0.1)):
    cell = rnn.LSTMCell(UNITS)
    outputs, _ = rnn_loops.dynamic_rnn(cell, frames, lengths, dtype=tf.float32)
    scores = layers.dense(outputs, SYMBOLS)
  loss = tf.reduce_mean(tf.nn.ctc_loss(labels=labels, logits=tf.transpose(scores, [1, 0, 2]), label_length=None, logit_length=lengths, blank_index=-1))
  return frames, labels, lengths, loss


@graphs.building
def main(output):
  frames, labels, lengths, loss = build()
  step = optimizers.MomentumOptimizer(0.01, 0.9).minimize(loss)
  indices = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [1, 2]], np.int64)
  target = (indices, np.array([0, 1, 2, 1, 0], np.int32), np.array([2, 3], np.int64))
  rng = np.random.RandomState(1)
  losses = []
  run_step = graphs.function([frames, labels, lengths], [loss, step])
  for _ in range(3):
    losses.append(run_step(rng.rand(2, 7, FEATURES), target, [7, 6])[0])
  names = sorted(v.name for v in scopes.trainable_variables())
  np.savez(output, losses=losses, names=names)


if __name__ == '__main__':
  main(sys.argv[1])
