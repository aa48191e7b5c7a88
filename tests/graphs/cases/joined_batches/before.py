"""Batches of several threads, some of whose examples are left out, and readers by their methods."""
import sys

import numpy as np
import tensorflow as tf


def numbers(low, high):
    return tf.train.range_input_producer(high - low, num_epochs=1, shuffle=False).dequeue() + low


def taken(build, count=None):
    """Everything that a pipeline gives, sorted: the order of threads is not fixed."""
    found = []
    with tf.Graph().as_default():
        batch = build()
        with tf.Session() as sess:
            sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess, coord)
            try:
                while not coord.should_stop():
                    found.extend(sess.run(batch))
            except tf.errors.OutOfRangeError:
                pass
            coord.request_stop()
            coord.join(threads)
    return sorted(found)


def even(x):
    return tf.equal(x % 2, 0)


def joined():
    return tf.train.shuffle_batch_join([[numbers(0, 6)], [numbers(10, 16)]], 3, 20, 4)


def maybe_joined():
    parts = [numbers(0, 6), numbers(10, 16)]
    return tf.train.maybe_batch_join([[p] for p in parts], tf.constant(True), 3)


def maybe_shuffled():
    part = numbers(0, 8)
    return tf.train.maybe_shuffle_batch([part], 2, 20, 1, even(part))


def maybe_shuffled_joined():
    parts = [numbers(0, 6), numbers(10, 16)]
    return tf.train.maybe_shuffle_batch_join([[p] for p in parts], 3, 20, 1,
                                             tf.constant(True))


def identity(out):
    with tf.Graph().as_default():
        queue = tf.train.input_producer(tf.constant(['a', 'b', 'c']), shuffle=False)
        reader = tf.IdentityReader()
        key, value = reader.read(queue)
        several = reader.read_up_to(queue, 2)
        counts = [reader.num_records_produced(), reader.num_work_units_completed()]
        state = reader.serialize_state()
        saved = tf.placeholder(tf.string, [])
        restore = reader.restore_state(saved)
        clear = reader.reset()
        with tf.Session() as sess:
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess, coord)
            out['first'] = sess.run([key, value])
            kept = sess.run(state)
            out['several'] = np.concatenate(sess.run(several)).astype('S')
            out['counts'] = sess.run(counts)
            sess.run(restore, {saved: kept})
            out['again'] = sess.run(counts)
            sess.run(clear)
            out['none'] = sess.run(counts)
            coord.request_stop()
            coord.join(threads)


def main(output):
    out = {'joined': taken(joined), 'maybe_joined': taken(maybe_joined),
           'maybe_shuffled': taken(maybe_shuffled),
           'maybe_shuffled_joined': taken(maybe_shuffled_joined)}
    identity(out)
    np.savez(output, **out)


if __name__ == '__main__':
    main(sys.argv[1])
