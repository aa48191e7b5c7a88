"""An initializable iterator, initialised anew for every epoch."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import initializers
from tf1_support import optimizers
from tf1_support import scopes

EPOCHS = 2


def train(output):
    values = np.linspace(-1.0, 1.0, 24).reshape(6, 4)
    dataset = tf.data.Dataset.from_tensor_slices({'x': values, 'y': values.sum(axis=1)})
    dataset = dataset.batch(2)

    w = scopes.get_variable('w', [4, 1], dtype=tf.float64, initializer=initializers.zeros_initializer())
    optimizer = optimizers.GradientDescentOptimizer(0.05)

    @tf.function(input_signature=[dataset.element_spec])
    def train_step(batch):
        """One training step; returns loss."""
        with tf.GradientTape() as tape:
            prediction = tf.squeeze(tf.matmul(batch['x'], w), 1)
            loss = tf.reduce_sum(tf.square(prediction - batch['y']))
        gradients = tape.gradient(loss, [w])
        optimizer.apply_gradients(zip(gradients, [w]))
        return loss

    losses = []
    for epoch in range(EPOCHS):
        iterator = iter(dataset)
        total = 0.0
        while True:
            try:
                value = train_step(next(iterator)).numpy()
                total += value
            except StopIteration:
                break
        losses.append(total)
        print('epoch %d: %.4f' % (epoch, total))
    weights = w.numpy()
    np.savez(output, losses=losses, weights=weights)


if __name__ == '__main__':
    train(sys.argv[1])
