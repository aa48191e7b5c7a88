"""What is fed is put together ahead of branches, some of which also read a summary."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import graphs
from tf1_support import initializers
from tf1_support import layers
from tf1_support import optimizers


@graphs.building
class Net(object):

  def __init__(self):
    self.images = graphs.placeholder(tf.float32, [None, 3], name='images')
    self.labels = graphs.placeholder(tf.float32, [None, 1], name='labels')
    self.predicted = layers.dense(
        self.images, 1, kernel_initializer=initializers.constant_initializer(.1), name='predicted')
    self.loss = tf.reduce_mean(tf.square(self.predicted - self.labels))


@graphs.building
class Solver(object):

  def __init__(self, net):
    self.net = net
    self.train_op = optimizers.AdamOptimizer(.05).minimize(net.loss)
    self.doubled = net.loss * 2

  def train(self, batches):
    seen = []
    train_step = graphs.function([self.net.images, self.net.labels], self.train_op)
    run_train_step = graphs.function(
        [self.net.images, self.net.labels],
        [self.doubled, self.net.loss, self.train_op])
    run_train_step_2 = graphs.function(
        [self.net.images, self.net.labels],
        [self.net.loss, self.train_op])
    for step, (images, labels) in enumerate(batches):
      if step % 2 == 0:
        if step % 4 == 0:
          doubled, loss, _ = run_train_step(images, labels)
          seen.append(doubled)
        else:
          loss, _ = run_train_step_2(images, labels)
        seen.append(loss)
      else:
        train_step(images, labels)
    weight = 2.
    last = {self.net.images: images, self.net.labels: labels * weight}
    for weight in (3., 4.):  # what was put together stays as it was
      seen.append(graphs.run(self.net.loss, feed_dict=last))
    return seen


def main():
  random = np.random.RandomState(0)
  batches = [(random.rand(4, 3).astype(np.float32), random.rand(4, 1).astype(np.float32))
             for _ in range(6)]
  solver = Solver(Net())
  np.savez(sys.argv[1], seen=np.array(solver.train(batches)))


if __name__ == '__main__':
  main()
