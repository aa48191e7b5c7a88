"""Batches of only those examples that a condition keeps; a runner that was made by hand."""
import sys

import numpy as np
import tensorflow as tf


def main(output):
    index = tf.train.range_input_producer(12, num_epochs=1, shuffle=False).dequeue()
    keep = tf.equal(index % 3, 0)
    kept = tf.train.maybe_batch([index, index * index], keep, batch_size=2,
                                allow_smaller_final_batch=True)

    raw = tf.FIFOQueue(4, tf.float32, [[2]])
    counter = tf.Variable(0.0, trainable=False)
    limited = tf.train.limit_epochs(tf.constant([1.0, 2.0]), num_epochs=5)
    enqueue = raw.enqueue(limited * 2.0)
    runner = tf.train.QueueRunner(raw, [enqueue] * 2)
    tf.train.add_queue_runner(runner)
    item = raw.dequeue()
    count = tf.assign_add(counter, tf.reduce_sum(item))

    with tf.Session() as sess:
        sess.run(tf.group(tf.global_variables_initializer(), tf.local_variables_initializer()))
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        found = []
        while True:
            try:
                found.append(sess.run(kept))
            except tf.errors.OutOfRangeError:
                break
        steps = 0
        try:
            while not coord.should_stop():
                sess.run(count)
                steps += 1
        except tf.errors.OutOfRangeError:
            coord.request_stop()
        coord.join(threads)
        total = sess.run(counter)
    np.savez(output, first=[a for a, _ in found], second=[b for _, b in found], steps=steps,
             total=total)


if __name__ == '__main__':
    main(sys.argv[1])
