"""A recogniser whose labels are sparse: its graph is kept, with the cell's variables in its scope."""
import sys

import numpy as np
import tensorflow as tf

FEATURES, UNITS, SYMBOLS = 5, 6, 4


def build():
  tf.reset_default_graph()
  frames = tf.placeholder(tf.float32, [None, None, FEATURES])
  labels = tf.sparse_placeholder(tf.int32)
  lengths = tf.placeholder(tf.int32, [None])
  with tf.variable_scope('net', initializer=tf.constant_initializer(0.1)):
    cell = tf.nn.rnn_cell.LSTMCell(UNITS)
    outputs, _ = tf.nn.dynamic_rnn(cell, frames, lengths, dtype=tf.float32)
    scores = tf.layers.dense(outputs, SYMBOLS)
  loss = tf.reduce_mean(tf.nn.ctc_loss(labels, tf.transpose(scores, [1, 0, 2]), lengths))
  return frames, labels, lengths, loss


def main(output):
  frames, labels, lengths, loss = build()
  step = tf.train.MomentumOptimizer(0.01, 0.9).minimize(loss)
  indices = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [1, 2]], np.int64)
  target = (indices, np.array([0, 1, 2, 1, 0], np.int32), np.array([2, 3], np.int64))
  rng = np.random.RandomState(1)
  losses = []
  with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
      feed = {frames: rng.rand(2, 7, FEATURES), labels: target, lengths: [7, 6]}
      losses.append(sess.run([loss, step], feed)[0])
    names = sorted(v.name for v in tf.trainable_variables())
  np.savez(output, losses=losses, names=names)


if __name__ == '__main__':
  main(sys.argv[1])
