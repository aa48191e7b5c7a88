"""Training under a Supervisor."""
import os
import sys

import numpy as np
import tensorflow as tf
from tf1_support import monitored
from tf1_support import scopes
from tf1_support import optimizers
from tf1_support import training


def main(output):
    directory = os.path.join(os.path.dirname(os.path.abspath(output)), 'supervised')
    rng = np.random.RandomState(23)
    data, targets = rng.normal(size=(6, 2)), rng.normal(size=6)
    with scopes.VariableStore().as_default() as store:
        global_step = training.get_or_create_global_step()
        w = scopes.get_variable('w', initializer=np.array([0.5, -0.5]))
        optimizer = optimizers.GradientDescentOptimizer(0.1)

        @tf.function(input_signature=[
            tf.TensorSpec([None, 2], tf.float64),
            tf.TensorSpec([None], tf.float64),
        ])
        def train_step(x, y):
            """One training step; returns loss.

            Args:
                x: float64 [None, 2]
                y: float64 [None]
            """
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(tf.reduce_sum(x * w, 1) - y))
            variables = store.trainable_variables
            gradients = tape.gradient(loss, variables)
            optimizer.apply_gradients(zip(gradients, variables), global_step=global_step)
            return loss

        losses = []
        with monitored.TrainingLoop(checkpoint_dir=directory, save_checkpoint_secs=600) as loop:
            while not loop.should_stop() and len(losses) < 3:
                value = loop.run(train_step, data, targets).numpy()
                losses.append(value)
            final = w.numpy()
    np.savez(output, losses=losses, final=final)


if __name__ == '__main__':
    main(sys.argv[1])
