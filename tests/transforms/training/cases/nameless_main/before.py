"""A function builds and trains, the program starts by it: nobody asks what its variables are called."""
import argparse
import sys

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument('--learning-rate', type=float, default=0.001)
args = parser.parse_args([])


def line():
    x = tf.placeholder(tf.float32, [None], name='x')
    y = tf.placeholder(tf.float32, [None], name='y')
    slope = tf.Variable(0.5)
    offset = tf.Variable(-1.0)
    loss = tf.reduce_sum(tf.square(slope * x + offset - y))
    train = tf.train.MomentumOptimizer(args.learning_rate, 0.9).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for i in range(4):
            _, value = sess.run([train, loss], feed_dict={x: np.arange(6.0), y: np.arange(6.0) * 3})
        return value, sess.run(slope), sess.run(offset)


def main(argv):
    loss, slope, offset = line()
    np.savez(argv[1], loss=loss, slope=slope, offset=offset)


if __name__ == '__main__':
    main(sys.argv)
