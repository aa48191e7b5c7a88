"""Layers that are called one after the other."""
import tensorflow as tf


def layer(op):
    def decorated(self, *args, **kwargs):
        self.last = op(self, self.last, *args, **kwargs)
        return self

    return decorated


class Network(object):
    def __init__(self, inputs):
        self.layers = dict(inputs)
        self.last = None
        self.setup()

    def setup(self):
        raise NotImplementedError('of a subclass')

    def feed(self, name):
        self.last = self.layers[name]
        return self

    def get_output(self):
        return self.last

    @layer
    def dense(self, data, units, name):
        with tf.variable_scope(name):
            weights = tf.get_variable('weights', [data.get_shape()[-1].value, units], tf.float64)
        return tf.nn.relu(tf.matmul(data, weights))
