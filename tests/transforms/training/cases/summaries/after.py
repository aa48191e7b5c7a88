"""Two writers, merged summaries, a summary every other step."""
import os
import sys

import numpy as np
import tensorflow as tf
from tf1_support import optimizers
from tf1_support import scopes
from tf1_support import summary


def main(output):
    logdir = os.path.join(os.path.dirname(output), 'logs')
    with tf.name_scope('model'):
        w = scopes.Variable(np.array([[0.5], [-0.25], [1.0]]), name='w')
    global_step = scopes.Variable(0, trainable=False, name='global_step')
    optimizer = optimizers.GradientDescentOptimizer(0.1)

    train_writer = tf.summary.create_file_writer(os.path.join(logdir, 'train'))
    test_writer = tf.summary.create_file_writer(os.path.join(logdir, 'test'))

    def forward(x):
        """Computes loss for compute_loss and train_step."""
        with tf.name_scope('model'):
            y = tf.matmul(x, w)
        return tf.reduce_mean(tf.square(y))

    @tf.function(input_signature=[
        tf.TensorSpec([None, 3], tf.float64),
        tf.TensorSpec([], tf.int64),
    ])
    def compute_loss(x, step):
        """Computes loss.

        Args:
            x: float64 [None, 3]
            step: the summaries' step
        """
        with test_writer.as_default(step=step):
            loss = forward(x)
            summary.scalar('loss', loss)
            summary.histogram('weights', w)
            return loss

    @tf.function(input_signature=[
        tf.TensorSpec([None, 3], tf.float64),
        tf.TensorSpec([], tf.int64),
    ])
    def train_step(x, step):
        """One training step.

        Args:
            x: float64 [None, 3]
            step: the summaries' step
        """
        with train_writer.as_default(step=step):
            with tf.GradientTape() as tape:
                loss = forward(x)
            gradients = tape.gradient(loss, [w])
            optimizer.apply_gradients(zip(gradients, [w]), global_step=global_step)
            summary.scalar('loss', loss)
            summary.histogram('weights', w)

    losses = []
    for i in range(4):
        data = np.cos(np.arange(6.0) + i).reshape(2, 3)
        if i % 2 == 0:
            value = compute_loss(data, i).numpy()
            losses.append(value)
        else:
            train_step(data, i)
    train_writer.close()
    test_writer.close()
    steps = global_step.numpy()
    np.savez(output, losses=losses, steps=steps)


if __name__ == '__main__':
    main(sys.argv[1])
