"""Batches that wait in a staging area until the step after takes them."""
import sys

import numpy as np
import tensorflow as tf


class Learner(object):
    def __init__(self):
        shapes = [(None, 2), (None,)]
        area = tf.contrib.staging.StagingArea([tf.float32, tf.float32], shapes)
        self.given = [tf.placeholder(tf.float32, shape) for shape in shapes]
        self.stage = area.put(self.given)
        x, y = area.get()
        assert x.shape.as_list() == [None, 2]
        self.weights = tf.get_variable('weights', [2], initializer=tf.zeros_initializer())
        self.loss = tf.reduce_mean(tf.square(tf.reduce_sum(x * self.weights, 1) - y))
        self.train = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)
        self.waiting = area.size()
        named = tf.contrib.staging.StagingArea([tf.int32], names=['count'])
        self.put_named = named.put({'count': tf.constant(5)})
        self.got = named.get()['count']

    def step(self, sess, x, y):
        sess.run(self.stage, dict(zip(self.given, [x, y])))
        return sess.run([self.loss, self.train])[0]


def main(output):
    learner = Learner()
    losses = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(learner.stage, {learner.given[0]: np.ones((1, 2)), learner.given[1]: [3.0]})
        for i in range(3):
            losses.append(learner.step(sess, np.full((2, 2), i + 1.0), np.arange(2.0)))
        waiting = sess.run(learner.waiting)
        sess.run(learner.put_named)
        np.savez(output, losses=losses, weights=sess.run(learner.weights), waiting=waiting,
                 got=sess.run(learner.got))


if __name__ == '__main__':
    main(sys.argv[1])
