"""Commands that build graphs, which a registry keeps and calls."""
import sys

import numpy as np
import tensorflow as tf

from commands import command, run


class Net:
    def __init__(self, size):
        self.x = tf.placeholder(tf.float64, [None, size])
        self.w = tf.get_variable('w', [size], tf.float64, tf.ones_initializer())
        self.y = tf.reduce_sum(self.x * self.w, 1)


def loss_of(net):
    return tf.reduce_mean(tf.square(net.y - 1.0))


@command('train')
def train(output):
    net = Net(3)
    loss = loss_of(net)
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    data = np.arange(6.0).reshape(2, 3)
    sess = tf.Session()
    sess.run(tf.global_variables_initializer())
    losses = [sess.run([train_op, loss], {net.x: data})[1] for _ in range(3)]
    np.savez(output, losses=losses, weights=sess.run(net.w))


if __name__ == '__main__':
    run('train', sys.argv[1])
