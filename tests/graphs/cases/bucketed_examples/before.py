"""Sequences in batches with others that are about as long, and numbers in buckets of their own."""
import sys

import numpy as np
import tensorflow as tf


def main(output):
    number = tf.train.range_input_producer(14, num_epochs=1, shuffle=False).dequeue()
    length = tf.mod(number * 5, 11) + 1
    lengths, (tokens, numbers) = tf.contrib.training.bucket_by_sequence_length(
        length, [tf.range(length), number], batch_size=3, bucket_boundaries=[3, 7],
        num_threads=1, dynamic_pad=True, allow_smaller_final_batch=True)
    other = tf.train.range_input_producer(9, num_epochs=1, shuffle=False).dequeue()
    which, parts = tf.contrib.training.bucket(
        {'number': other, 'square': other * other}, tf.mod(other, 2), batch_size=[2, 3],
        num_buckets=2, capacity=8, keep_input=other < 8)

    found, sides = {}, {}
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        try:
            while True:
                long, words, names = sess.run([lengths, tokens, numbers])
                key = 'bucket%d' % np.searchsorted([3, 7], long[0], side='right')
                found.setdefault(key, []).append([long, words.sum(1), names])
                assert words.shape == (len(long), max(long)), words.shape
        except tf.errors.OutOfRangeError:
            pass
        try:
            while True:
                side, part = sess.run([which, parts])
                sides.setdefault('side%d' % side, []).append(
                    np.stack([part['number'], part['square']]))
        except tf.errors.OutOfRangeError:
            pass
        coord.request_stop()
        coord.join(threads)
    kept = {key: np.concatenate(rows, axis=1) for key, rows in found.items()}
    kept.update({key: np.concatenate(rows, axis=1) for key, rows in sides.items()})
    np.savez(output, **kept)


if __name__ == '__main__':
    main(sys.argv[1])
