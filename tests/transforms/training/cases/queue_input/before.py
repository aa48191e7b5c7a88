"""TFRecords read through queues, batched, and run under a coordinator."""
import os
import sys

import numpy as np
import tensorflow as tf

BATCH_SIZE = 4


def write_records(path):
    rng = np.random.RandomState(3)
    writer = tf.python_io.TFRecordWriter(path)
    for index in range(16):
        image = rng.randint(0, 255, size=12).astype(np.uint8)
        example = tf.train.Example(features=tf.train.Features(feature={
            'image_raw': tf.train.Feature(bytes_list=tf.train.BytesList(
                value=[image.tobytes()])),
            'label': tf.train.Feature(int64_list=tf.train.Int64List(value=[index % 3])),
        }))
        writer.write(example.SerializeToString())
    writer.close()


def read_and_decode(filename_queue):
    """One example of the queue's files."""
    reader = tf.TFRecordReader()
    _, serialized_example = reader.read(filename_queue)
    features = tf.parse_single_example(serialized_example, features={
        'image_raw': tf.FixedLenFeature([], tf.string),
        'label': tf.FixedLenFeature([], tf.int64),
    })
    image = tf.decode_raw(features['image_raw'], tf.uint8)
    image.set_shape([12])
    image = tf.cast(image, tf.float64) * (1. / 255) - 0.5
    label = tf.cast(features['label'], tf.int32)
    return image, label


def inputs(filenames, batch_size, num_epochs):
    filename_queue = tf.train.string_input_producer(filenames, num_epochs=num_epochs,
                                                    shuffle=False)
    image, label = read_and_decode(filename_queue)
    images, labels = tf.train.batch([image, label], batch_size=batch_size, num_threads=1,
                                    capacity=1000 + 3 * batch_size)
    return images, labels


def main(output):
    path = os.path.join(os.path.dirname(os.path.abspath(output)), 'train.tfrecords')
    write_records(path)
    with tf.Graph().as_default():
        images, labels = inputs([path], BATCH_SIZE, num_epochs=2)
        weights = tf.get_variable('weights', dtype=tf.float64,
                                  initializer=np.sin(np.arange(36.0)).reshape(12, 3))
        logits = tf.matmul(images, weights)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=labels, logits=logits))
        train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        init_op = tf.group(tf.global_variables_initializer(), tf.local_variables_initializer())

        sess = tf.Session()
        sess.run(init_op)
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        losses = []
        try:
            step = 0
            while not coord.should_stop():
                _, loss_value = sess.run([train_op, loss])
                losses.append(loss_value)
                step += 1
        except tf.errors.OutOfRangeError:
            print('Done training for %d steps.' % step)
        finally:
            # When done, ask the threads to stop.
            coord.request_stop()
        coord.join(threads)
        sess.close()
    np.savez(output, losses=losses)


if __name__ == '__main__':
    main(sys.argv[1])
