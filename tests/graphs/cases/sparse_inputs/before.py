"""Sparse placeholders whose shape is a tensor, a list, partly known or not known."""
import sys

import numpy as np
import tensorflow as tf


class Layer(object):
    def __init__(self, sizes):
        self.weights = tf.get_variable('w', initializer=np.arange(6.0).reshape(3, 2).astype('f'))
        self.inputs = {
            'tensor': tf.sparse_placeholder(tf.float32, shape=tf.constant(sizes, dtype=tf.int64)),
            'list': tf.sparse_placeholder(tf.float32, shape=[2, 3], name='listed'),
            'part': tf.sparse_placeholder(tf.float32, shape=[None, 3]),
            'none': tf.sparse_placeholder(tf.float32, name='open'),
        }

    def build(self, inputs):
        return tf.sparse_tensor_dense_matmul(inputs, self.weights)


def feed(layer, value):
    return {inputs: value for inputs in layer.inputs.values()}


def main(output):
    layer = Layer(np.array([2, 3]))
    products = {name: layer.build(inputs) for name, inputs in layer.inputs.items()}
    value = (np.array([[0, 1], [1, 2]]), np.array([2.0, 3.0], np.float32), np.array([2, 3]))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        found = sess.run(products, feed_dict=feed(layer, value))
        other = sess.run(products['list'], {layer.inputs['list']: tf.SparseTensorValue(*value)})
    ranks = [-1 if t.indices.shape[1].value is None else t.indices.shape[1].value
             for _, t in sorted(layer.inputs.items())]
    np.savez(output, other=other, ranks=ranks, **found)


if __name__ == '__main__':
    main(sys.argv[1])
