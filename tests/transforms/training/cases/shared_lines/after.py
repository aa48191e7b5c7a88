"""Statements that share a line happen once each, in their order."""
import sys

import numpy as np
import tensorflow as tf

log = []
v = tf.Variable(np.float64(2.0))


@tf.function(input_signature=[tf.TensorSpec([None], tf.float64)])
def compute_y(x):
    """Computes y.

    Args:
        x: float64 [None]
    """
    return v * x


@tf.function
def run_grow():
    """Runs grow."""
    v.assign(v * 1.5)


log.append(1); log.append(10)
a = 1; b = 2; log.append(a + b)

for i in range(2):
    log.append(i); log.append(100)
    values = compute_y([1., 2.]).numpy()
    log.append(values[0]); log.append(1000)
    run_grow()

np.savez(sys.argv[1], log=log, values=values)
