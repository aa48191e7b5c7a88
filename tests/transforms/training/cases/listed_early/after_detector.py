"""A one-shot detector of a body and a head."""
import tensorflow as tf
from tf1_support import initializers
from tf1_support import scopes
from tf1_support import slim


class Detector(object):

    def __init__(self, classes, decay=0.9):
        self.classes = classes
        self.decay = decay

    def forward(self, inputs, is_training):
        start = initializers.truncated_normal_initializer(stddev=0.2, seed=4)
        norm = {'decay': self.decay, 'scale': True, 'is_training': is_training}
        with slim.arg_scope([slim.conv2d], normalizer_fn=slim.batch_norm, normalizer_params=norm,
                            biases_initializer=None, weights_initializer=start,
                            weights_regularizer=slim.l2_regularizer(0.01)):
            with scopes.variable_scope('body'):
                net = slim.conv2d(inputs, 4, 3, stride=2, scope='c1')
            with scopes.variable_scope('head'):
                net = slim.conv2d(net, 4, 1, scope='h1')
                return slim.conv2d(net, 5 + self.classes, 1, normalizer_fn=None, activation_fn=None,
                                   biases_initializer=initializers.zeros_initializer(), scope='h2')

    def loss(self, predicted, truth):
        boxes = tf.reduce_mean(tf.square(predicted[..., :4] - truth[..., :4]))
        rest = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(
            labels=truth[..., 4:], logits=predicted[..., 4:]))
        return [boxes + rest, boxes, rest]
