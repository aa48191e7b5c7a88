"""A network that both programs of before.py build."""
import numpy as np
import tensorflow as tf
from tf1_support import layers
from tf1_support import scopes
from tf1_support import slim


def fixed(shape, dtype=None, partition_info=None):
    return tf.constant(0.3 * np.sin(np.arange(np.prod(shape))).reshape(shape), dtype)


def network(inputs, is_training):
    with scopes.variable_scope('network'):
        net = layers.dense(inputs, 4, kernel_initializer=fixed, name='hidden')
        net = layers.batch_normalization(net, training=is_training, momentum=0.9, name='norm')
        weights = scopes.get_variable('weights', [4, 3], initializer=fixed, dtype=tf.float64)
        net = tf.nn.relu(tf.matmul(net, weights))
        return slim.fully_connected(net, 2, scope='logits', activation_fn=None,
                                    weights_initializer=fixed,
                                    weights_regularizer=slim.l2_regularizer(0.1))
