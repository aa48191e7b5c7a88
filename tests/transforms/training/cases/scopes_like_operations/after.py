"""Variables in scopes that are called like operations: TF 1 called the scopes otherwise."""
import os
import sys

import numpy as np
import tensorflow as tf
from tf1_support import graphs
from tf1_support import checkpoint
from tf1_support import optimizers
from tf1_support import scopes


@graphs.building
def main(output):
    x = graphs.placeholder(tf.float64, [None, 3], name='Data')
    hidden = tf.multiply(x, 0.5, name='layer')
    with tf.name_scope('layer'):
        w = scopes.Variable(np.array([[0.5], [-0.25], [1.0]]), name='w')
        y = tf.matmul(hidden, w)
    with tf.name_scope('data'):
        scale = scopes.Variable(np.array(2.0), name='scale')
    loss = tf.reduce_mean(tf.square(y * scale))
    train_op = optimizers.GradientDescentOptimizer(0.1).minimize(loss)
    saver = checkpoint.Saver()
    losses = []
    train_step = graphs.function([x], [loss, train_op])
    for i in range(3):
        batch = np.cos(np.arange(6.0) + i).reshape(2, 3)
        losses.append(train_step(batch)[0])
    path = saver.save(os.path.join(os.path.dirname(output), 'model'))
    names = sorted(name for name, _ in tf.train.list_variables(path))
    np.savez(output, losses=losses, names=names)


if __name__ == '__main__':
    main(sys.argv[1])
