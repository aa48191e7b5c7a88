"""Slices of tensors, shuffled, in a graph that a supervisor runs."""
import os
import sys

import numpy as np
import tensorflow as tf


def main(output):
    folder = os.path.join(os.path.dirname(os.path.abspath(output)), 'logs')
    with tf.Graph().as_default():
        all_values = tf.convert_to_tensor(np.arange(8, dtype=np.float32))
        all_labels = tf.constant(np.arange(8) % 2)
        queue = tf.train.slice_input_producer([all_values, all_labels])
        value, label = queue[0] * 2.0, queue[1] + 1
        values, labels = tf.train.batch([value, label], batch_size=4)
        scale = tf.get_variable('scale', initializer=0.5)
        scaled = values * scale

        def collect(sess, fetches):
            return sess.run(fetches)

        supervisor = tf.train.Supervisor(logdir=folder, summary_op=None)
        with supervisor.managed_session() as sess:
            found = [collect(sess, [scaled, labels]) for _ in range(2)]
    np.savez(output, values=np.sort(np.concatenate([v for v, _ in found])),
             labels=np.sort(np.concatenate([l for _, l in found])))


if __name__ == '__main__':
    main(sys.argv[1])
