"""A solver is handed the session and the network, and prints its learning rate by `rate.eval()`."""

import sys

import numpy as np
import tensorflow as tf


class Network(object):
    def __init__(self):
        self.points = tf.placeholder(tf.float32, [None, 2])
        self.weights = tf.get_variable("weights", [2], initializer=tf.ones_initializer())
        self.error = tf.reduce_mean(tf.square(tf.reduce_sum(self.points * self.weights, 1)))


class Solver(object):
    def __init__(self, session, network):
        self.network = network

    def solve(self, session, count):
        step = tf.Variable(0, trainable=False)
        rate = tf.train.exponential_decay(0.1, step, 2, 0.5, staircase=True)
        update = tf.train.MomentumOptimizer(rate, 0.9).minimize(self.network.error, global_step=step)
        session.run(tf.global_variables_initializer())
        seen = []
        for i in range(count):
            points = np.linspace(-1, 1 + i, 6, dtype=np.float32).reshape(3, 2)
            error, _ = session.run([self.network.error, update], feed_dict={self.network.points: points})
            seen.append([error, rate.eval()])
        return np.array(seen)


def main():
    network = Network()
    with tf.Session() as session:
        solver = Solver(session, network)
        seen = solver.solve(session, 5)
        np.savez(sys.argv[1], seen=seen, weights=network.weights.eval())


if __name__ == "__main__":
    main()
