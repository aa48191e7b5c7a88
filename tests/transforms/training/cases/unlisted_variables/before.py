"""Variables that a dict or a function holds are trained beside those with names of their own."""
import sys

import numpy as np
import tensorflow as tf


def make_weights(size):
    weights = {}
    weights['w'] = tf.Variable(np.ones([size, 1]))
    weights['b'] = tf.Variable(np.zeros([1]))
    return weights


def main(output):
    x = tf.placeholder(tf.float64, [None, 4])
    weights = make_weights(4)
    scale = tf.Variable(np.array(1.5))
    more = {}
    more['shift'] = tf.Variable(np.array(2.0))
    predicted = tf.matmul(x, weights['w']) + weights['b'] * more['shift']
    loss = tf.reduce_mean(tf.square(predicted * scale))
    train_op = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
    rng = np.random.RandomState(0)
    losses = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(4):
            _, value = sess.run([train_op, loss], feed_dict={x: rng.rand(3, 4)})
            losses.append(value)
    np.savez(output, losses=losses)


if __name__ == '__main__':
    main(sys.argv[1])
