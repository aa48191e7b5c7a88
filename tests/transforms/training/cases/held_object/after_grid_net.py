"""A small one-shot detector: one box and some class scores for each cell of a grid."""
import tensorflow as tf

import settings as cfg
from tf1_support import graphs
from tf1_support import initializers
from tf1_support import layers
from tf1_support import scopes
from tf1_support import summary


@graphs.building
class GridNet(object):
    """The network, and its loss where it is trained."""

    def __init__(self, classes, training=True):
        self.classes = classes
        self.cells = cfg.CELLS
        self.images = graphs.placeholder(
            tf.float64, [None, cfg.SIZE, cfg.SIZE, 3], name='images')
        self.logits = self.forward(self.images, 5 + classes)
        if training:
            self.labels = graphs.placeholder(tf.float64, [None, self.cells, self.cells, 5 + self.classes])
            self.total_loss = self.loss(self.logits, self.labels)
            summary.scalar('total_loss', self.total_loss)

    def forward(self, images, outputs):
        start = initializers.random_normal_initializer(stddev=0.1, seed=7, dtype=tf.float64)
        with scopes.variable_scope('grid', initializer=start):
            net = layers.conv2d(images, 4, 3, strides=2, padding='same', name='conv1',
                                activation=tf.nn.leaky_relu)
            net = layers.conv2d(net, 6, 3, strides=2, padding='same', name='conv2',
                                activation=tf.nn.leaky_relu)
            return layers.conv2d(net, outputs, 1, name='head')

    def loss(self, logits, labels):
        boxes = tf.reduce_sum(tf.square(logits[..., :4] - labels[..., :4]), -1)
        objects = tf.square(logits[..., 4] - labels[..., 4])
        scores = tf.reduce_sum(tf.square(logits[..., 5:] - labels[..., 5:]), -1)
        return tf.reduce_mean(labels[..., 4] * (boxes + scores) + objects)
