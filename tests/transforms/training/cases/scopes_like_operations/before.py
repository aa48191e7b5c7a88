"""Variables in scopes that are called like operations: TF 1 called the scopes otherwise."""
import os
import sys

import numpy as np
import tensorflow as tf


def main(output):
    x = tf.placeholder(tf.float64, [None, 3], name='Data')
    hidden = tf.multiply(x, 0.5, name='layer')
    with tf.name_scope('layer'):
        w = tf.Variable(np.array([[0.5], [-0.25], [1.0]]), name='w')
        y = tf.matmul(hidden, w)
    with tf.name_scope('data'):
        scale = tf.Variable(np.array(2.0), name='scale')
    loss = tf.reduce_mean(tf.square(y * scale))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    saver = tf.train.Saver()
    losses = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for i in range(3):
            batch = np.cos(np.arange(6.0) + i).reshape(2, 3)
            losses.append(sess.run([loss, train_op], feed_dict={x: batch})[0])
        path = saver.save(sess, os.path.join(os.path.dirname(output), 'model'))
    names = sorted(name for name, _ in tf.train.list_variables(path))
    np.savez(output, losses=losses, names=names)


if __name__ == '__main__':
    main(sys.argv[1])
