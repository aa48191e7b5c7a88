"""A network and its frozen copy, which a function sets to the network's values before the first step and later."""

import sys

import numpy as np
import tensorflow as tf
from tf1_support import scopes
from tf1_support import initializers
from tf1_support import layers
from tf1_support import optimizers

optimizer = optimizers.AdamOptimizer(0.1)
store = scopes.current_store()


@tf.function(input_signature=[
    tf.TensorSpec([None, 3], tf.float32),
    tf.TensorSpec([None, 3], tf.float32),
])
def train_step(states, later):
    """One training step; returns loss.

    Args:
        states: float32 [None, 3]
        later: float32 [None, 3]
    """
    with store.run(), tf.GradientTape() as tape:
        with scopes.variable_scope("online"):
            values = layers.dense(states, 2, kernel_initializer=initializers.constant_initializer(0.3))
        with scopes.variable_scope("target"):
            wanted = layers.dense(later, 2, trainable=False, kernel_initializer=initializers.constant_initializer(0.7))
        loss = tf.reduce_mean(tf.math.squared_difference(values, wanted))
    variables = store.trainable_variables
    gradients = tape.gradient(loss, variables)
    optimizer.apply_gradients(zip(gradients, variables))
    return loss


# Tracing makes the variables, which the program lists.
train_step.get_concrete_function()


def copy():
    theirs = scopes.get_collection(scopes.GraphKeys.GLOBAL_VARIABLES, scope="target")
    ours = scopes.get_collection(scopes.GraphKeys.GLOBAL_VARIABLES, scope="online")
    for t, o in zip(theirs, ours):
        t.assign(o)


data = np.ones([4, 3], np.float32)
losses = []
for step in range(6):
    if step % 3 == 0:
        copy()
    found = train_step(data, 2 * data).numpy()
    losses.append(found)
np.savez(sys.argv[1], losses=np.array(losses))
