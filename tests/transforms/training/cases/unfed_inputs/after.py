"""Trains a text classifier and predicts with it, which needs neither labels nor dropout's rate."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import feeds
from tf1_support import scopes
from tf1_support import initializers
from tf1_support import optimizers


class TextNet(object):

    def __init__(self, input_x, input_y, weight, length, classes, vocabulary, size):
        self.input_x = input_x
        self.input_y = input_y
        self.weight = weight
        start = initializers.random_uniform_initializer(-1, 1, seed=1, dtype=tf.float64)
        table = scopes.get_variable('table', [vocabulary, size], tf.float64, initializer=start)
        hidden = tf.tanh(tf.reduce_mean(tf.nn.embedding_lookup(table, self.input_x), 1))
        w = scopes.get_variable('w', [size, classes], tf.float64, initializer=start)
        b = scopes.get_variable('b', [classes], tf.float64, initializer=initializers.zeros_initializer())
        self.scores = tf.nn.bias_add(tf.matmul(hidden, w), b, name='scores')
        self.predictions = tf.argmax(self.scores, 1, name='predictions')
        losses = tf.nn.softmax_cross_entropy_with_logits(labels=tf.stop_gradient(self.input_y), logits=self.scores, axis=-1)
        self.loss = self.weight * tf.reduce_mean(losses)
        correct = tf.equal(self.predictions, tf.argmax(self.input_y, 1))
        self.accuracy = tf.reduce_mean(tf.cast(correct, tf.float64))


def main(path):
    rng = np.random.RandomState(0)
    x = rng.randint(0, 20, (12, 6))
    y = np.eye(3)[rng.randint(0, 3, 12)]
    optimizer = optimizers.AdamOptimizer(0.05)
    store = scopes.current_store()

    @tf.function(input_signature=[
        tf.TensorSpec([None, 6], tf.int32),
        tf.TensorSpec([None, 3], tf.float64),
        tf.TensorSpec(None, tf.float64),
    ])
    def train_step(input_x, input_y, weight):
        """One training step; returns model.loss and model.accuracy.

        Args:
            input_x: int32 [None, 6]
            input_y: float64 [None, 3]
            weight: float64 of any shape
        """
        with store.run(), tf.GradientTape() as tape:
            model = TextNet(input_x, input_y, weight, 6, 3, 20, 8)
        variables = store.trainable_variables
        gradients = tape.gradient(model.loss, variables)
        optimizer.apply_gradients(zip(gradients, variables))
        return model.loss, model.accuracy

    @tf.function(input_signature=[tf.TensorSpec([None, 6], tf.int32)])
    def predict(input_x):
        """Computes model.predictions and model.scores.

        Args:
            input_x: int32 [None, 6]
        """
        with store.run():
            input_y = feeds.unfed(tf.TensorSpec([None, 3], tf.float64))
            weight = feeds.unfed(tf.TensorSpec(None, tf.float64))
            model = TextNet(input_x, input_y, weight, 6, 3, 20, 8)
        return model.predictions, model.scores

    history = []
    for _ in range(3):
        loss, accuracy = tf.nest.map_structure(lambda t: t.numpy(), train_step(x, y, 0.5))
        history.append([loss, accuracy])
    predicted, scores = tf.nest.map_structure(lambda t: t.numpy(), predict(x[:4]))
    np.savez(path, history=history, predicted=predicted, scores=scores)


if __name__ == '__main__':
    main(sys.argv[1])
