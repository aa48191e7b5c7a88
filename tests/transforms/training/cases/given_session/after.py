"""A model that is given the session it works in."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import scopes
from tf1_support import optimizers


class Regressor(object):
    """Linear regression."""

    def __init__(self, num_features, rate=0.1):
        self.num_features = num_features
        self.build_model(rate)

    def build_model(self, rate):
        self.w = scopes.Variable(np.linspace(-1, 1, self.num_features))
        optimizer = optimizers.GradientDescentOptimizer(rate)

        @tf.function(input_signature=[
            tf.TensorSpec([None, self.num_features], tf.float64),
            tf.TensorSpec([None], tf.float64),
        ])
        def train_step(x, y):
            """One training step; returns loss.

            Args:
                x: float64 [None, self.num_features]
                y: float64 [None]
            """
            with tf.GradientTape() as tape:
                prediction = tf.reduce_sum(x * self.w, axis=1)
                loss = tf.reduce_mean(tf.square(prediction - y))
            gradients = tape.gradient(loss, [self.w])
            optimizer.apply_gradients(zip(gradients, [self.w]))
            return loss

        self._train_step = train_step

        @tf.function(input_signature=[tf.TensorSpec([None, self.num_features], tf.float64)])
        def predict(x):
            """Computes prediction.

            Args:
                x: float64 [None, self.num_features]
            """
            return tf.reduce_sum(x * self.w, axis=1)

        self._predict = predict

    def fit(self, x, y):
        loss = self._train_step(x, y).numpy()
        return loss

    def predict(self, x):
        return self._predict(x).numpy()


def main(output):
    rng = np.random.RandomState(5)
    model = Regressor(3)
    losses = []
    for _ in range(3):
        x = rng.normal(size=(4, 3))
        losses.append(model.fit(x, rng.normal(size=4)))
    predicted = model.predict(x)
    np.savez(output, losses=losses, predicted=predicted)


if __name__ == '__main__':
    main(sys.argv[1])
