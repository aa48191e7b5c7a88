import sys

import numpy as np
import tensorflow as tf

from counting import count


class Network:
    def build(self, x):
        return tf.layers.dense(x, 2, kernel_initializer=tf.constant_initializer(0.5))


def lengths(path):
    packed = tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.GZIP)
    return [len(record) for record in tf.python_io.tf_record_iterator(path, options=packed)]


def train(plain, packed):
    size = count(plain)
    widths = lengths(packed)
    data = tf.data.Dataset.from_tensor_slices(np.arange(12, dtype=np.float32).reshape(4, 3))
    x = data.batch(size).make_one_shot_iterator().get_next()
    x.set_shape([size, 3])
    scores = Network().build(x)
    saver = tf.train.Saver(tf.global_variables())
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for variable in tf.trainable_variables():
            sess.run(tf.assign(variable, variable * sum(widths)))
        path = saver.save(sess, "./model", global_step=len(widths))
        return size, widths, sess.run(scores), len(tf.train.list_variables(path))


def main(output):
    with tf.python_io.TFRecordWriter("plain.tfrecord") as writer:
        writer.write(b"one")
        writer.write(b"three")
    options = tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.GZIP)
    with tf.python_io.TFRecordWriter("packed.tfrecord", options=options) as writer:
        writer.write(b"four")
    size, widths, scores, saved = train("plain.tfrecord", "packed.tfrecord")
    np.savez(output, size=size, widths=widths, scores=scores, saved=saved)


if __name__ == "__main__":
    main(sys.argv[1])
