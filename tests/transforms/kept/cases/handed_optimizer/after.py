"""A class that is given its optimizer and keeps its weights in a dict, which is asked for one."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import compat
from tf1_support import scopes


@compat.in_graph_mode
class Autoencoder(object):

  def __init__(self, size, hidden, optimizer=tf.compat.v1.train.AdamOptimizer()):
    self.size = size
    self.hidden = hidden
    self.weights = self._weights()
    self.x = tf.compat.v1.placeholder(tf.float32, [None, size])
    self.code = tf.nn.softplus(tf.add(tf.matmul(self.x, self.weights['in']), self.weights['bias']))
    self.decoded = tf.matmul(self.code, self.weights['out'])
    self.cost = 0.5 * tf.reduce_sum(tf.pow(tf.subtract(self.decoded, self.x), 2.0))
    self.step = optimizer.minimize(self.cost)
    self.sess = tf.compat.v1.Session()
    self.sess.run(tf.compat.v1.global_variables_initializer())

  def _weights(self):
    weights = {}
    weights['in'] = scopes.get_variable('in', [self.size, self.hidden],
                                    initializer=tf.compat.v1.constant_initializer(0.07))
    weights['bias'] = scopes.Variable(tf.zeros([self.hidden]))
    weights['out'] = scopes.Variable(tf.zeros([self.hidden, self.size]))
    return weights

  def fit(self, batch):
    return self.sess.run([self.cost, self.step], {self.x: batch})[0]

  def decode(self, code):
    return self.sess.run(self.decoded, {self.code: code})

  def first_weights(self):
    return self.sess.run(self.weights['in'])


def main(output):
  rng = np.random.RandomState(0)
  optimizer = tf.compat.v1.train.AdamOptimizer(learning_rate=0.01)
  coder = Autoencoder(8, 3, optimizer=optimizer)
  costs = [coder.fit(rng.rand(4, 8)) for _ in range(5)]
  np.savez(output, costs=costs, decoded=coder.decode(np.ones((1, 3))),
           weights=coder.first_weights())


if __name__ == '__main__':
  main(sys.argv[1])
