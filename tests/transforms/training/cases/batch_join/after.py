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
        with tf.io.TFRecordWriter(paths[-1]) as writer:
            for _ in range(8):
                writer.write(tf.train.Example(features=tf.train.Features(feature={
                    'x': tf.train.Feature(float_list=tf.train.FloatList(
                        value=rng.normal(size=3))),
                    'y': tf.train.Feature(int64_list=tf.train.Int64List(
                        value=[rng.randint(5)])),
                })).SerializeToString())
    return paths


def read_example(serialized):
    parsed = tf.io.parse_single_example(serialized, features={
        'x': tf.io.FixedLenFeature([3], tf.float32),
        'y': tf.io.FixedLenFeature([], tf.int64),
    })
    return tf.cast(parsed['x'], tf.float64), tf.cast(parsed['y'], tf.float64)


def main(output):
    paths = write_records(os.path.dirname(os.path.abspath(output)))
    dataset = tf.data.Dataset.from_tensor_slices(paths).shuffle(len(paths)).flat_map(tf.data.TFRecordDataset)
    dataset = dataset.repeat(1)
    dataset = dataset.map(read_example)
    dataset = dataset.shuffle(20)
    dataset = dataset.batch(BATCH_SIZE, drop_remainder=True).prefetch(1)
    batches = iter(dataset)

    total = tf.Variable(np.zeros([4]), name='total')

    @tf.function(input_signature=dataset.element_spec)
    def run_add(xs, ys):
        """Runs add."""
        total.assign_add(tf.concat([tf.reduce_sum(xs, 0), [tf.reduce_sum(ys)]], 0))

    rounds = 0
    try:
        while True:
            run_add(*next(batches))
            rounds += 1
    except StopIteration:
        print('all examples seen')
    # The order of the examples is up to the threads, their sum is not.
    np.savez(output, total=total.numpy(), rounds=rounds)


if __name__ == '__main__':
    main(sys.argv[1])
