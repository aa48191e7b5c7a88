"""Variables that begin with what the graph computes: functions that give tensors made outside of them."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import graphs
from tf1_support import names
from tf1_support import optimizers
from tf1_support import scopes


def constantly(tensor):
    def initializer(shape, dtype=tf.float32, partition_info=None):
        return tf.identity(tensor)
    return initializer


class Memory(object):
    def __init__(self, size):
        self.inputs = graphs.placeholder(tf.float32, [None, size], name='inputs')
        falling = tf.cast(tf.range(size, 0, -1), tf.float32)
        with scopes.variable_scope('memory'):
            self.bias = scopes.get_variable('bias', [size], tf.float32, constantly(falling))
            self.scale = scopes.get_variable('scale', [size], initializer=lambda *a, **k: falling / 4.)
            self.shift = scopes.get_variable('shift', initializer=lambda: falling * .5)
        self.weight = scopes.Variable(lambda: tf.reshape(falling, [size, 1]) * .1, name='weight')
        self.output = tf.matmul(self.inputs * self.scale + self.bias + self.shift, self.weight)
        self.loss = tf.reduce_mean(tf.square(self.output))
        self.step = optimizers.GradientDescentOptimizer(0.01).minimize(self.loss)

    def train(self, batch):
        run_step = graphs.function([self.inputs], [self.loss, self.step])
        return run_step(batch)[0]


@graphs.building
def main(output):
    batch = np.linspace(-1, 1, 8).reshape(2, 4)
    memory = Memory(4)
    graphs.run(graphs.global_variables_initializer())
    losses = [memory.train(batch) for _ in range(3)]
    variables = graphs.run(scopes.trainable_variables())
    graphs.run(memory.bias.initializer)
    bias = graphs.run(memory.bias)
    np.savez(output, losses=losses, bias=bias,
             names=[names.op_name(v) for v in scopes.trainable_variables()], **{
                 'v%d' % i: v for i, v in enumerate(variables)})


if __name__ == '__main__':
    main(sys.argv[1])
