"""The graph of a small network, run by train.py."""
import numpy as np
import tensorflow as tf
from tf1_support import graphs
from tf1_support import initializers
from tf1_support import losses
from tf1_support import optimizers
from tf1_support import scopes


class Network(object):
    """Scores of `num_classes` classes for rows of `num_features` numbers."""

    def __init__(self, num_features, num_classes, learning_rate):
        self._features = graphs.placeholder(tf.float64, [None, num_features], name='features')
        self._labels = graphs.placeholder(tf.int64, [None], name='labels')
        self._is_training = graphs.placeholder(tf.bool, [], name='is_training')

        net = self._layer(self._features, 5, 'first')
        net = tf.nn.relu(net)
        self._scores = self._layer(net, num_classes, 'scores')
        self._cost = losses.sparse_softmax_cross_entropy(self._labels, self._scores)
        self.lr = scopes.Variable(learning_rate, trainable=False, dtype=tf.float64, name='lr')
        self.new_lr = graphs.placeholder(tf.float64, shape=[], name='new_lr')
        self.lr_update = self.lr.assign(self.new_lr)

        tvars = scopes.trainable_variables()
        grads, _ = tf.clip_by_global_norm(tf.gradients(self._cost, tvars), 0.5)
        optimizer = optimizers.GradientDescentOptimizer(self.lr)
        self._train_op = optimizer.apply_gradients(zip(grads, tvars))

    def _layer(self, inputs, size, name):
        count = inputs.get_shape().as_list()[-1]
        with scopes.variable_scope(name):
            w = scopes.get_variable('w', [count, size], tf.float64,
                                initializers.constant_initializer(np.cos(np.arange(count * size))))
            net = tf.matmul(inputs, w)
            return tf.cond(self._is_training, lambda: net * 1.1, lambda: net)

    def assign_lr(self, lr_value):
        lr_update_step = graphs.function([self.new_lr], self.lr_update)
        lr_update_step(lr_value)

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
