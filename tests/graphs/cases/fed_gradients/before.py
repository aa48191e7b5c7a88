"""Gradients are fed that were computed before: what they follow from need not be fed."""
import sys

import numpy as np
import tensorflow as tf


def main(output):
    x = tf.placeholder(tf.float32, [None])
    w = tf.get_variable('w', initializer=tf.constant([1.0, 2.0]))
    rate = tf.placeholder(tf.float32, [])
    optimizer = tf.train.RMSPropOptimizer(rate * 2.0)
    pairs = optimizer.compute_gradients(tf.reduce_sum(w * x))
    gradients = [gradient for gradient, _ in pairs]
    step = tf.train.get_or_create_global_step()
    apply = optimizer.apply_gradients(pairs, global_step=step)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        values = sess.run(gradients, {x: [3.0, 4.0]})
        feed = dict(zip(gradients, values))
        feed[rate] = 0.05
        sess.run(apply, feed)
        first = sess.run(w)
        sess.run(apply, {gradients[0]: [0.5, -1.0], rate: 0.1})
        out = {'values': values[0], 'first': first, 'second': sess.run(w), 'step': sess.run(step)}
    np.savez(output, **out)


if __name__ == '__main__':
    main(sys.argv[1])
