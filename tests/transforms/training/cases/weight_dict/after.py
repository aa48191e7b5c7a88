"""A class that is given its optimizer and keeps its weights in a dict, which is asked for one."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import initializers
from tf1_support import optimizers
from tf1_support import scopes


class Autoencoder(object):

  def __init__(self, size, hidden, optimizer=optimizers.AdamOptimizer()):
    self.size = size
    self.hidden = hidden
    self.weights = self._weights()

    @tf.function(input_signature=[tf.TensorSpec([None, size], tf.float32)])
    def train_step(x):
      """One training step; returns cost.

      Args:
        x: float32 [None, size]
      """
      with tf.GradientTape() as tape:
        code = tf.nn.softplus(tf.add(tf.matmul(x, self.weights['in']), self.weights['bias']))
        decoded = tf.matmul(code, self.weights['out'])
        cost = 0.5 * tf.reduce_sum(tf.pow(tf.subtract(decoded, x), 2.0))
      gradients = tape.gradient(cost, tape.watched_variables())
      optimizer.apply_gradients(zip(gradients, tape.watched_variables()))
      return cost

    self._train_step = train_step

    @tf.function(input_signature=[tf.TensorSpec(None, tf.float32)])
    def compute_decoded(code):
      """Computes decoded.

      Args:
        code: float32 of any shape
      """
      return tf.matmul(code, self.weights['out'])

    self._compute_decoded = compute_decoded

  def _weights(self):
    weights = {}
    weights['in'] = scopes.get_variable('in', [self.size, self.hidden],
                                        initializer=initializers.constant_initializer(0.07))
    weights['bias'] = scopes.Variable(tf.zeros([self.hidden]))
    weights['out'] = scopes.Variable(tf.zeros([self.hidden, self.size]))
    return weights

  def fit(self, batch):
    return self._train_step(batch).numpy()

  def decode(self, code):
    return self._compute_decoded(code).numpy()

  def first_weights(self):
    return self.weights['in'].numpy()


def main(output):
  rng = np.random.RandomState(0)
  optimizer = optimizers.AdamOptimizer(learning_rate=0.01)
  coder = Autoencoder(8, 3, optimizer=optimizer)
  costs = [coder.fit(rng.rand(4, 8)) for _ in range(5)]
  np.savez(output, costs=costs, decoded=coder.decode(np.ones((1, 3))),
           weights=coder.first_weights())


if __name__ == '__main__':
  main(sys.argv[1])
