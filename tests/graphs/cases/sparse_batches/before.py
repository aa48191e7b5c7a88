"""Examples with features of any length: sparse tensors in batches."""
import os
import sys

import numpy as np
import tensorflow as tf


def write(path):
    with tf.python_io.TFRecordWriter(path) as writer:
        for index in range(6):
            writer.write(tf.train.Example(features=tf.train.Features(feature={
                'words': tf.train.Feature(int64_list=tf.train.Int64List(
                    value=range(index % 4))),
                'label': tf.train.Feature(int64_list=tf.train.Int64List(value=[index])),
            })).SerializeToString())


def main(output):
    path = os.path.join(os.path.dirname(os.path.abspath(output)), 'words.tfrecords')
    write(path)
    queue = tf.train.string_input_producer([path], num_epochs=1)
    reader = tf.TFRecordReader()
    _, serialized = reader.read(queue)
    features = tf.parse_single_example(serialized, features={
        'words': tf.VarLenFeature(tf.int64),
        'label': tf.FixedLenFeature([], tf.int64),
    })
    words, label = tf.train.batch([features['words'], features['label']], batch_size=4,
                                  allow_smaller_final_batch=True)
    dense = tf.sparse_tensor_to_dense(words, default_value=-1)
    _, many = tf.TFRecordReader().read_up_to(
        tf.train.string_input_producer([path], num_epochs=1, name='again'), 4)
    count = tf.shape(many)[0]

    found, labels, counts = [], [], []
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        for _ in range(2):
            d, l, sparse = sess.run([dense, label, words])
            found.append(d)
            labels.append(l)
            assert isinstance(sparse, tf.SparseTensorValue), type(sparse)
        for _ in range(2):
            counts.append(sess.run(count))
        try:
            sess.run(label)
            ended = False
        except tf.errors.OutOfRangeError:
            ended = True
        coord.request_stop()
        coord.join(threads)
    np.savez(output, first=found[0], second=found[1], labels=np.concatenate(labels),
             counts=counts, ended=ended, shape=sparse.dense_shape)


if __name__ == '__main__':
    main(sys.argv[1])
