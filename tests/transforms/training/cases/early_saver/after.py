"""Savers that are made ahead of an optimizer's state, and hold what there was by then."""
import os
import sys
import tempfile

import numpy as np
import tensorflow as tf

import trainer
from tf1_support import graphs
from tf1_support import checkpoint
from tf1_support import initializers
from tf1_support import optimizers
from tf1_support import scopes

FOLDER = tempfile.mkdtemp()


@graphs.building
def main(output):
    x = graphs.placeholder(tf.float32, [None, 2])
    w = scopes.get_variable("w", [2, 1], initializer=initializers.ones_initializer())
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
    saver = checkpoint.Saver()  # of the network only
    optimizer = optimizers.AdamOptimizer(0.1)
    train_op = optimizer.minimize(loss)
    train_step = graphs.function([x], train_op)
    for _ in range(3):
        train_step(np.ones([3, 2]))
    path = saver.save(os.path.join(FOLDER, "model.ckpt"))
    names = sorted(name for name, _ in tf.train.list_variables(path))
    np.savez(output, names=names, w=tf.train.load_variable(path, "w"), **trainer.train(FOLDER))


if __name__ == "__main__":
    main(sys.argv[1])
