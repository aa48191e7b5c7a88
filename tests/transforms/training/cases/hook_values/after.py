"""A monitored session: a hook asks for the loss, which no run fetches."""
import sys
import tempfile

import network
import numpy as np
from tf1_support import graphs
from tf1_support import iterators
from tf1_support import hooks
from tf1_support import monitored_sessions
from tf1_support import training


@graphs.building
def train(output):
    rng = np.random.RandomState(0)
    images, labels = rng.uniform(size=(9, 4)), rng.randint(0, 3, 9)
    values = []
    with graphs.Graph().as_default():
        global_step = training.get_or_create_global_step()
        iterator = iterators.make_one_shot_iterator(network.inputs(images, labels))
        batch, expected = iterator.get_next()
        logits = network.inference(batch)
        loss = network.loss(logits, expected)
        train_op = network.train(loss, global_step)

        class _LoggerHook(hooks.SessionRunHook):
            """Keeps the loss of every step."""

            def before_run(self, run_context):
                return hooks.SessionRunArgs(loss)  # Asks for loss value.

            def after_run(self, run_context, run_values):
                values.append(run_values.results)

        with monitored_sessions.MonitoredTrainingSession(
            checkpoint_dir=tempfile.mkdtemp(),
            hooks=[hooks.StopAtStepHook(last_step=5), hooks.NanTensorHook(loss),
                   _LoggerHook()],
        ) as mon_sess:
            while not mon_sess.should_stop():
                mon_sess.run(train_op)
    np.savez(output, losses=values)


if __name__ == '__main__':
    train(sys.argv[1])
