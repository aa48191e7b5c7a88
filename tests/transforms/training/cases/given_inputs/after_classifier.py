"""A text classifier whose object makes its inputs, its network and its loss."""
import numpy as np
import tensorflow as tf
from tf1_support import graphs
from tf1_support import initializers
from tf1_support import scopes


class SentenceClassifier(object):
    """Embeds words, convolves over them with filters of several widths, and pools.

    Args:
        length: words in a sentence.
        num_classes: labels to tell apart.
        vocabulary: number of words.
        widths: of the filters.
    """

    def __init__(self, length, num_classes, vocabulary, widths, penalty=0.0):
        # what is fed
        self.words = graphs.placeholder(tf.int32, [None, length], name='words')
        self.labels = graphs.placeholder(tf.float64, [None, num_classes], name='labels')
        self.keep_prob = graphs.placeholder(tf.float64, name='keep_prob')

        with tf.name_scope('embedding'):
            table = scopes.Variable(
                np.sin(np.arange(vocabulary * 4)).reshape(vocabulary, 4), name='table')
            embedded = tf.expand_dims(tf.nn.embedding_lookup(table, self.words), -1)

        pooled = []
        for width in widths:
            with tf.name_scope('conv-%d' % width):
                kernel = scopes.Variable(
                    np.cos(np.arange(width * 4 * 3)).reshape(width, 4, 1, 3), name='W')
                bias = scopes.Variable(np.full(3, 0.1), name='b')
                conv = tf.nn.conv2d(embedded, kernel, strides=[1, 1, 1, 1], padding='VALID')
                active = tf.nn.relu(tf.nn.bias_add(conv, bias))
                pooled.append(tf.reduce_max(active, [1, 2]))
        features = tf.nn.dropout(tf.concat(pooled, 1), rate=1 - self.keep_prob)

        with tf.name_scope('output'):
            W = scopes.get_variable('W', [3 * len(widths), num_classes], tf.float64,
                                    initializers.constant_initializer(0.2))
            b = scopes.Variable(np.linspace(-0.1, 0.1, num_classes), name='b')
            self.scores = tf.nn.bias_add(tf.matmul(features, W), b)
        with tf.name_scope('loss'):
            losses = tf.nn.softmax_cross_entropy_with_logits(
                labels=tf.stop_gradient(self.labels), logits=self.scores, axis=-1)
            self.loss = tf.reduce_mean(losses) + penalty * tf.nn.l2_loss(W)
        with tf.name_scope('accuracy'):
            hits = tf.equal(tf.argmax(self.scores, 1), tf.argmax(self.labels, 1))
            self.accuracy = tf.reduce_mean(tf.cast(hits, tf.float64))
