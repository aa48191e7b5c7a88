"""Training under MonitoredTrainingSession, with hooks and checkpoints; then it goes on."""
import os
import sys

import numpy as np
import tensorflow as tf
from tf1_support import gpu
from tf1_support import monitored
from tf1_support import scopes
from tf1_support import hooks as tf1_hooks
from tf1_support import optimizers
from tf1_support import training


def train(directory, last_step, data, labels):
    losses = []
    with scopes.VariableStore().as_default() as store:
        global_step = training.get_or_create_global_step()
        w = scopes.get_variable('w', dtype=tf.float64, initializer=np.array([0.1, 0.2, -0.3]))
        optimizer = optimizers.AdamOptimizer(0.1)

        @tf.function(input_signature=[
            tf.TensorSpec([None, 3], tf.float64),
            tf.TensorSpec([None], tf.float64),
        ])
        def train_step(x, y):
            """One training step; returns loss.

            Args:
                x: float64 [None, 3]
                y: float64 [None]
            """
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(tf.reduce_sum(x * w, 1) - y))
            variables = store.trainable_variables
            gradients = tape.gradient(loss, variables)
            optimizer.apply_gradients(zip(gradients, variables), global_step=global_step)
            return loss

        hooks = [
            tf1_hooks.StopAtStepHook(last_step=last_step),
            tf1_hooks.NanTensorHook('loss'),
            tf1_hooks.LoggingTensorHook({'step': global_step, 'loss': 'loss'}, every_n_iter=2),
        ]
        with monitored.TrainingLoop(
                checkpoint_dir=directory,
                hooks=hooks,
                save_checkpoint_secs=60) as loop:
            while not loop.should_stop():
                loss_value = loop.run(train_step, data, labels, outputs=('loss',)).numpy()
                losses.append(loss_value)
    return losses


def main(output):
    directory = os.path.join(os.path.dirname(os.path.abspath(output)), 'train_logs')
    rng = np.random.RandomState(9)
    data, labels = rng.normal(size=(6, 3)), rng.normal(size=6)
    gpu.configure_gpus('growth', log_placement=False)
    first = train(directory, 3, data, labels)
    second = train(directory, 5, data, labels)  # goes on where the first stopped
    np.savez(output, first=first, second=second)


if __name__ == '__main__':
    main(sys.argv[1])
