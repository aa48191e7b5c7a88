"""What a loop prints of the layers while they are built is printed still."""
import sys

import numpy as np
import tensorflow as tf


def main(output):
    x = tf.placeholder(tf.float64, [None, 3], name='x')
    names = []
    h = x
    for i in range(2):
        h = tf.layers.dense(h, 4, name='layer%d' % i, kernel_initializer=tf.constant_initializer(0.1 + i))
        names.append(h.op.name)
    for name in names:
        print('made', name)
    print('layers: %d' % len(names))
    loss = tf.reduce_mean(tf.square(h))
    train_op = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        feed = {x: np.arange(6.0).reshape(2, 3)}
        losses = []
        for _ in range(3):
            sess.run(train_op, feed)
            losses.append(sess.run(loss, feed))
    np.savez(output, losses=losses)


if __name__ == '__main__':
    main(sys.argv[1])
