"""An object built by several methods; the loop fills its feed by keys and fetches a dict."""
import sys

import numpy as np
import tensorflow as tf


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
        self.rows = tf.placeholder(tf.float64, [None, 3, self.settings.features], name='rows')
        self.labels = tf.placeholder(tf.int32, [None], name='labels')
        self.is_training = tf.placeholder(tf.bool, name='is_training')

    def add_attention(self):
        with tf.variable_scope('attention'):
            hidden = tf.layers.dense(
                self.rows, self.settings.hidden, activation=tf.tanh, name='hidden',
                kernel_initializer=tf.constant_initializer(np.sin(np.arange(20))))
            query = tf.get_variable(
                'query', [self.settings.hidden], tf.float64, tf.constant_initializer(0.3))
            self.weights = tf.nn.softmax(tf.reduce_sum(hidden * query, -1), axis=1)
            self.mean = tf.reduce_sum(hidden * tf.expand_dims(self.weights, -1), axis=1)

    def add_classifier(self):
        normed = tf.layers.batch_normalization(
            self.mean, training=self.is_training, momentum=0.9, name='norm')
        self.logits = tf.layers.dense(
            normed, self.num_classes, name='out',
            kernel_initializer=tf.constant_initializer(np.cos(np.arange(15))))
        self.loss = tf.losses.sparse_softmax_cross_entropy(self.labels, self.logits)
        hits = tf.equal(tf.argmax(self.logits, 1, output_type=tf.int32), self.labels)
        self.accuracy = tf.reduce_mean(tf.cast(hits, tf.float64))


def main(output):
    rng = np.random.RandomState(8)
    rows, labels = rng.normal(size=(12, 3, 4)), rng.randint(0, 3, 12)
    settings = Settings()
    history, evaluated = [], []
    with tf.Session() as sess:
        model = Attention(settings)
        global_step = tf.Variable(0, trainable=False, name='global_step')
        rate = tf.train.exponential_decay(settings.rate, global_step, 2, 0.5, staircase=True)
        optimizer = tf.train.AdamOptimizer(rate)
        tvars = tf.trainable_variables()
        grads, _ = tf.clip_by_global_norm(tf.gradients(model.loss, tvars), settings.clip)
        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            train_op = optimizer.apply_gradients(zip(grads, tvars), global_step=global_step)
        sess.run(tf.global_variables_initializer())
        for epoch in range(2):
            for start in range(0, 12, 6):
                feed_dict = {}
                feed_dict[model.rows] = rows[start:start + 6]
                feed_dict[model.labels] = labels[start:start + 6]
                feed_dict[model.is_training] = True
                fetches = {'loss': model.loss, 'accuracy': model.accuracy, 'train': train_op}
                values = sess.run(fetches, feed_dict)
                history.append([values['loss'], values['accuracy']])
            evaluated.append(sess.run(
                [model.loss, model.accuracy],
                feed_dict={model.rows: rows, model.labels: labels, model.is_training: False}))
    np.savez(output, history=history, evaluated=evaluated)


if __name__ == '__main__':
    main(sys.argv[1])
