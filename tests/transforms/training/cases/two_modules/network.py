"""The graph of a small network, run by train.py."""
import numpy as np
import tensorflow as tf


class Network(object):
    """Scores of `num_classes` classes for rows of `num_features` numbers."""

    def __init__(self, num_features, num_classes, learning_rate):
        self._features = tf.placeholder(tf.float64, [None, num_features], name='features')
        self._labels = tf.placeholder(tf.int64, [None], name='labels')
        self._is_training = tf.placeholder(tf.bool, [], name='is_training')

        net = self._layer(self._features, 5, 'first')
        net = tf.nn.relu(net)
        self._scores = self._layer(net, num_classes, 'scores')
        self._cost = tf.losses.sparse_softmax_cross_entropy(self._labels, self._scores)
        self.lr = tf.Variable(learning_rate, trainable=False, dtype=tf.float64, name='lr')
        self.new_lr = tf.placeholder(tf.float64, shape=[], name='new_lr')
        self.lr_update = tf.assign(self.lr, self.new_lr)

        tvars = tf.trainable_variables()
        grads, _ = tf.clip_by_global_norm(tf.gradients(self._cost, tvars), 0.5)
        optimizer = tf.train.GradientDescentOptimizer(self.lr)
        self._train_op = optimizer.apply_gradients(zip(grads, tvars))

    def _layer(self, inputs, size, name):
        count = inputs.get_shape().as_list()[-1]
        with tf.variable_scope(name):
            w = tf.get_variable('w', [count, size], tf.float64,
                                tf.constant_initializer(np.cos(np.arange(count * size))))
            net = tf.matmul(inputs, w)
            return tf.cond(self._is_training, lambda: net * 1.1, lambda: net)

    def assign_lr(self, session, lr_value):
        session.run(self.lr_update, feed_dict={self.new_lr: lr_value})

    @property
    def features(self):
        return self._features

    @property
    def labels(self):
        return self._labels

    @property
    def is_training(self):
        return self._is_training

    @property
    def scores(self):
        return self._scores

    @property
    def cost(self):
        return self._cost

    @property
    def train_op(self):
        return self._train_op
