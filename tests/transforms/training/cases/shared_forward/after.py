"""Three runs of one network: two halves that some share, a scope that goes on, and a list of parts."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import scopes
from tf1_support import optimizers


def start(shape):
    return 0.3 * np.sin(np.arange(np.prod(shape), dtype=np.float64) + len(shape)).reshape(shape)


optimizer = optimizers.MomentumOptimizer(0.05, 0.9)
store = scopes.current_store()


def forward(x):
    """Computes weights and code for the steps."""
    weights = {name: scopes.get_variable(name, initializer=start(shape)) for name, shape in (
        ('w1', [6, 4]), ('w2', [4, 2]), ('w3', [2, 4]), ('w4', [4, 6]))}
    # the first half
    with tf.name_scope('encoder'):
        hidden = tf.nn.tanh(tf.matmul(x, weights['w1']))
        parts = [hidden * scale for scale in (0.5, 0.25)]
        both = tf.add_n(parts)
        code = tf.matmul(both, weights['w2'])
    return weights, code


@tf.function(input_signature=[
    tf.TensorSpec([None, 6], tf.float64),
    tf.TensorSpec([], tf.float64),
])
def train_step(x, keep):
    """One training step; returns loss.

    Args:
        x: float64 [None, 6]; what is told again
        keep: float64 scalar
    """
    with store.run(), tf.GradientTape() as tape:
        weights, code = forward(x)
        # the second half
        with tf.name_scope('decoder'):
            wide = tf.nn.relu(tf.matmul(code, weights['w3']))
            told = tf.matmul(wide, weights['w4'])
            error = tf.square(told - x)
            scaled = [tf.reduce_sum(error) * scale for scale in (1.0, keep)]
        loss = tf.add_n(scaled) / 4.0
    variables = store.trainable_variables
    gradients = tape.gradient(loss, variables)
    optimizer.apply_gradients(zip(gradients, variables))
    return loss


@tf.function(input_signature=[tf.TensorSpec([None, 6], tf.float64)])
def compute_told(x):
    """Computes told.

    Args:
        x: float64 [None, 6]; what is told again
    """
    with store.run():
        weights, code = forward(x)
        # the second half
        with tf.name_scope('decoder'):
            wide = tf.nn.relu(tf.matmul(code, weights['w3']))
            told = tf.matmul(wide, weights['w4'])
    return told


@tf.function(input_signature=[tf.TensorSpec([None, 6], tf.float64)])
def compute_code(x):
    """Computes code.

    Args:
        x: float64 [None, 6]; what is told again
    """
    with store.run():
        _, code = forward(x)
    return code


losses = []
rng = np.random.RandomState(3)
for i in range(4):
    batch = rng.normal(size=(5, 6))
    value = train_step(batch, 0.5 + i).numpy()
    losses.append(value)
    again = compute_told(batch).numpy()
codes = compute_code(batch).numpy()

np.savez(sys.argv[1], losses=losses, again=again, codes=codes)
