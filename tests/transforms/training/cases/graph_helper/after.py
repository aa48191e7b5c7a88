"""Linear regression whose graph is built by a helper."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import optimizers
from tf1_support import scopes


def main(output):
    # Builds the regression.
    num_features = 3
    rate = 0.2
    w = scopes.Variable(np.linspace(-1, 1, num_features), name='w')
    optimizer = optimizers.GradientDescentOptimizer(rate)

    @tf.function(input_signature=[
        tf.TensorSpec([None, num_features], tf.float64),
        tf.TensorSpec([None], tf.float64),
    ])
    def train_step(inputs, targets):
        """One training step; returns loss.

        Args:
            inputs: float64 [None, num_features]
            targets: float64 [None]
        """
        with tf.GradientTape() as tape:
            prediction = tf.reduce_sum(inputs * w, axis=1)
            # Half the mean square.
            loss = tf.reduce_mean(tf.square(prediction - targets)) / 2
        gradients = tape.gradient(loss, [w])
        optimizer.apply_gradients(zip(gradients, [w]))
        return loss

    @tf.function(input_signature=[
        tf.TensorSpec([None, num_features], tf.float64),
    ])
    def predict(inputs):
        """Computes prediction.

        Args:
            inputs: float64 [None, num_features]
        """
        return tf.reduce_sum(inputs * w, axis=1)

    rng = np.random.RandomState(0)
    losses = []
    for _ in range(3):
        data = rng.normal(size=(5, 3))
        value = train_step(data, data[:, 0]).numpy()
        losses.append(value)
    predicted = predict(data).numpy()
    np.savez(output, losses=losses, predicted=predicted)


if __name__ == '__main__':
    main(sys.argv[1])
