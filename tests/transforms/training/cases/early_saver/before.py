"""Savers that are made ahead of an optimizer's state, and hold what there was by then."""
import os
import sys
import tempfile

import numpy as np
import tensorflow as tf

import trainer

FOLDER = tempfile.mkdtemp()


def main(output):
    x = tf.placeholder(tf.float32, [None, 2])
    w = tf.get_variable("w", [2, 1], initializer=tf.ones_initializer())
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
    saver = tf.train.Saver()  # of the network only
    optimizer = tf.train.AdamOptimizer(0.1)
    train_op = optimizer.minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(3):
            sess.run(train_op, {x: np.ones([3, 2])})
        path = saver.save(sess, os.path.join(FOLDER, "model.ckpt"))
    names = sorted(name for name, _ in tf.train.list_variables(path))
    np.savez(output, names=names, w=tf.train.load_variable(path, "w"), **trainer.train(FOLDER))


if __name__ == "__main__":
    main(sys.argv[1])
