"""Layers made in one scope and applied in another: those with a scope of their own keep to it. What they
compute is asked for by the names of their operations."""
import sys

import numpy as np
import tensorflow as tf


class Net(object):
    def __init__(self):
        with tf.variable_scope('block', initializer=tf.constant_initializer(0.25)):
            self.convs = [tf.layers.Conv2D(2, 3, padding='same', name='c_%d' % i, _scope='c_%d' % i, _reuse=None)
                          for i in range(2)]
        self.line = tf.layers.Conv1D(3, 2, name='line', _scope='line')
        self.free = tf.layers.Dense(2, name='free')

    def __call__(self, x):
        for conv in self.convs:
            x = conv(x)
        with tf.variable_scope('head', initializer=tf.constant_initializer(0.5)):
            x = self.line(x[:, 0])
            return self.free(x)


def main():
    x = tf.placeholder(tf.float32, [None, 4, 4, 3])
    with tf.variable_scope('net', initializer=tf.constant_initializer(0.125)):
        net = Net()
        y = net(x)
    with tf.variable_scope('net', reuse=True):
        again = net(2.0 * x)
    with tf.variable_scope('up', initializer=tf.constant_initializer(0.5)):
        tf.layers.conv2d_transpose(x, 2, 3, name='larger')
        tf.contrib.slim.conv2d(x, 2, 3, weights_initializer=tf.constant_initializer(0.5), scope='slim')
    graph = tf.get_default_graph()
    names = ['net/block/c_0/Conv2D:0', 'net/block/c_1/Conv2D_1:0', 'net/line/conv1d/Squeeze:0',
             'up/larger/conv2d_transpose:0', 'up/slim/Conv2D:0']
    inner = [graph.get_tensor_by_name(name) for name in names]
    given = np.sin(np.arange(48, dtype=np.float32)).reshape(1, 4, 4, 3)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        found = sess.run([y, again] + inner, {x: given})
    variables = sorted(v.op.name for v in tf.global_variables())
    np.savez(sys.argv[1], variables=np.array(variables), names=np.array([y.name, again.name]),
             **{'value%d' % i: value for i, value in enumerate(found)})


if __name__ == '__main__':
    main()
