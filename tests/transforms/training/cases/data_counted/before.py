"""What is counted of data that a pipeline or a queue gives, fetched with its update: a step behind."""

import sys

import numpy as np
import tensorflow as tf


def looked_at(labels):
    """The labels, after a while."""
    size = tf.cast(tf.minimum(labels[0], 0) + 500, tf.int32)
    work = tf.matmul(tf.ones([size, size]), tf.ones([size, size]))
    return tf.boolean_mask(labels, labels >= tf.cast(tf.reduce_min(work) - 500.0, tf.int64))


def add_up(labels, guesses):
    labels = looked_at(labels)
    mean, mean_update = tf.metrics.mean(labels)
    by_class, by_class_update = tf.metrics.mean_per_class_accuracy(labels, guesses, 4)
    with tf.variable_scope("sum"):
        seen = tf.get_variable("seen", [], tf.int64, tf.zeros_initializer(), trainable=False)
    added = tf.assign_add(seen, tf.reduce_sum(labels))
    return tf.group(mean_update, by_class_update, added), [mean, by_class, tf.to_float(seen) * 2]


def main():
    rows = tf.data.Dataset.from_tensor_slices(np.arange(35, dtype=np.int64) % 4)
    labels = rows.repeat().batch(10).make_one_shot_iterator().get_next()
    update, values = add_up(labels, tf.constant([0, 1, 2, 3, 0, 1, 2, 3, 0, 1], tf.int64))

    queue = tf.FIFOQueue(50, [tf.int64], [[3]])
    fill = queue.enqueue_many([np.random.RandomState(0).randint(4, size=[8, 3])])
    with tf.variable_scope("queued"):
        taken, read = add_up(queue.dequeue(), tf.constant([1, 2, 1], tf.int64))

    counted = []
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        sess.run(fill)
        for _ in range(6):
            _, first = sess.run([update, values])
            _, second = sess.run([taken, read])
            counted.append(first + second)
        counted.append(sess.run(values) + sess.run(read))
    np.savez(sys.argv[1], counted=np.array(counted, np.float32))


if __name__ == "__main__":
    main()
