"""Batch norm and dropout switched by a placeholder; the statistics are never updated."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import scopes
from tf1_support import layers
from tf1_support import losses as tf1_losses
from tf1_support import optimizers


def initializer(shape, dtype=None, partition_info=None):
    return tf.constant(0.4 * np.sin(1.0 + np.arange(np.prod(shape))).reshape(shape), dtype)


optimizer = optimizers.AdagradOptimizer(0.1)
store = scopes.current_store()


@tf.function(input_signature=[
    tf.TensorSpec([None, 4], tf.float64),
    tf.TensorSpec([None, 1], tf.float64),
])
def train_step(x, y):
    """One training step; returns loss.

    Args:
        x: float64 [None, 4]
        y: float64 [None, 1]
    """
    with store.run(), tf.GradientTape() as tape:
        keep_prob = tf.constant(1.0)
        net = layers.dense(x, 6, kernel_initializer=initializer)
        net = layers.batch_normalization(net, training=True)
        net = tf.nn.dropout(tf.nn.elu(net), rate=1 - tf.cast(keep_prob, tf.float64))
        out = layers.dense(net, 1, kernel_initializer=initializer)
        loss = tf1_losses.mean_squared_error(y, out)
    variables = store.trainable_variables
    gradients = tape.gradient(loss, variables)
    optimizer.apply_gradients(zip(gradients, variables))
    return loss


@tf.function(input_signature=[
    tf.TensorSpec([None, 4], tf.float64),
    tf.TensorSpec([None, 1], tf.float64),
    tf.TensorSpec([], tf.float32),
])
def compute_loss(x, y, keep_prob):
    """Computes loss.

    Args:
        x: float64 [None, 4]
        y: float64 [None, 1]
        keep_prob: float32 scalar
    """
    with store.run():
        net = layers.dense(x, 6, kernel_initializer=initializer)
        net = layers.batch_normalization(net, training=False)
        net = tf.nn.dropout(tf.nn.elu(net), rate=1 - tf.cast(keep_prob, tf.float64))
        out = layers.dense(net, 1, kernel_initializer=initializer)
        loss = tf1_losses.mean_squared_error(y, out)
    return loss


@tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float64)])
def compute_out(x):
    """Computes out.

    Args:
        x: float64 [None, 4]
    """
    with store.run():
        keep_prob = tf.constant(1.0)
        net = layers.dense(x, 6, kernel_initializer=initializer)
        net = layers.batch_normalization(net, training=False)
        net = tf.nn.dropout(tf.nn.elu(net), rate=1 - tf.cast(keep_prob, tf.float64))
        out = layers.dense(net, 1, kernel_initializer=initializer)
    return out


rng = np.random.RandomState(7)
losses = []
for i in range(3):
    xs, ys = rng.normal(size=(5, 4)), rng.normal(size=(5, 1))
    losses.append(train_step(xs, ys).numpy())
    test_loss = compute_loss(xs, ys, 1.0).numpy()
    losses.append(test_loss)
result = compute_out(xs).numpy()
np.savez(sys.argv[1], losses=losses, result=result)
