"""Trains a text classifier and predicts with it, which needs neither labels nor dropout's rate."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import graphs
from tf1_support import initializers
from tf1_support import optimizers
from tf1_support import scopes


class TextNet(object):

    def __init__(self, length, classes, vocabulary, size):
        self.input_x = graphs.placeholder(tf.int32, [None, length], name='input_x')
        self.input_y = graphs.placeholder(tf.float64, [None, classes], name='input_y')
        self.weight = graphs.placeholder(tf.float64, name='weight')
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


@graphs.building
def main(path):
    rng = np.random.RandomState(0)
    x = rng.randint(0, 20, (12, 6))
    y = np.eye(3)[rng.randint(0, 3, 12)]
    model = TextNet(6, 3, 20, 8)
    train_op = optimizers.AdamOptimizer(0.05).minimize(model.loss)
    history = []
    train_step = graphs.function(
        [model.input_x, model.input_y, model.weight],
        [train_op, model.loss, model.accuracy])
    for _ in range(3):
        _, loss, accuracy = train_step(x, y, 0.5)
        history.append([loss, accuracy])
    compute_predictions_and_scores = graphs.function(
        [model.input_x],
        [model.predictions, model.scores])
    predicted, scores = compute_predictions_and_scores(x[:4])
    np.savez(path, history=history, predicted=predicted, scores=scores)


if __name__ == '__main__':
    main(sys.argv[1])
