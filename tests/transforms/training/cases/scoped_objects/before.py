"""Two networks of one class in one graph: the variables of each are in a scope of its own."""
import sys

import numpy as np
import tensorflow as tf


class Network(object):
    def __init__(self, scope, size):
        with tf.variable_scope(scope):
            self._build(size)
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def _build(self, size):
        first = tf.constant_initializer(np.linspace(-1.0, 1.2, 3 * size))
        second = tf.constant_initializer(np.linspace(-0.5, 0.7, size))
        self.x = tf.placeholder(tf.float64, [None, 3], name='x')
        self.y = tf.placeholder(tf.float64, [None], name='y')
        hidden = tf.layers.dense(self.x, size, kernel_initializer=first)
        score = tf.layers.dense(tf.nn.relu(hidden), 1, kernel_initializer=second)
        self.score = tf.squeeze(score, axis=1)
        self.loss = tf.reduce_mean(tf.squared_difference(self.score, self.y))
        self.train_op = tf.train.RMSPropOptimizer(0.02).minimize(self.loss)

    def update(self, x, y):
        _, loss = self.sess.run([self.train_op, self.loss], {self.x: x, self.y: y})
        return loss

    def predict(self, x):
        return self.sess.run(self.score, feed_dict={self.x: x})


def main(output):
    rng = np.random.RandomState(5)
    x, y = rng.uniform(size=(6, 3)), rng.uniform(size=6)
    first, second = Network('first', 3), Network('second', 3)
    losses = [first.update(x, y) for _ in range(3)]
    losses.append(second.update(x, y))
    np.savez(output, losses=losses, scores=[first.predict(x), second.predict(x)])


if __name__ == '__main__':
    main(sys.argv[1])
