"""Batch norm that two networks share moves its averages in place; these are fetched as a list by comprehension."""
import sys

import numpy as np
import tensorflow as tf


def norm(x, reuse):
    with tf.variable_scope('shared', reuse=reuse):
        return tf.contrib.layers.batch_norm(
            x, decay=0.5, updates_collections=None, scale=True, is_training=True)


def main(output):
    rows = np.random.RandomState(0).rand(4, 3).astype('f')
    x = tf.placeholder(tf.float32, [4, 3])
    first = norm(x, False)
    with tf.control_dependencies([first]):  # without, TF 1 may lose one of the two updates
        second = norm(x + 0.0, True)
    averages = [v for v in tf.global_variables() if 'moving' in v.name]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        found = []
        for _ in range(2):
            both = sess.run([first, second], {x: rows})
            found.append(sess.run(averages))
    np.savez(output, both=both, means=[f[0] for f in found], variances=[f[1] for f in found])


if __name__ == '__main__':
    main(sys.argv[1])
