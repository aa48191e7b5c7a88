"""The session is handed to the functions that run the graph."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import optimizers
from tf1_support import scopes

w = scopes.Variable(np.array([0.5, -0.5]), name='w')


@tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float64)])
def predict(x):
    """Computes prediction.

    Args:
        x: float64 [None, 2]
    """
    return tf.reduce_sum(x * w, axis=1)


optimizer = optimizers.AdamOptimizer(0.05)


@tf.function(input_signature=[
    tf.TensorSpec([None, 2], tf.float64),
    tf.TensorSpec([None], tf.float64),
])
def train_step(x, y):
    """One training step; returns loss.

    Args:
        x: float64 [None, 2]
        y: float64 [None]
    """
    with tf.GradientTape() as tape:
        prediction = tf.reduce_sum(x * w, axis=1)
        loss = tf.reduce_mean(tf.square(prediction - y))
    gradients = tape.gradient(loss, [w])
    optimizer.apply_gradients(zip(gradients, [w]))
    return loss


def train_epoch(batches):
    """Trains on every batch; returns the mean loss."""
    total = 0.0
    for batch_x, batch_y in batches:
        value = train_step(batch_x, batch_y).numpy()
        total += value
    return total / len(batches)


def evaluate(batch):
    return predict(batch).numpy()


def main(output):
    rng = np.random.RandomState(3)
    batches = [(rng.normal(size=(4, 2)), rng.normal(size=4)) for _ in range(3)]
    means = [train_epoch(batches) for _ in range(2)]
    predicted = evaluate(batches[0][0])
    np.savez(output, means=means, predicted=predicted)


if __name__ == '__main__':
    main(sys.argv[1])
