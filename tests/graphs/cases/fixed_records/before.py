"""Binary records of a label and an image, as the CIFAR tutorial read them."""
import os
import sys

import numpy as np
import tensorflow as tf

FLAGS = tf.app.flags.FLAGS
SIZE, DEPTH = 4, 3


def read_cifar10(filename_queue):
    class CIFAR10Record(object):
        pass
    result = CIFAR10Record()
    label_bytes = 1
    result.height, result.width, result.depth = SIZE, SIZE, DEPTH
    image_bytes = result.height * result.width * result.depth
    record_bytes = label_bytes + image_bytes
    reader = tf.FixedLengthRecordReader(record_bytes=record_bytes)
    result.key, value = reader.read(filename_queue)
    record_bytes = tf.decode_raw(value, tf.uint8)
    result.label = tf.cast(tf.strided_slice(record_bytes, [0], [label_bytes]), tf.int32)
    depth_major = tf.reshape(
        tf.strided_slice(record_bytes, [label_bytes], [label_bytes + image_bytes]),
        [result.depth, result.height, result.width])
    result.uint8image = tf.transpose(depth_major, [1, 2, 0])
    return result


def _generate_image_and_label_batch(image, label, min_queue_examples, batch_size, shuffle):
    if shuffle:
        images, label_batch = tf.train.shuffle_batch(
            [image, label], batch_size=batch_size, num_threads=1,
            capacity=min_queue_examples + 3 * batch_size, min_after_dequeue=min_queue_examples)
    else:
        images, label_batch = tf.train.batch(
            [image, label], batch_size=batch_size, num_threads=1,
            capacity=min_queue_examples + 3 * batch_size)
    tf.summary.image('images', images)
    return images, tf.reshape(label_batch, [batch_size])


def inputs(path, batch_size, shuffle=False):
    filename_queue = tf.train.string_input_producer([path])
    with tf.name_scope('data'):
        read_input = read_cifar10(filename_queue)
        reshaped_image = tf.cast(read_input.uint8image, tf.float32)
        float_image = tf.image.per_image_standardization(reshaped_image)
        float_image.set_shape([SIZE, SIZE, DEPTH])
        read_input.label.set_shape([1])
        return _generate_image_and_label_batch(
            float_image, read_input.label, 8, batch_size, shuffle)


def main(output):
    path = os.path.join(os.path.dirname(os.path.abspath(output)), 'batch.bin')
    rng = np.random.RandomState(0)
    rng.randint(0, 255, 10 * (1 + SIZE * SIZE * DEPTH)).astype(np.uint8).tofile(path)
    with tf.Graph().as_default():
        with tf.device('/cpu:0'):
            images, labels = inputs(path, 4)
        with tf.variable_scope('conv') as scope:
            kernel = tf.get_variable('weights', [3, 3, 3, 2],
                                     initializer=tf.constant_initializer(0.1))
            conv = tf.nn.conv2d(images, kernel, [1, 1, 1, 1], padding='SAME')
            net = tf.nn.relu(conv, name=scope.name)
        score = tf.reduce_mean(net)
        global_step = tf.train.get_or_create_global_step()
        train_op = tf.train.GradientDescentOptimizer(0.01).minimize(score, global_step=global_step)
        sess = tf.Session(config=tf.ConfigProto(log_device_placement=False))
        sess.run(tf.global_variables_initializer())
        coord = tf.train.Coordinator()
        threads = []
        for qr in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS):
            threads.extend(qr.create_threads(sess, coord=coord, daemon=True, start=True))
        scores, seen = [], []
        for step in range(5):
            _, value, label = sess.run([train_op, score, labels])
            scores.append(value)
            seen.append(label)
        coord.request_stop()
        coord.join(threads, stop_grace_period_secs=10)
        np.savez(output, scores=scores, seen=seen, step=sess.run(global_step))


if __name__ == '__main__':
    main(sys.argv[1])
