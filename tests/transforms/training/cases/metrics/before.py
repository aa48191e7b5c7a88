"""An evaluation that keeps running metrics and looks its input up by name."""

import sys

import numpy as np
import tensorflow as tf


def evaluate(output, name):
    scores = tf.placeholder(tf.float32, [None], name='scores')
    labels = tf.placeholder(tf.float32, [None], name='labels')
    mean, update_mean = tf.contrib.metrics.streaming_mean(scores)
    accuracy, update_accuracy = tf.contrib.metrics.streaming_accuracy(tf.round(scores), labels)
    precision, update_precision = tf.metrics.precision_at_thresholds(labels, scores, [0.3, 0.7])
    hits, update_hits = tf.metrics.true_positives(labels, tf.round(scores))
    updates = [update_mean, update_accuracy, update_precision, update_hits]
    rng = np.random.RandomState(0)
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        fed = sess.graph.get_tensor_by_name(name)
        running = []
        for _ in range(3):
            batch = rng.uniform(size=5).astype(np.float32)
            running.append(sess.run(updates, {fed: batch, labels: rng.randint(0, 2, 5)})[0])
        values = sess.run([mean, accuracy, precision, hits])  # must not count the last batch again
        again = sess.run([mean, accuracy, precision, hits])
    np.savez(output, running=running, mean=values[0], accuracy=values[1], precision=values[2],
             hits=values[3], again=again[0])


if __name__ == '__main__':
    evaluate(sys.argv[1], 'scores:0')
