"""What is computed from constants is run as it is, and with a value fed in the middle; names come again."""
import sys

import numpy as np
import tensorflow as tf

a = tf.add(2, 5)


@tf.function
def compute_b():
    """Computes b."""
    a = tf.add(2, 5)
    return tf.multiply(a, 3)


@tf.function(reduce_retracing=True)
def evaluate_step(a):
    """Computes b."""
    return tf.multiply(a, 3)


plain = compute_b().numpy()
fed = evaluate_step(15).numpy()
np.savez(sys.argv[1], plain=plain, fed=fed)
