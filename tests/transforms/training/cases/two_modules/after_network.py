"""The graph of a small network, run by train.py."""
import numpy as np
import tensorflow as tf
from tf1_support import scopes
from tf1_support import initializers
from tf1_support import losses
from tf1_support import optimizers


class Network(object):
    """Scores of `num_classes` classes for rows of `num_features` numbers."""

    def __init__(self, num_features, num_classes, learning_rate):
        self._store = scopes.current_store()

        self.lr = scopes.Variable(learning_rate, trainable=False, dtype=tf.float64, name='lr')

        optimizer = optimizers.GradientDescentOptimizer(self.lr)

        @tf.function(input_signature=[tf.TensorSpec([], tf.float64)])
        def lr_update(new_lr):
            """Runs lr_update.

            Args:
                new_lr: float64 scalar
            """
            self.lr.assign(new_lr)

        self._lr_update = lr_update

        @tf.function(input_signature=[
            tf.TensorSpec([None, num_features], tf.float64),
            tf.TensorSpec([None], tf.int64),
        ])
        def train_step(features, labels):
            """One training step; returns cost.

            Args:
                features: float64 [None, num_features]
                labels: int64 [None]
            """
            with self._store.run():
                net = self._layer(features, 5, 'first', is_training=tf.constant(True))
                net = tf.nn.relu(net)
                scores = self._layer(net, num_classes, 'scores', is_training=tf.constant(True))
                cost = losses.sparse_softmax_cross_entropy(labels, scores)
                tvars = scopes.trainable_variables()
                grads, _ = tf.clip_by_global_norm(tf.gradients(cost, tvars), 0.5)
            optimizer.apply_gradients(zip(grads, tvars))
            return cost

        self.train_step = train_step

        @tf.function(input_signature=[tf.TensorSpec([None, num_features], tf.float64)])
        def predict(features):
            """Computes scores.

            Args:
                features: float64 [None, num_features]
            """
            with self._store.run():
                net = self._layer(features, 5, 'first', is_training=tf.constant(False))
                net = tf.nn.relu(net)
                scores = self._layer(net, num_classes, 'scores', is_training=tf.constant(False))
            return scores

        self.predict = predict

    def _layer(self, inputs, size, name, is_training):
        count = inputs.get_shape().as_list()[-1]
        with scopes.variable_scope(name):
            w = scopes.get_variable('w', [count, size], tf.float64,
                                initializers.constant_initializer(np.cos(np.arange(count * size))))
            net = tf.matmul(inputs, w)
            return tf.cond(is_training, lambda: net * 1.1, lambda: net)

    def assign_lr(self, lr_value):
        self._lr_update(lr_value)
