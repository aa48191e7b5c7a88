"""Several readers of TFRecord files joined into batches."""
import os
import sys

import numpy as np
import tensorflow as tf

BATCH_SIZE = 4
READERS = 2


def write_records(folder):
    rng = np.random.RandomState(8)
    paths = []
    for shard in range(3):
        paths.append(os.path.join(folder, 'part-%d.tfrecords' % shard))
        with tf.python_io.TFRecordWriter(paths[-1]) as writer:
            for _ in range(8):
                writer.write(tf.train.Example(features=tf.train.Features(feature={
                    'x': tf.train.Feature(float_list=tf.train.FloatList(
                        value=rng.normal(size=3))),
                    'y': tf.train.Feature(int64_list=tf.train.Int64List(
                        value=[rng.randint(5)])),
                })).SerializeToString())
    return paths


def read_example(filename_queue):
    reader = tf.TFRecordReader()
    _, serialized = reader.read(filename_queue)
    parsed = tf.parse_single_example(serialized, features={
        'x': tf.FixedLenFeature([3], tf.float32),
        'y': tf.FixedLenFeature([], tf.int64),
    })
    return tf.cast(parsed['x'], tf.float64), tf.cast(parsed['y'], tf.float64)


def main(output):
    paths = write_records(os.path.dirname(os.path.abspath(output)))
    filename_queue = tf.train.string_input_producer(paths, num_epochs=1, shuffle=True)
    example_list = [read_example(filename_queue) for _ in range(READERS)]
    xs, ys = tf.train.shuffle_batch_join(
        example_list, batch_size=BATCH_SIZE, capacity=20, min_after_dequeue=8)

    total = tf.get_variable('total', initializer=np.zeros([4]))
    add = tf.assign_add(total, tf.concat([tf.reduce_sum(xs, 0), [tf.reduce_sum(ys)]], 0))

    rounds = 0
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        try:
            while not coord.should_stop():
                sess.run(add)
                rounds += 1
        except tf.errors.OutOfRangeError:
            print('all examples seen')
        finally:
            coord.request_stop()
        coord.join(threads)
        # The order of the examples is up to the threads, their sum is not.
        np.savez(output, total=sess.run(total), rounds=rounds)


if __name__ == '__main__':
    main(sys.argv[1])
