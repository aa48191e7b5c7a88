"""One network, two data sets: a reinitializable iterator switches between them."""
import sys

import numpy as np
import tensorflow as tf

BATCH_SIZE = 4


def main(output):
    rng = np.random.RandomState(5)
    train_x, train_y = rng.normal(size=(12, 3)), rng.normal(size=(12, 1))
    test_x, test_y = rng.normal(size=(8, 3)), rng.normal(size=(8, 1))

    train_data = tf.data.Dataset.from_tensor_slices((train_x, train_y)).batch(BATCH_SIZE)
    test_data = tf.data.Dataset.from_tensor_slices((test_x, test_y)).batch(BATCH_SIZE)

    w = tf.Variable(np.ones((3, 1)), name='w')
    optimizer = tf.keras.optimizers.SGD(0.1)
    optimizer.build([w])

    @tf.function(input_signature=train_data.element_spec)
    def train_step(features, targets):
        """One training step; returns loss."""
        with tf.GradientTape() as tape:
            prediction = tf.matmul(features, w)
            loss = tf.reduce_mean(tf.square(prediction - targets))
        gradients = tape.gradient(loss, [w])
        optimizer.apply_gradients(zip(gradients, [w]))
        return loss

    @tf.function(input_signature=train_data.element_spec)
    def compute_loss(features, targets):
        """Computes loss."""
        prediction = tf.matmul(features, w)
        return tf.reduce_mean(tf.square(prediction - targets))

    train_losses, test_losses = [], []
    for epoch in range(2):
        iterator = iter(train_data)
        try:
            while True:
                l = train_step(*next(iterator)).numpy()
                train_losses.append(l)
        except StopIteration:
            pass
        iterator = iter(test_data)  # held-out data
        try:
            while True:
                test_losses.append(compute_loss(*next(iterator)).numpy())
        except StopIteration:
            pass
    np.savez(output, train=train_losses, test=test_losses)


if __name__ == '__main__':
    main(sys.argv[1])
