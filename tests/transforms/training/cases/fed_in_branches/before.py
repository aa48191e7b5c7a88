"""What is fed is put together ahead of branches, some of which also read a summary."""
import sys

import numpy as np
import tensorflow as tf


class Net(object):

  def __init__(self):
    self.images = tf.placeholder(tf.float32, [None, 3], name='images')
    self.labels = tf.placeholder(tf.float32, [None, 1], name='labels')
    self.predicted = tf.layers.dense(
        self.images, 1, kernel_initializer=tf.constant_initializer(.1), name='predicted')
    self.loss = tf.reduce_mean(tf.square(self.predicted - self.labels))


class Solver(object):

  def __init__(self, net):
    self.net = net
    self.train_op = tf.train.AdamOptimizer(.05).minimize(net.loss)
    self.doubled = net.loss * 2
    self.sess = tf.Session()
    self.sess.run(tf.global_variables_initializer())

  def train(self, batches):
    seen = []
    for step, (images, labels) in enumerate(batches):
      feed_dict = {self.net.images: images,
                   self.net.labels: labels}
      if step % 2 == 0:
        if step % 4 == 0:
          doubled, loss, _ = self.sess.run(
              [self.doubled, self.net.loss, self.train_op], feed_dict=feed_dict)
          seen.append(doubled)
        else:
          loss, _ = self.sess.run([self.net.loss, self.train_op], feed_dict=feed_dict)
        seen.append(loss)
      else:
        self.sess.run(self.train_op, feed_dict=feed_dict)
    weight = 2.
    last = {self.net.images: images, self.net.labels: labels * weight}
    for weight in (3., 4.):  # what was put together stays as it was
      seen.append(self.sess.run(self.net.loss, feed_dict=last))
    return seen


def main():
  random = np.random.RandomState(0)
  batches = [(random.rand(4, 3).astype(np.float32), random.rand(4, 1).astype(np.float32))
             for _ in range(6)]
  solver = Solver(Net())
  np.savez(sys.argv[1], seen=np.array(solver.train(batches)))


if __name__ == '__main__':
  main()
