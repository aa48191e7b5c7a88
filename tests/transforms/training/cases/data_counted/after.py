"""What is counted of data that a pipeline or a queue gives, fetched with its update: a step behind."""

import sys

import numpy as np
import tensorflow as tf
from tf1_support import graphs
from tf1_support import iterators
from tf1_support import initializers
from tf1_support import metrics
from tf1_support import queues
from tf1_support import scopes
from tf1_support import sessions


def looked_at(labels):
    """The labels, after a while."""
    size = tf.cast(tf.minimum(labels[0], 0) + 500, tf.int32)
    work = tf.matmul(tf.ones([size, size]), tf.ones([size, size]))
    return tf.boolean_mask(labels, labels >= tf.cast(tf.reduce_min(work) - 500.0, tf.int64))


def add_up(labels, guesses):
    labels = looked_at(labels)
    mean, mean_update = metrics.mean(labels)
    by_class, by_class_update = metrics.mean_per_class_accuracy(labels, guesses, 4)
    with scopes.variable_scope("sum"):
        seen = scopes.get_variable("seen", [], tf.int64, initializers.zeros_initializer(), trainable=False)
    added = seen.assign_add(tf.reduce_sum(labels))
    return tf.group(mean_update, by_class_update, added), [mean, by_class, tf.cast(seen, tf.float32) * 2]


@graphs.building
def main():
    rows = tf.data.Dataset.from_tensor_slices(np.arange(35, dtype=np.int64) % 4)
    labels = iterators.make_one_shot_iterator(rows.repeat().batch(10)).get_next()
    update, values = add_up(labels, tf.constant([0, 1, 2, 3, 0, 1, 2, 3, 0, 1], tf.int64))

    queue = queues.FIFOQueue(50, [tf.int64], [[3]])
    fill = queue.enqueue_many([np.random.RandomState(0).randint(4, size=[8, 3])])
    with scopes.variable_scope("queued"):
        taken, read = add_up(queue.dequeue(), tf.constant([1, 2, 1], tf.int64))

    counted = []
    with sessions.Session() as sess:
        graphs.run(fill)
        update_step = graphs.function([], [update, values])
        compute_taken_and_read = graphs.function([], [taken, read])
        for _ in range(6):
            _, first = update_step()
            _, second = compute_taken_and_read()
            counted.append(first + second)
        counted.append(graphs.run(values) + graphs.run(read))
    np.savez(sys.argv[1], counted=np.array(counted, np.float32))


if __name__ == "__main__":
    main()
