"""Pairs of gradients and variables are fetched: among others, alone, in a dict, and each by itself."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import optimizers

slope = tf.Variable(np.float64(5.0))
offset = tf.Variable(np.float64(1.0))
optimizer = optimizers.GradientDescentOptimizer(0.05)


@tf.function(input_signature=[tf.TensorSpec([None], tf.float64)])
def evaluate_step(x):
    """Computes pairs and loss.

    Args:
        x: float64 [None]
    """
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(slope * x + offset - x))
    gradients = tape.gradient(loss, [slope, offset])
    pairs = list(zip(gradients, [slope, offset]))
    return pairs, loss


@tf.function(input_signature=[tf.TensorSpec([None], tf.float64)])
def train_step(x):
    """One training step.

    Args:
        x: float64 [None]
    """
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(slope * x + offset - x))
    gradients = tape.gradient(loss, [slope, offset])
    pairs = list(zip(gradients, [slope, offset]))
    optimizer.apply_gradients(pairs)


@tf.function(input_signature=[tf.TensorSpec([None], tf.float64)])
def compute_pairs(x):
    """Computes pairs.

    Args:
        x: float64 [None]
    """
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(slope * x + offset - x))
    gradients = tape.gradient(loss, [slope, offset])
    pairs = list(zip(gradients, [slope, offset]))
    return pairs


@tf.function(input_signature=[tf.TensorSpec([None], tf.float64)])
def eval_step(x):
    """Computes pairs and loss.

    Args:
        x: float64 [None]
    """
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(slope * x + offset - x))
    gradients = tape.gradient(loss, [slope, offset])
    pairs = list(zip(gradients, [slope, offset]))
    return {'pairs': pairs, 'loss': loss}


@tf.function(input_signature=[tf.TensorSpec([None], tf.float64)])
def predict(x):
    """Computes pairs[0].

    Args:
        x: float64 [None]
    """
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(slope * x + offset - x))
    gradients = tape.gradient(loss, [slope, offset])
    pairs = list(zip(gradients, [slope, offset]))
    return pairs[0]


batch = [1.0, 2.0, 3.0]
seen = []
for step in range(3):
    got, value = tf.nest.map_structure(lambda t: t.numpy(), evaluate_step(batch))
    for gradient, variable in got:
        seen.append([gradient, variable, value])
    train_step(batch)
(first, _), (second, _) = tf.nest.map_structure(lambda t: t.numpy(), compute_pairs(batch))
named = tf.nest.map_structure(lambda t: t.numpy(), eval_step(batch))
one = tf.nest.map_structure(lambda t: t.numpy(), predict(batch))
np.savez(sys.argv[1], seen=seen, last=[first, second], named=np.array(named['pairs']),
         loss=named['loss'], one=one)
