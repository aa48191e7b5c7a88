"""Moving averages that nothing orders against the training they are run with: TF 1 had read the variables
long before the gradients came."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import graphs
from tf1_support import initializers
from tf1_support import moving_averages
from tf1_support import optimizers
from tf1_support import scopes


def build(depth):
    x = graphs.placeholder(tf.float32, [8, 32])
    step = scopes.get_variable('global_step', [], initializer=initializers.constant_initializer(0), trainable=False)
    h, scales = x, []
    for i in range(depth):
        w = scopes.get_variable('w%d' % i, initializer=np.eye(32, dtype=np.float32) * 0.5)
        scale = scopes.get_variable('scale%d' % i, [32], initializer=initializers.ones_initializer())
        scales.append(scale)
        h = tf.matmul(h, w) * scale
    loss = tf.reduce_mean(h)
    optimizer = optimizers.GradientDescentOptimizer(4.0)
    apply_op = optimizer.apply_gradients(optimizer.compute_gradients(loss), global_step=step)
    averages = moving_averages.ExponentialMovingAverage(0.9, step)
    averages_op = averages.apply(scopes.trainable_variables())
    with tf.control_dependencies([averages_op, apply_op]):
        train_op = tf.no_op()
    return x, train_op, loss, [averages.average(scale) for scale in scales]


def train(x, train_op, loss):
    train_step = graphs.function([x], [loss, train_op])
    return [train_step(np.ones((8, 32)) * (i + 1))[0] for i in range(3)]


@graphs.building
def main(output):
    x, train_op, loss, averages = build(6)
    losses = train(x, train_op, loss)
    found = graphs.run(averages)
    np.savez(output, losses=losses, averages=found)


if __name__ == '__main__':
    main(sys.argv[1])
