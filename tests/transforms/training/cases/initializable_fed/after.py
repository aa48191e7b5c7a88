"""An initializable iterator that is fed the arrays it goes over."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import optimizers


def main(output):
    slope = tf.Variable([0.5, -0.5], dtype=tf.float64, name='slope')
    optimizer = optimizers.AdamOptimizer(0.1)

    @tf.function(reduce_retracing=True)
    def train_step(x, y):
        """One training step; returns loss."""
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.reduce_sum(x * slope, axis=1) - y))
        gradients = tape.gradient(loss, [slope])
        optimizer.apply_gradients(zip(gradients, [slope]))
        return loss

    rng = np.random.RandomState(6)
    data, target = rng.normal(size=(6, 2)), rng.normal(size=6)
    losses = []
    for _ in range(2):
        dataset = tf.data.Dataset.from_tensor_slices((data, target))
        dataset = dataset.batch(3)
        iterator = iter(dataset)
        while True:
            try:
                value = train_step(*next(iterator)).numpy()
                losses.append(value)
            except StopIteration:
                break
    np.savez(output, losses=losses)


if __name__ == '__main__':
    main(sys.argv[1])
