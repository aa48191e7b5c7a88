"""Commands that build graphs, which a registry keeps and calls."""
import sys

import numpy as np
import tensorflow as tf

from commands import command, run
from tf1_support import graphs
from tf1_support import initializers
from tf1_support import optimizers
from tf1_support import scopes


class Net:
    def __init__(self, size):
        self.x = graphs.placeholder(tf.float64, [None, size])
        self.w = scopes.get_variable('w', [size], tf.float64, initializers.ones_initializer())
        self.y = tf.reduce_sum(self.x * self.w, 1)


def loss_of(net):
    return tf.reduce_mean(tf.square(net.y - 1.0))


@graphs.building
@command('train')
@graphs.building
def train(output):
    net = Net(3)
    loss = loss_of(net)
    train_op = optimizers.GradientDescentOptimizer(0.1).minimize(loss)
    data = np.arange(6.0).reshape(2, 3)
    graphs.run(graphs.global_variables_initializer())
    train_step = graphs.function([net.x], [train_op, loss])
    losses = [train_step(data)[1] for _ in range(3)]
    np.savez(output, losses=losses, weights=graphs.run(net.w))


if __name__ == '__main__':
    run('train', sys.argv[1])
