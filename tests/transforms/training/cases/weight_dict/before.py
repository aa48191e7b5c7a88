"""A class that is given its optimizer and keeps its weights in a dict, which is asked for one."""
import sys

import numpy as np
import tensorflow as tf


class Autoencoder(object):

  def __init__(self, size, hidden, optimizer=tf.train.AdamOptimizer()):
    self.size = size
    self.hidden = hidden
    self.weights = self._weights()
    self.x = tf.placeholder(tf.float32, [None, size])
    self.code = tf.nn.softplus(tf.add(tf.matmul(self.x, self.weights['in']), self.weights['bias']))
    self.decoded = tf.matmul(self.code, self.weights['out'])
    self.cost = 0.5 * tf.reduce_sum(tf.pow(tf.subtract(self.decoded, self.x), 2.0))
    self.step = optimizer.minimize(self.cost)
    self.sess = tf.Session()
    self.sess.run(tf.global_variables_initializer())

  def _weights(self):
    weights = {}
    weights['in'] = tf.get_variable('in', [self.size, self.hidden],
                                    initializer=tf.constant_initializer(0.07))
    weights['bias'] = tf.Variable(tf.zeros([self.hidden]))
    weights['out'] = tf.Variable(tf.zeros([self.hidden, self.size]))
    return weights

  def fit(self, batch):
    return self.sess.run([self.cost, self.step], {self.x: batch})[0]

  def decode(self, code):
    return self.sess.run(self.decoded, {self.code: code})

  def first_weights(self):
    return self.sess.run(self.weights['in'])


def main(output):
  rng = np.random.RandomState(0)
  optimizer = tf.train.AdamOptimizer(learning_rate=0.01)
  coder = Autoencoder(8, 3, optimizer=optimizer)
  costs = [coder.fit(rng.rand(4, 8)) for _ in range(5)]
  np.savez(output, costs=costs, decoded=coder.decode(np.ones((1, 3))),
           weights=coder.first_weights())


if __name__ == '__main__':
  main(sys.argv[1])
