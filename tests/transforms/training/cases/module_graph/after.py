"""The graph is at module level, functions open sessions on it."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import optimizers

BATCH = 4

weights = {
    'hidden': tf.Variable(0.1 * np.arange(12.0).reshape(3, 4)),
    'out': tf.Variable(np.linspace(-0.5, 0.5, 4).reshape(4, 1)),
}


def network(x):
    hidden = tf.nn.sigmoid(tf.matmul(x, weights['hidden']))
    return tf.squeeze(tf.matmul(hidden, weights['out']), axis=1)


adam_optimizer = optimizers.AdamOptimizer(learning_rate=0.01)


@tf.function(input_signature=[
    tf.TensorSpec([BATCH, 3], tf.float64),
    tf.TensorSpec([BATCH], tf.float64),
])
def train_step(inputs, targets):
    """One training step.

    Args:
        inputs: float64 [BATCH, 3]
        targets: float64 [BATCH]
    """
    with tf.GradientTape() as tape:
        outputs = network(inputs)
        cost = tf.reduce_sum(tf.pow(outputs - targets, 2)) / (2 * BATCH)
    gradients = tape.gradient(cost, [*weights.values()])
    adam_optimizer.apply_gradients(zip(gradients, [*weights.values()]))


@tf.function(input_signature=[
    tf.TensorSpec([BATCH, 3], tf.float64),
    tf.TensorSpec([BATCH], tf.float64),
])
def compute_cost(inputs, targets):
    """Computes cost.

    Args:
        inputs: float64 [BATCH, 3]
        targets: float64 [BATCH]
    """
    outputs = network(inputs)
    return tf.reduce_sum(tf.pow(outputs - targets, 2)) / (2 * BATCH)


def data(step):
    rng = np.random.RandomState(step)
    return rng.normal(size=(BATCH, 3)), rng.normal(size=BATCH)


def main(path):
    costs = []
    for step in range(3):
        x, y = data(step)
        train_step(x, y)
        costs.append(compute_cost(x, y).numpy())
    final = {name: value.numpy() for name, value in weights.items()}
    np.savez(path, costs=costs, hidden=final['hidden'], out=final['out'])


if __name__ == '__main__':
    main(sys.argv[1])
