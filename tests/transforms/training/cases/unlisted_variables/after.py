"""Variables that a dict or a function holds are trained beside those with names of their own."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import optimizers
from tf1_support import scopes


def make_weights(size):
    weights = {}
    weights['w'] = scopes.Variable(np.ones([size, 1]))
    weights['b'] = scopes.Variable(np.zeros([1]))
    return weights


def main(output):
    weights = make_weights(4)
    scale = scopes.Variable(np.array(1.5))
    more = {}
    more['shift'] = scopes.Variable(np.array(2.0))
    optimizer = optimizers.GradientDescentOptimizer(0.01)

    @tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float64)])
    def train_step(x):
        """One training step; returns loss.

        Args:
            x: float64 [None, 4]
        """
        with tf.GradientTape() as tape:
            predicted = tf.matmul(x, weights['w']) + weights['b'] * more['shift']
            loss = tf.reduce_mean(tf.square(predicted * scale))
        gradients = tape.gradient(loss, tape.watched_variables())
        optimizer.apply_gradients(zip(gradients, tape.watched_variables()))
        return loss

    rng = np.random.RandomState(0)
    losses = []
    for _ in range(4):
        value = train_step(rng.rand(3, 4)).numpy()
        losses.append(value)
    np.savez(output, losses=losses)


if __name__ == '__main__':
    main(sys.argv[1])
