"""Moving averages of layers in branches: those of a branch that is taken move where training asks for
them, those of one that is not stay, and nothing moves where only the loss is asked for."""
import sys

import numpy as np
import tensorflow as tf

slim = tf.contrib.slim


class Network(object):
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [4, 3])
        self.deep = tf.placeholder(tf.bool, [])
        self.training = tf.placeholder(tf.bool, [])
        y = self.block(self.x, 3, 'same')
        y = self.block(y, 5, 'wider')
        y = tf.cond(self.deep, lambda: self.block(y, 4, 'inner') + self.normal(y, 4, 'beside'),
                    lambda: self.slim_normal(y))
        self.loss = tf.reduce_mean(tf.square(y - 1.0))
        optimizer = tf.train.MomentumOptimizer(0.01, 0.9)
        updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        self.train_op = tf.group([updates, optimizer.minimize(self.loss)])

    def normal(self, x, size, name):
        with tf.variable_scope(name):
            y = tf.layers.dense(x, size, use_bias=False, kernel_initializer=tf.constant_initializer(0.3))
            return tf.nn.relu(tf.layers.batch_normalization(y, training=self.training, momentum=0.5))

    def slim_normal(self, x):
        with slim.arg_scope([slim.batch_norm], decay=0.5, is_training=True):
            return tf.ones([4, 4]) * slim.batch_norm(x, scope='slim')[:, :1]

    def block(self, x, size, name):
        with tf.variable_scope(name):
            y = self.normal(x, size, 'first')
            return y + tf.cond(tf.equal(tf.shape(x)[1], size), lambda: x,
                               lambda: self.normal(x, size, 'short'))


def main(folder_of, output):
    network = Network()
    random = np.random.RandomState(0)
    kept = {}
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step, (deep, training) in enumerate([(True, True), (True, True), (False, True), (True, False)]):
            feeds = {network.x: random.rand(4, 3), network.deep: deep, network.training: training}
            _, loss = sess.run([network.train_op, network.loss], feeds)
            kept['loss%d' % step] = loss
            for variable in tf.global_variables():
                if 'moving' in variable.op.name:
                    kept['%s %d' % (variable.op.name.replace('/', '.'), step)] = sess.run(variable)
        feeds = {network.x: random.rand(4, 3), network.deep: True, network.training: True}
        kept['loss'] = sess.run(network.loss, feeds)
        for variable in tf.global_variables():
            if 'moving' in variable.op.name:
                kept[variable.op.name.replace('/', '.') + ' after'] = sess.run(variable)
    np.savez(output, **kept)


if __name__ == '__main__':
    main(None, sys.argv[1])
