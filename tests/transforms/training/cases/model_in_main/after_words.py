"""A text classifier; its settings and its graph are objects."""
import numpy as np
import tensorflow as tf
from tf1_support import graphs
from tf1_support import optimizers
from tf1_support import scopes


class Settings(object):
    length = 5
    vocabulary = 11
    size = 4
    classes = 2
    rate = 0.2


@graphs.building
class WordModel(object):
    def __init__(self, settings):
        self.settings = settings
        self.input_x = graphs.placeholder(tf.int32, [None, settings.length], name='input_x')
        self.input_y = graphs.placeholder(tf.float64, [None, settings.classes], name='input_y')
        self.build()

    def build(self):
        s = self.settings
        table = np.linspace(-1.0, 1.0, s.vocabulary * s.size).reshape(s.vocabulary, s.size)
        weight = np.linspace(1.0, -1.0, s.size * s.classes).reshape(s.size, s.classes)
        with tf.name_scope('score'):
            embedded = tf.nn.embedding_lookup(scopes.get_variable('table', initializer=table),
                                              self.input_x)
            pooled = tf.reduce_max(embedded, axis=1)
            self.logits = tf.matmul(pooled, scopes.get_variable('weight', initializer=weight))
            self.predicted = tf.argmax(self.logits, 1)
        self.loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(
            labels=self.input_y, logits=self.logits, axis=-1))
        self.optim = optimizers.AdamOptimizer(s.rate).minimize(self.loss)
