"""Values of one element become numbers: formatted, converted, handed out by a method."""
import sys

import numpy as np
import tensorflow as tf


class Critic(object):
    def __init__(self, sess):
        self.sess = sess
        self.state = tf.placeholder(tf.float64, [1, 3])
        self.reward = tf.placeholder(tf.float64, None)
        self.following = tf.placeholder(tf.float64, [1, 1])
        self.value = tf.layers.dense(self.state, 1, kernel_initializer=tf.constant_initializer(0.2))
        self.error = self.reward + 0.9 * self.following - self.value
        self.train_op = tf.train.GradientDescentOptimizer(0.01).minimize(tf.square(self.error))

    def learn(self, state, reward, following):
        value = self.sess.run(self.value, {self.state: [following]})
        error, _ = self.sess.run([self.error, self.train_op],
                                 {self.state: [state], self.following: value, self.reward: reward})
        return error, float(value)


def main(output):
    balance = tf.Variable(np.array([0.5]))
    loss = tf.reduce_mean(tf.square(balance - 2.0))
    weighed = loss - balance * 0.5
    move = tf.assign(balance, balance + 0.25)
    told, numbers = [], []
    with tf.Session() as sess:
        critic = Critic(sess)
        sess.run(tf.global_variables_initializer())
        for step in range(3):
            error, value = critic.learn(np.array([1.0, step, 2.0]), 1.0, np.array([1.0, step + 1, 2.0]))
            numbers.append(float(error) + value)
            sess.run(move)
            [all_of_it, part] = sess.run([weighed, loss])
            told.append("%d: %.4f of %.4f, %s, %6.2f%%" % (step, all_of_it, part, all_of_it, error))
        told.append("%.3f" % sess.run(balance))
    np.savez(output, told=np.array(told), numbers=numbers)


if __name__ == '__main__':
    main(sys.argv[1])
