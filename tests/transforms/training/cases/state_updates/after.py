"""A running mean kept with assign and control dependencies, a loop and a conditional."""
import sys

import numpy as np
import tensorflow as tf


def clipped_sum(values, limit):
    """Adds values up until the sum passes the limit."""
    def condition(i, total):
        return tf.logical_and(i < tf.shape(values)[0], total < limit)

    def body(i, total):
        return i + 1, total + values[i]

    _, total = tf.while_loop(condition, body, [tf.constant(0), tf.constant(0.0, tf.float64)])
    return total


def main(output):
    mean = tf.Variable(0.0, trainable=False, dtype=tf.float64, name='mean')
    count = tf.Variable(0, trainable=False, name='count')

    @tf.function(input_signature=[
        tf.TensorSpec([None], tf.float64),
        tf.TensorSpec([], tf.float64),
    ])
    def evaluate_step(values, limit):
        """Computes scaled and update_mean.

        Args:
            values: float64 [None]
            limit: float64 scalar
        """
        total = clipped_sum(values, limit)
        count.assign_add(1)
        delta = total - mean
        update_mean = mean.assign(mean + delta / tf.cast(count, tf.float64))
        scaled = tf.cond(total > 2.0, lambda: total * 10.0, lambda: total - 1.0)
        return scaled, update_mean

    @tf.function
    def run_reset():
        """Runs reset."""
        mean.assign(0.0)
        count.assign(0)

    rng = np.random.RandomState(1)
    means, results = [], []
    for _ in range(4):
        sample = rng.uniform(size=6)
        result, new_mean = (value.numpy() for value in evaluate_step(sample, 2.5))
        results.append(result)
        means.append(new_mean)
    counted = count.numpy()
    run_reset()
    final = [mean.numpy(), count.numpy()]
    np.savez(output, means=means, results=results, counted=counted, final=np.array(final))


if __name__ == '__main__':
    main(sys.argv[1])
