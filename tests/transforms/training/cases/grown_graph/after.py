"""A graph that grows after its first run; inputs that have two names; weights in a list."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import optimizers

weights = []
for scale in (1.0, 0.5):
    weights.append(tf.Variable(np.full([2, 2], scale)))


@tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float64)])
def compute_hidden(x):
    """Computes hidden.

    Args:
        x: float64 [None, 2]
    """
    return tf.matmul(x, weights[0])


data = np.random.RandomState(1).uniform(-1, 1, (5, 2))
first = compute_hidden(data).numpy()


@tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float64)])
def predict(x):
    """Computes [output] + [hidden].

    Args:
        x: float64 [None, 2]
    """
    hidden = tf.matmul(x, weights[0])
    given, largest = x, np.abs(first).max()
    output = tf.matmul(hidden / largest, weights[1])
    return [output] + [hidden]


optimizer = optimizers.GradientDescentOptimizer(0.3)


@tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float64)])
def train_step(x):
    """One training step; returns loss.

    Args:
        x: float64 [None, 2]
    """
    with tf.GradientTape() as tape:
        hidden = tf.matmul(x, weights[0])
        given, largest = x, np.abs(first).max()
        output = tf.matmul(hidden / largest, weights[1])
        loss = tf.reduce_mean(tf.square(output - given))
    gradients = tape.gradient(loss, tape.watched_variables())
    optimizer.apply_gradients(zip(gradients, tape.watched_variables()))
    return loss


losses = [train_step(data).numpy() for _ in range(3)]
parts = tf.nest.map_structure(lambda t: t.numpy(), predict(data))
np.savez(sys.argv[1], first=first, losses=losses, output=parts[0], hidden=parts[1],
         weights=tf.nest.map_structure(lambda t: t.numpy(), weights))
