"""Writes records and trains on them; then a graph that asks another one while it is being built."""
import sys

import numpy as np
import tensorflow as tf

import records
import scales


def train(path, rows):
    """The weights and losses after some steps on the rows of the file."""
    records.write(path, rows)
    size = records.count(path)
    with tf.Graph().as_default():
        row = records.elements(path)
        row.set_shape([3])
        w = tf.Variable(np.ones(3), name='w')
        loss = tf.square(tf.reduce_sum(row * w) - 1.)
        step = tf.train.GradientDescentOptimizer(.05).minimize(loss)
        losses = []
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(4):
                losses.append(sess.run([loss, step])[0])
            return sess.run(w), losses, size


def main(output):
    rng = np.random.RandomState(8)
    w, losses, size = train('rows.records', rng.normal(size=(3, 3)).round(3))
    np.savez(output, w=w, losses=losses, size=size, total=scales.total(np.arange(4.)))


if __name__ == '__main__':
    main(sys.argv[1])
