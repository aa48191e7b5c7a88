"""What a loop prints of the layers while they are built is printed still."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import names as tf1_names
from tf1_support import scopes
from tf1_support import initializers
from tf1_support import layers
from tf1_support import optimizers


def main(output):
    optimizer = optimizers.GradientDescentOptimizer(0.01)
    store = scopes.current_store()

    def forward(x):
        """Computes names and h for train_step and compute_loss."""
        names = []
        h = x
        for i in range(2):
            h = layers.dense(h, 4, name='layer%d' % i, kernel_initializer=initializers.constant_initializer(0.1 + i))
            names.append(tf1_names.op_name(h))
        return names, h

    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float64)])
    def train_step(x):
        """One training step.

        Args:
            x: float64 [None, 3]
        """
        with store.run(), tf.GradientTape() as tape:
            names, h = forward(x)
            for name in names:
                print('made', name)
            print('layers: %d' % len(names))
            loss = tf.reduce_mean(tf.square(h))
        variables = store.trainable_variables
        gradients = tape.gradient(loss, variables)
        optimizer.apply_gradients(zip(gradients, variables))

    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float64)])
    def compute_loss(x):
        """Computes loss.

        Args:
            x: float64 [None, 3]
        """
        with store.run():
            _, h = forward(x)
            loss = tf.reduce_mean(tf.square(h))
        return loss

    feed = {'x': np.arange(6.0).reshape(2, 3)}
    losses = []
    for _ in range(3):
        train_step(**feed)
        losses.append(compute_loss(**feed).numpy())
    np.savez(output, losses=losses)


if __name__ == '__main__':
    main(sys.argv[1])
