import sys

import numpy as np
import tensorflow as tf

from counting import count
from tf1_support import graphs
from tf1_support import iterators
from tf1_support import readers
from tf1_support import checkpoint
from tf1_support import initializers
from tf1_support import layers
from tf1_support import scopes


class Network:
    def build(self, x):
        return layers.dense(x, 2, kernel_initializer=initializers.constant_initializer(0.5))


def lengths(path):
    packed = tf.io.TFRecordOptions('GZIP')
    return [len(record) for record in readers.tf_record_iterator(path, options=packed)]


@graphs.building
def train(plain, packed):
    size = count(plain)
    widths = lengths(packed)
    data = tf.data.Dataset.from_tensor_slices(np.arange(12, dtype=np.float32).reshape(4, 3))
    x = iterators.make_one_shot_iterator(data.batch(size)).get_next()
    x.set_shape([size, 3])
    scores = Network().build(x)
    saver = checkpoint.Saver(scopes.global_variables())
    for variable in scopes.trainable_variables():
        graphs.run(variable.assign(variable * sum(widths)))
    path = saver.save("./model", global_step=len(widths))
    return size, widths, graphs.run(scores), len(tf.train.list_variables(path))


def main(output):
    with tf.io.TFRecordWriter("plain.tfrecord") as writer:
        writer.write(b"one")
        writer.write(b"three")
    options = tf.io.TFRecordOptions('GZIP')
    with tf.io.TFRecordWriter("packed.tfrecord", options=options) as writer:
        writer.write(b"four")
    size, widths, scores, saved = train("plain.tfrecord", "packed.tfrecord")
    np.savez(output, size=size, widths=widths, scores=scores, saved=saved)


if __name__ == "__main__":
    main(sys.argv[1])
