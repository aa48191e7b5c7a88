"""Two networks of one class in one graph: the variables of each are in a scope of its own."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import scopes
from tf1_support import initializers
from tf1_support import layers
from tf1_support import optimizers


class Network(object):
    def __init__(self, scope, size):
        self._store = scopes.current_store()
        with scopes.variable_scope(scope):
            self._build(size)

        @tf.function(input_signature=[
            tf.TensorSpec([None, 3], tf.float64),
            tf.TensorSpec([None], tf.float64),
        ])
        def train_step(x, y):
            """One training step; returns loss.

            Args:
                x: float64 [None, 3]
                y: float64 [None]
            """
            with self._store.run(), tf.GradientTape() as tape:
                with scopes.variable_scope(scope):
                    hidden = layers.dense(x, self._size, kernel_initializer=self._first)
                    score = layers.dense(tf.nn.relu(hidden), 1, kernel_initializer=self._second)
                    score = tf.squeeze(score, axis=1)
                    loss = tf.reduce_mean(tf.math.squared_difference(score, y))
            variables = self._store.trainable_variables
            gradients = tape.gradient(loss, variables)
            self.optimizer.apply_gradients(zip(gradients, variables))
            return loss

        self._train_step = train_step

        @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float64)])
        def predict(x):
            """Computes score.

            Args:
                x: float64 [None, 3]
            """
            with self._store.run():
                with scopes.variable_scope(scope):
                    hidden = layers.dense(x, self._size, kernel_initializer=self._first)
                    score = layers.dense(tf.nn.relu(hidden), 1, kernel_initializer=self._second)
                    score = tf.squeeze(score, axis=1)
            return score

        self._predict = predict

    def _build(self, size):
        self._size = size
        self._first = initializers.constant_initializer(np.linspace(-1.0, 1.2, 3 * self._size))
        self._second = initializers.constant_initializer(np.linspace(-0.5, 0.7, self._size))
        self.optimizer = optimizers.RMSPropOptimizer(0.02)

    def update(self, x, y):
        loss = self._train_step(x, y).numpy()
        return loss

    def predict(self, x):
        return self._predict(x).numpy()


def main(output):
    rng = np.random.RandomState(5)
    x, y = rng.uniform(size=(6, 3)), rng.uniform(size=6)
    first, second = Network('first', 3), Network('second', 3)
    losses = [first.update(x, y) for _ in range(3)]
    losses.append(second.update(x, y))
    np.savez(output, losses=losses, scores=[first.predict(x), second.predict(x)])


if __name__ == '__main__':
    main(sys.argv[1])
