"""An object built by several methods; the loop fills its feed by keys and fetches a dict."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import scopes
from tf1_support import initializers
from tf1_support import layers
from tf1_support import losses
from tf1_support import optimizers
from tf1_support import schedules


class Settings(object):
    features = 4
    hidden = 5
    classes = 3
    rate = 0.05
    clip = 0.8


class Attention(object):
    """Weighs the rows of each example, and classifies their mean."""

    def __init__(self, rows, labels, is_training, settings):
        self.rows = rows
        self.labels = labels
        self.is_training = is_training
        self.settings = settings
        self.num_classes = settings.classes
        self.add_attention()
        self.add_classifier()

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


def main(output):
    rng = np.random.RandomState(8)
    rows, labels = rng.normal(size=(12, 3, 4)), rng.randint(0, 3, 12)
    settings = Settings()
    history, evaluated = [], []
    global_step = scopes.Variable(0, trainable=False, name='global_step')
    rate = schedules.exponential_decay(settings.rate, global_step, 2, 0.5, staircase=True)
    optimizer = optimizers.AdamOptimizer(rate)
    store = scopes.current_store()

    @tf.function(input_signature=[
        tf.TensorSpec([None, 3, settings.features], tf.float64),
        tf.TensorSpec([None], tf.int32),
    ])
    def train_step(model_rows, model_labels):
        """One training step; returns loss and accuracy.

        Args:
            model_rows: float64 [None, 3, settings.features]
            model_labels: int32 [None]
        """
        with store.run(apply_updates=True):
            model = Attention(model_rows, model_labels, True, settings)
            tvars = scopes.trainable_variables()
            grads, _ = tf.clip_by_global_norm(tf.gradients(model.loss, tvars), settings.clip)
        optimizer.apply_gradients(zip(grads, tvars), global_step=global_step)
        return {'loss': model.loss, 'accuracy': model.accuracy}

    @tf.function(input_signature=[
        tf.TensorSpec([None, 3, settings.features], tf.float64),
        tf.TensorSpec([None], tf.int32),
    ])
    def evaluate_step(model_rows, model_labels):
        """Computes model.loss and model.accuracy.

        Args:
            model_rows: float64 [None, 3, settings.features]
            model_labels: int32 [None]
        """
        with store.run():
            model = Attention(model_rows, model_labels, False, settings)
        return model.loss, model.accuracy

    for epoch in range(2):
        for start in range(0, 12, 6):
            feed_dict = {}
            feed_dict['model_rows'] = rows[start:start + 6]
            feed_dict['model_labels'] = labels[start:start + 6]
            values = tf.nest.map_structure(lambda t: t.numpy(), train_step(**feed_dict))
            history.append([values['loss'], values['accuracy']])
        outputs = evaluate_step(rows, labels)
        evaluated.append(tf.nest.map_structure(lambda t: t.numpy(), outputs))
    np.savez(output, history=history, evaluated=evaluated)


if __name__ == '__main__':
    main(sys.argv[1])
