"""Files that a producer names, read whole and batched in random order for one epoch."""
import os
import sys

import numpy as np
import tensorflow as tf


def main(output):
    folder = os.path.dirname(os.path.abspath(output))
    for index in range(7):
        with open(os.path.join(folder, 'part%d.raw' % index), 'wb') as stream:
            stream.write(bytes(bytearray(range(index, index + 4))))
    filenames = tf.train.match_filenames_once(os.path.join(folder, '*.raw'))
    queue = tf.train.string_input_producer(filenames, num_epochs=2, shuffle=True)
    reader = tf.WholeFileReader()
    key, value = reader.read(queue)
    pixels = tf.reshape(tf.decode_raw(value, tf.uint8), [4])
    pixels = tf.cast(pixels, tf.float32) / 2.0
    batch, names = tf.train.shuffle_batch(
        [pixels, key], batch_size=3, capacity=20, min_after_dequeue=5, num_threads=2,
        allow_smaller_final_batch=True)
    total = tf.Variable(tf.zeros([4]))
    add = tf.assign_add(total, tf.reduce_sum(batch, 0))

    sizes, seen = [], []
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        found = sess.run(filenames)
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        try:
            while not coord.should_stop():
                _, keys = sess.run([add, names])
                sizes.append(len(keys))
                seen.extend(os.path.basename(key.decode()) for key in keys)
        except tf.errors.OutOfRangeError:
            print('Done: all epochs were read.')
        finally:
            coord.request_stop()
        coord.join(threads)
        final = sess.run(total)
    np.savez(output, final=final, count=sum(sizes), seen=np.array(sorted(seen)), found=len(found))


if __name__ == '__main__':
    main(sys.argv[1])
