"""Moving averages that nothing orders against the training they are run with: TF 1 had read the variables
long before the gradients came."""
import sys

import numpy as np
import tensorflow as tf


def build(depth):
    x = tf.placeholder(tf.float32, [8, 32])
    step = tf.get_variable('global_step', [], initializer=tf.constant_initializer(0), trainable=False)
    h, scales = x, []
    for i in range(depth):
        w = tf.get_variable('w%d' % i, initializer=np.eye(32, dtype=np.float32) * 0.5)
        scale = tf.get_variable('scale%d' % i, [32], initializer=tf.ones_initializer())
        scales.append(scale)
        h = tf.matmul(h, w) * scale
    loss = tf.reduce_mean(h)
    optimizer = tf.train.GradientDescentOptimizer(4.0)
    apply_op = optimizer.apply_gradients(optimizer.compute_gradients(loss), global_step=step)
    averages = tf.train.ExponentialMovingAverage(0.9, step)
    averages_op = averages.apply(tf.trainable_variables())
    with tf.control_dependencies([averages_op, apply_op]):
        train_op = tf.no_op()
    return x, train_op, loss, [averages.average(scale) for scale in scales]


def train(sess, x, train_op, loss):
    return [sess.run([loss, train_op], {x: np.ones((8, 32)) * (i + 1)})[0] for i in range(3)]


def main(output):
    x, train_op, loss, averages = build(6)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        losses = train(sess, x, train_op, loss)
        found = sess.run(averages)
    np.savez(output, losses=losses, averages=found)


if __name__ == '__main__':
    main(sys.argv[1])
