"""Variables that begin with what the graph computes: functions that give tensors made outside of them."""
import sys

import numpy as np
import tensorflow as tf


def constantly(tensor):
    def initializer(shape, dtype=tf.float32, partition_info=None):
        return tf.identity(tensor)
    return initializer


class Memory(object):
    def __init__(self, session, size):
        self.session = session
        self.inputs = tf.placeholder(tf.float32, [None, size], name='inputs')
        falling = tf.cast(tf.range(size, 0, -1), tf.float32)
        with tf.variable_scope('memory'):
            self.bias = tf.get_variable('bias', [size], tf.float32, constantly(falling))
            self.scale = tf.get_variable('scale', [size], initializer=lambda *a, **k: falling / 4.)
            self.shift = tf.get_variable('shift', initializer=lambda: falling * .5)
        self.weight = tf.Variable(lambda: tf.reshape(falling, [size, 1]) * .1, name='weight')
        self.output = tf.matmul(self.inputs * self.scale + self.bias + self.shift, self.weight)
        self.loss = tf.reduce_mean(tf.square(self.output))
        self.step = tf.train.GradientDescentOptimizer(0.01).minimize(self.loss)

    def train(self, batch):
        return self.session.run([self.loss, self.step], {self.inputs: batch})[0]


def main(output):
    batch = np.linspace(-1, 1, 8).reshape(2, 4)
    with tf.Session() as sess:
        memory = Memory(sess, 4)
        sess.run(tf.global_variables_initializer())
        losses = [memory.train(batch) for _ in range(3)]
        variables = sess.run(tf.trainable_variables())
        sess.run(memory.bias.initializer)
        bias = sess.run(memory.bias)
    np.savez(output, losses=losses, bias=bias,
             names=[v.op.name for v in tf.trainable_variables()], **{
                 'v%d' % i: v for i, v in enumerate(variables)})


if __name__ == '__main__':
    main(sys.argv[1])
