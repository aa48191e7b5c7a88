"""A running mean kept with assign and control dependencies, a loop and a conditional."""
import sys

import numpy as np
import tensorflow as tf


def clipped_sum(values, limit):
    """Adds values up until the sum passes the limit."""
    def condition(i, total):
        return tf.logical_and(i < tf.shape(values)[0], total < limit)

    def body(i, total):
        return i + 1, total + values[i]

    _, total = tf.while_loop(condition, body, [tf.constant(0), tf.constant(0.0, tf.float64)])
    return total


def main(output):
    values = tf.placeholder(tf.float64, [None])
    limit = tf.placeholder(tf.float64, [])
    mean = tf.Variable(0.0, trainable=False, dtype=tf.float64, name='mean')
    count = tf.Variable(0, trainable=False, name='count')

    total = clipped_sum(values, limit)
    increment = tf.assign_add(count, 1)
    with tf.control_dependencies([increment]):
        delta = total - mean
        update_mean = tf.assign(mean, mean + delta / tf.cast(count, tf.float64))
    scaled = tf.cond(total > 2.0, lambda: total * 10.0, lambda: total - 1.0)
    reset = tf.group(tf.assign(mean, 0.0), tf.assign(count, 0))

    rng = np.random.RandomState(1)
    means, results = [], []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(4):
            sample = rng.uniform(size=6)
            result, new_mean = sess.run([scaled, update_mean],
                                        feed_dict={values: sample, limit: 2.5})
            results.append(result)
            means.append(new_mean)
        counted = sess.run(count)
        sess.run(reset)
        final = sess.run([mean, count])
    np.savez(output, means=means, results=results, counted=counted, final=np.array(final))


if __name__ == '__main__':
    main(sys.argv[1])
