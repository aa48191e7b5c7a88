"""A model that is given the session it works in."""
import sys

import numpy as np
import tensorflow as tf


class Regressor(object):
    """Linear regression."""

    def __init__(self, sess, num_features, rate=0.1):
        self.sess = sess
        self.num_features = num_features
        self.build_model(rate)

    def build_model(self, rate):
        self.x = tf.placeholder(tf.float64, [None, self.num_features])
        self.y = tf.placeholder(tf.float64, [None])
        self.w = tf.Variable(np.linspace(-1, 1, self.num_features))
        self.prediction = tf.reduce_sum(self.x * self.w, axis=1)
        self.loss = tf.reduce_mean(tf.square(self.prediction - self.y))
        self.train_op = tf.train.GradientDescentOptimizer(rate).minimize(self.loss)

    def fit(self, x, y):
        _, loss = self.sess.run([self.train_op, self.loss], feed_dict={self.x: x, self.y: y})
        return loss

    def predict(self, x):
        return self.sess.run(self.prediction, feed_dict={self.x: x})


def main(output):
    rng = np.random.RandomState(5)
    with tf.Session() as sess:
        model = Regressor(sess, 3)
        sess.run(tf.global_variables_initializer())
        losses = []
        for _ in range(3):
            x = rng.normal(size=(4, 3))
            losses.append(model.fit(x, rng.normal(size=4)))
        predicted = model.predict(x)
    np.savez(output, losses=losses, predicted=predicted)


if __name__ == '__main__':
    main(sys.argv[1])
