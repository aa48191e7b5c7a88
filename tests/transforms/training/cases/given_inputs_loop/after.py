"""An object built by several methods; the loop fills its feed by keys and fetches a dict."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import graphs
from tf1_support import initializers
from tf1_support import layers
from tf1_support import losses
from tf1_support import optimizers
from tf1_support import schedules
from tf1_support import scopes


class Settings(object):
    features = 4
    hidden = 5
    classes = 3
    rate = 0.05
    clip = 0.8


class Attention(object):
    """Weighs the rows of each example, and classifies their mean."""

    def __init__(self, settings):
        self.settings = settings
        self.num_classes = settings.classes
        self.add_placeholders()
        self.add_attention()
        self.add_classifier()

    def add_placeholders(self):
        self.rows = graphs.placeholder(tf.float64, [None, 3, self.settings.features], name='rows')
        self.labels = graphs.placeholder(tf.int32, [None], name='labels')
        self.is_training = graphs.placeholder(tf.bool, name='is_training')

    def add_attention(self):
        with scopes.variable_scope('attention'):
            hidden = layers.dense(
                self.rows, self.settings.hidden, activation=tf.tanh, name='hidden',
                kernel_initializer=initializers.constant_initializer(np.sin(np.arange(20))))
            query = scopes.get_variable(
                'query', [self.settings.hidden], tf.float64, initializers.constant_initializer(0.3))
            self.weights = tf.nn.softmax(tf.reduce_sum(hidden * query, -1), axis=1)
            self.mean = tf.reduce_sum(hidden * tf.expand_dims(self.weights, -1), axis=1)

    def add_classifier(self):
        normed = layers.batch_normalization(
            self.mean, training=self.is_training, momentum=0.9, name='norm')
        self.logits = layers.dense(
            normed, self.num_classes, name='out',
            kernel_initializer=initializers.constant_initializer(np.cos(np.arange(15))))
        self.loss = losses.sparse_softmax_cross_entropy(self.labels, self.logits)
        hits = tf.equal(tf.argmax(self.logits, 1, output_type=tf.int32), self.labels)
        self.accuracy = tf.reduce_mean(tf.cast(hits, tf.float64))


@graphs.building
def main(output):
    rng = np.random.RandomState(8)
    rows, labels = rng.normal(size=(12, 3, 4)), rng.randint(0, 3, 12)
    settings = Settings()
    history, evaluated = [], []
    model = Attention(settings)
    global_step = scopes.Variable(0, trainable=False, name='global_step')
    rate = schedules.exponential_decay(settings.rate, global_step, 2, 0.5, staircase=True)
    optimizer = optimizers.AdamOptimizer(rate)
    tvars = scopes.trainable_variables()
    grads, _ = tf.clip_by_global_norm(tf.gradients(model.loss, tvars), settings.clip)
    with tf.control_dependencies(scopes.get_collection(scopes.GraphKeys.UPDATE_OPS)):
        train_op = optimizer.apply_gradients(zip(grads, tvars), global_step=global_step)
    compute_loss_and_accuracy = graphs.function(
        [model.rows, model.labels, model.is_training],
        [model.loss, model.accuracy])
    for epoch in range(2):
        for start in range(0, 12, 6):
            feed_dict = {}
            feed_dict[model.rows] = rows[start:start + 6]
            feed_dict[model.labels] = labels[start:start + 6]
            feed_dict[model.is_training] = True
            fetches = {'loss': model.loss, 'accuracy': model.accuracy, 'train': train_op}
            values = graphs.run(fetches, feed_dict)
            history.append([values['loss'], values['accuracy']])
        evaluated.append(compute_loss_and_accuracy(rows, labels, False))
    np.savez(output, history=history, evaluated=evaluated)


if __name__ == '__main__':
    main(sys.argv[1])
