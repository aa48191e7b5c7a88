"""A regression that prints its variables: before it trains, and what they are called at the end."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import scopes
from tf1_support import initializers
from tf1_support import layers
from tf1_support import optimizers

optimizer = optimizers.GradientDescentOptimizer(0.1)
store = scopes.current_store()


@tf.function(input_signature=[
    tf.TensorSpec([None, 3], tf.float64),
    tf.TensorSpec([None, 1], tf.float64),
])
def train_step(x, target):
    """One training step; returns loss.

    Args:
        x: float64 [None, 3]
        target: float64 [None, 1]
    """
    with store.run(), tf.GradientTape() as tape:
        with scopes.variable_scope('net'):
            hidden = layers.dense(
                x, 4, tf.nn.tanh, kernel_initializer=initializers.constant_initializer(0.2), name='hidden')
            output = layers.dense(
                hidden, 1, kernel_initializer=initializers.constant_initializer(0.5), name='output')
        loss = tf.reduce_mean(tf.square(output - target))
    variables = store.trainable_variables
    gradients = tape.gradient(loss, variables)
    optimizer.apply_gradients(zip(gradients, variables))
    return loss


# Tracing makes the variables, which the program lists.
train_step.get_concrete_function()


# What is trained, and how much of it there is.
total = 0
weights = scopes.trainable_variables()
sizes = [int(np.prod(v.get_shape().as_list())) for v in weights]
print('parameters:', sum(sizes))

lines = []
rng = np.random.RandomState(5)
losses = []
for _ in range(4):
    batch = rng.uniform(-1, 1, (6, 3))
    value = train_step(batch, batch.sum(1, keepdims=True)).numpy()
    losses.append(value)
print('trained', len(weights), 'of', len(scopes.global_variables()))
print([v.name for v in weights])
np.savez(sys.argv[1], losses=losses, names=[v.name for v in weights], sizes=sizes)
