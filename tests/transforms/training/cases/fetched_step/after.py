"""The step of the summaries is fetched by the run that makes them; some fetches nobody reads."""
import os
import sys

import numpy as np
import tensorflow as tf
from tf1_support import scopes
from tf1_support import checkpoint
from tf1_support import initializers
from tf1_support import layers
from tf1_support import optimizers
from tf1_support import summary


def main(output):
    with tf.name_scope('counting'):
        step = scopes.Variable(0, trainable=False, name='step')
    optimizer = optimizers.AdamOptimizer(0.01)
    folder = os.path.join(os.path.dirname(output), 'fetched_step')
    writer = tf.summary.create_file_writer(folder)
    store = scopes.current_store()

    @tf.function(input_signature=[
        tf.TensorSpec([None, 4], tf.float64),
        tf.TensorSpec([None], tf.float64),
    ])
    def train_step(x, y):
        """One training step; returns loss and step.

        Args:
            x: float64 [None, 4]
            y: float64 [None]
        """
        summary_step = tf.cast(step, tf.int64) + 1
        with writer.as_default(step=summary_step), tf.summary.record_if(summary_step % 2 == 0):
            with store.run(), tf.GradientTape() as tape:
                predicted = layers.dense(x, 1, kernel_initializer=initializers.constant_initializer(0.1))[:, 0]
                loss = tf.reduce_mean(tf.square(predicted - y))
            variables = store.trainable_variables
            gradients = tape.gradient(loss, variables)
            optimizer.apply_gradients(zip(gradients, variables), global_step=step)
            summary.scalar('loss', loss)
            return loss, step

    # Tracing makes the variables, which the checkpoint needs.
    train_step.get_concrete_function()

    saver = checkpoint.Saver(max_to_keep=2)
    rng = np.random.RandomState(0)
    losses = []
    for _ in range(5):
        value, count = (value.numpy() for value in train_step(rng.rand(3, 4), rng.rand(3)))
        losses.append(value)
    saver.save(os.path.join(folder, 'model'), global_step=5)
    writer.close()
    saved = tf.train.load_checkpoint(folder).get_variable_to_shape_map()
    np.savez(output, losses=losses, saved=sorted(saved))


if __name__ == '__main__':
    main(sys.argv[1])
