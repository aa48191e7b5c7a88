"""A network for each length, which share weights, and what their optimizers keep for these."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import graphs
from tf1_support import optimizers
from tf1_support import rnn
from tf1_support import scopes
from tf1_support import sessions


class Copier(object):

  def __init__(self, length, reuse=False):
    self.x = graphs.placeholder(tf.float32, [2, length, 3], name='x')
    cell = rnn.MultiRNNCell(
        [rnn.BasicLSTMCell(size, reuse=reuse) for size in (4, 3)])
    state = cell.zero_state(2, tf.float32)
    outputs = []
    for t in range(length):
      output, state = cell(self.x[:, t, :], state)
      outputs.append(output)
    self.loss = tf.reduce_mean(tf.square(tf.stack(outputs, 1) - self.x))
    with scopes.variable_scope('optimizer', reuse=reuse):
      optimizer = optimizers.RMSPropOptimizer(0.01, momentum=0.9, decay=0.95)
      gradients = optimizer.compute_gradients(self.loss)
      self.train_op = optimizer.apply_gradients(
          [(tf.clip_by_value(gradient, -10., 10.), variable) for gradient, variable in gradients])


@graphs.building
def main(output):
  copiers = [Copier(length, reuse=length > 1) for length in (1, 2, 3)]
  rng = np.random.RandomState(3)
  variables = sorted(scopes.global_variables(), key=lambda v: v.name)
  starts = {v.name: rng.normal(0, 0.3, v.shape.as_list()) for v in scopes.trainable_variables()}
  losses = []
  with sessions.Session() as sess:
    for variable in scopes.trainable_variables():
      variable.load(starts[variable.name], sess)
    for step in range(9):
      copier = copiers[(5 * step) % 3]
      train_step = graphs.function([copier.x], [copier.loss, copier.train_op])
      loss, _ = train_step(rng.normal(size=copier.x.shape.as_list()))
      losses.append(loss)
    values = graphs.run(variables)
  np.savez(output, losses=losses, names=[v.name for v in variables],
           **{'value_%d' % i: value for i, value in enumerate(values)})


if __name__ == '__main__':
  main(sys.argv[1])
