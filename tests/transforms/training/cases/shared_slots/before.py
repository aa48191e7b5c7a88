"""A network for each length, which share weights, and what their optimizers keep for these."""
import sys

import numpy as np
import tensorflow as tf


class Copier(object):

  def __init__(self, length, reuse=False):
    self.x = tf.placeholder(tf.float32, [2, length, 3], name='x')
    cell = tf.nn.rnn_cell.MultiRNNCell(
        [tf.nn.rnn_cell.BasicLSTMCell(size, reuse=reuse) for size in (4, 3)])
    state = cell.zero_state(2, tf.float32)
    outputs = []
    for t in range(length):
      output, state = cell(self.x[:, t, :], state)
      outputs.append(output)
    self.loss = tf.reduce_mean(tf.square(tf.stack(outputs, 1) - self.x))
    with tf.variable_scope('optimizer', reuse=reuse):
      optimizer = tf.train.RMSPropOptimizer(0.01, momentum=0.9, decay=0.95)
      gradients = optimizer.compute_gradients(self.loss)
      self.train_op = optimizer.apply_gradients(
          [(tf.clip_by_value(gradient, -10., 10.), variable) for gradient, variable in gradients])


def main(output):
  copiers = [Copier(length, reuse=length > 1) for length in (1, 2, 3)]
  rng = np.random.RandomState(3)
  variables = sorted(tf.global_variables(), key=lambda v: v.name)
  starts = {v.name: rng.normal(0, 0.3, v.shape.as_list()) for v in tf.trainable_variables()}
  losses = []
  with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for variable in tf.trainable_variables():
      variable.load(starts[variable.name], sess)
    for step in range(9):
      copier = copiers[(5 * step) % 3]
      loss, _ = sess.run([copier.loss, copier.train_op],
                         {copier.x: rng.normal(size=copier.x.shape.as_list())})
      losses.append(loss)
    values = sess.run(variables)
  np.savez(output, losses=losses, names=[v.name for v in variables],
           **{'value_%d' % i: value for i, value in enumerate(values)})


if __name__ == '__main__':
  main(sys.argv[1])
