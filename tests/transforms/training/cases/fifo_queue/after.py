"""A queue that a thread of the graph fills, read by the training step."""
import sys

import numpy as np
import tensorflow as tf


def main(output):
    rng = np.random.RandomState(9)
    features = rng.normal(size=(24, 3))
    labels = features.dot([1.0, 2.0, -0.5])

    # Examples wait here until the step takes them.
    dataset = tf.data.Dataset.from_tensor_slices((features, labels))
    dataset = dataset.repeat(1)

    def prepare(feature, label):
        scaled = feature * 2.0
        return scaled, label

    dataset = dataset.map(prepare)
    dataset = dataset.batch(4, drop_remainder=True).prefetch(1)
    batches = iter(dataset)

    w = tf.Variable(np.zeros([3]), name='w')
    optimizer = tf.keras.optimizers.SGD(0.05)
    optimizer.build([w])

    @tf.function(input_signature=dataset.element_spec)
    def train_step(x, y):
        """One training step; returns loss."""
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.reduce_sum(x * w, 1) - y))
        gradients = tape.gradient(loss, [w])
        optimizer.apply_gradients(zip(gradients, [w]))
        return loss

    losses = []
    for _ in range(6):
        value = train_step(*next(batches)).numpy()
        losses.append(value)
    weights = w.numpy()
    np.savez(output, losses=losses, weights=weights)


if __name__ == '__main__':
    main(sys.argv[1])
