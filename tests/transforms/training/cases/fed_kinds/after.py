"""Python numbers of another kind are fed: whole ones to a switch, those with a point to labels."""
import sys

import numpy as np
import tensorflow as tf

labels = [[1.0], [2.0], [3.7]]
w = tf.Variable(np.float64(2.0))


@tf.function(input_signature=[
    tf.TensorSpec([None], tf.float64),
    tf.TensorSpec([None, 1], tf.int32),
    tf.TensorSpec(None, tf.bool),
])
def compute_total(x, y, phase):
    """Computes total.

    Args:
        x: float64 [None]
        y: int32 [None, 1]
        phase: bool of any shape
    """
    out = tf.cond(phase, lambda: w * x, lambda: w - x)
    return tf.reduce_sum(out) + tf.cast(tf.reduce_sum(y), tf.float64)


@tf.function(input_signature=[tf.TensorSpec([None], tf.float64)])
def compute_out(x):
    """Computes out.

    Args:
        x: float64 [None]
    """
    return tf.cond(tf.constant(True), lambda: w * x, lambda: w - x)


@tf.function(input_signature=[tf.TensorSpec([None], tf.float64)])
def evaluate_step(x):
    """Computes out.

    Args:
        x: float64 [None]
    """
    return tf.cond(tf.constant(False), lambda: w * x, lambda: w - x)


@tf.function(input_signature=[
    tf.TensorSpec([None], tf.float64),
    tf.TensorSpec([None, 1], tf.int32),
])
def compute_total_2(x, y):
    """Computes total.

    Args:
        x: float64 [None]
        y: int32 [None, 1]
    """
    out = tf.cond(tf.constant(False), lambda: w * x, lambda: w - x)
    return tf.reduce_sum(out) + tf.cast(tf.reduce_sum(y), tf.float64)


@tf.function(input_signature=[
    tf.TensorSpec([None], tf.float64),
    tf.TensorSpec(None, tf.bool),
])
def compute_out_2(x, phase):
    """Computes out.

    Args:
        x: float64 [None]
        phase: bool of any shape
    """
    return tf.cond(phase, lambda: w * x, lambda: w - x)


mode = 1

outputs = compute_total(
    [1, 2], tf.cast(tf.constant(labels, tf.float64), tf.int32), tf.cast(mode, tf.bool))
named = outputs.numpy()
written = [compute_out([1, 2]).numpy(),
           evaluate_step([1, 2]).numpy(),
           compute_out([1, 2]).numpy()]
fetched = compute_total_2(
    [1., 2], tf.cast(tf.constant([[float(3)], [-1.5]], tf.float64), tf.int32))
negative = fetched.numpy()
whole = compute_total_2([1., 2], [[int(v[0])] for v in labels]).numpy()
looped = []
for training in [0, 1]:
    looped.append(compute_out_2([5.0], tf.cast(training, tf.bool)).numpy())
for i in range(2):
    looped.append(compute_out_2([5.0], tf.cast((i + 1) % 2, tf.bool)).numpy())
np.savez(sys.argv[1], named=named, written=written, negative=negative, whole=whole, looped=looped)
