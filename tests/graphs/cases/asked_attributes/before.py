"""A function of another module that is given objects of two classes: only one has what a branch feeds."""
import sys

import numpy as np
import tensorflow as tf

from rating import rated


class Plain(object):
    def __init__(self, table):
        self.users = tf.placeholder(tf.int32, [None])
        self.rates = tf.reduce_sum(tf.nn.embedding_lookup(table, self.users), 1)


class Scaled(object):
    def __init__(self, table):
        self.users = tf.placeholder(tf.int32, [None])
        self.kept = tf.placeholder(tf.float32, [])
        self.rates = self.kept * tf.reduce_sum(tf.nn.embedding_lookup(table, self.users), 1)


def main():
    table = tf.Variable(np.arange(12, dtype=np.float32).reshape(4, 3))
    models = [Plain(table), Scaled(table)]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        plain = rated(sess, models[0], [0, 2, 3], False)
        scaled = rated(sess, models[1], [3, 1, 0], True)
    np.savez(sys.argv[1], plain=plain, scaled=scaled)


if __name__ == '__main__':
    main()
