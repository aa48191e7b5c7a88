"""slim's evaluation around a traced step: a checkpoint is restored, batches are evaluated."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import tensorflow as tf

from .checkpoint import Saver
from .scopes import get_global_step
from .store import GraphKeys, current_store


def evaluate_once(checkpoint_path: str, logdir: str | None, num_evals: int = 1, *,
                  eval_op: Callable[[], Any], build: Iterable[Any] = (),
                  variables_to_restore: Any = None) -> Any:
    """Restores a checkpoint, calls `eval_op` `num_evals` times, gives what the last call gave.

    Metrics count from the first call on, and anew in the next evaluation.  Summaries are written
    to `logdir` by the last call.

    Args:
        eval_op: Evaluates one batch; gives the values of the metrics after it.
        build: The `tf.function`s that `eval_op` calls: traced first, they make the variables.
        variables_to_restore: As for `Saver`; default: all but the local ones.

    Returns:
        NumPy arrays in the form that `eval_op` gives.
    """
    recorded = tf.Variable(False, trainable=False, name="recorded")  # read anew by each step
    writer = tf.summary.create_file_writer(logdir) if logdir else tf.summary.create_noop_writer()
    step = get_global_step()
    with writer.as_default(step=step if step is not None else 0), (
            tf.summary.record_if(recorded.read_value)):
        for function in build:
            function.get_concrete_function()
        local = current_store().registry.collections.get(GraphKeys.LOCAL_VARIABLES, ())
        first = [(variable, tf.identity(variable)) for variable in local]
        Saver(variables_to_restore).restore(checkpoint_path)
        result = None
        try:
            for number in range(1, num_evals + 1):
                recorded.assign(number == num_evals)
                result = eval_op()
        finally:
            for variable, value in first:
                variable.assign(value)
    writer.flush()
    return tf.nest.map_structure(np.asarray, result)


def evaluation_loop(checkpoint_dir: str, logdir: str | None, num_evals: int = 1, *,
                    eval_op: Callable[[], Any], build: Iterable[Any] = (),
                    variables_to_restore: Any = None, eval_interval_secs: float = 60,
                    max_number_of_evaluations: int | None = None, timeout: float | None = None,
                    timeout_fn: Callable[[], bool] | None = None) -> Any:
    """`evaluate_once` for every new checkpoint in `checkpoint_dir`; gives the last result.

    Ends after `max_number_of_evaluations`, or when no checkpoint came for `timeout` seconds.
    """
    result = None
    checkpoints = tf.train.checkpoints_iterator(
        checkpoint_dir, eval_interval_secs, timeout, timeout_fn)
    for count, path in enumerate(checkpoints, 1):
        result = evaluate_once(path, logdir, num_evals, eval_op=eval_op, build=build,
                               variables_to_restore=variables_to_restore)
        if max_number_of_evaluations is not None and count >= max_number_of_evaluations:
            break
    return result
