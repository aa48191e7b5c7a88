"""A network is given its placeholder and keeps it; runs feed it by the network's attribute."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import graphs
from tf1_support import initializers
from tf1_support import optimizers
from tf1_support import scopes


class Net(object):
    def __init__(self, features, units):
        self.features = features
        self.w = scopes.get_variable('w', [3, units], tf.float64, initializers.constant_initializer(0.5))
        self.scores = tf.matmul(self.features, self.w)

    def cost(self, labels):
        return tf.reduce_mean(tf.square(self.scores - labels))


@graphs.building
def main(output):
    features = graphs.placeholder(tf.float64, [None, 3])
    labels = graphs.placeholder(tf.float64, [None, 2])
    net = Net(features, 2)
    loss = net.cost(labels)
    train_op = optimizers.MomentumOptimizer(0.01, 0.9).minimize(loss)
    mean = tf.reduce_mean(net.scores - labels)
    losses, means = [], []
    compute_mean = graphs.function([net.features, labels], mean)
    train_step = graphs.function([net.features, labels], [loss, train_op])
    for step in range(4):
        batch = np.cos(np.arange(6.0) + step).reshape(2, 3)
        losses.append(train_step(batch, batch[:, :2])[0])
        means.append(compute_mean(batch, batch[:, 1:]))
    w = graphs.run(net.w)
    np.savez(output, losses=losses, means=means, w=w)


if __name__ == '__main__':
    main(sys.argv[1])
