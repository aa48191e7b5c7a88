"""A monitored session: a hook asks for the loss, which no run fetches."""
import sys
import tempfile

import network
import numpy as np
import tensorflow as tf
from tf1_support import monitored
from tf1_support import scopes
from tf1_support import hooks
from tf1_support import training


def train(output):
    rng = np.random.RandomState(0)
    images, labels = rng.uniform(size=(9, 4)), rng.randint(0, 3, 9)
    values = []
    with scopes.VariableStore().as_default() as store:
        global_step = training.get_or_create_global_step()
        dataset = network.inputs(images, labels)
        batches = iter(dataset)

        @tf.function(input_signature=dataset.element_spec)
        def compute_loss(batch, expected):
            """Runs train_op; returns loss."""
            with store.run():
                logits = network.inference(batch)
                loss = network.loss(logits, expected)
                network.train(loss, global_step)
            return loss

        # Tracing makes the variables, which the checkpoint needs.
        compute_loss.get_concrete_function()

        class _LoggerHook(hooks.SessionRunHook):
            """Keeps the loss of every step."""

            def before_run(self, run_context):
                return hooks.SessionRunArgs('loss')  # Asks for loss value.

            def after_run(self, run_context, run_values):
                values.append(run_values.results)

        with monitored.TrainingLoop(
                checkpoint_dir=tempfile.mkdtemp(),
                hooks=[hooks.StopAtStepHook(last_step=5), hooks.NanTensorHook('loss'), _LoggerHook()]) as loop:
            while not loop.should_stop():
                loop.run(compute_loss, *next(batches), outputs=('loss',))
    np.savez(output, losses=values)


if __name__ == '__main__':
    train(sys.argv[1])
