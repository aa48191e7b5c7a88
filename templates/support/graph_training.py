"""slim's and contrib.training's loops over the operations of a graph: training and evaluation."""
from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tensorflow as tf
from absl import logging

from .checkpoint import Saver
from .graph_summaries import merge_all
from .graphs import (
    Graph,
    default_graph,
    global_variables_initializer,
)
from .hooks import FinalOpsHook, Scaffold, SessionRunArgs, SessionRunContext, SessionRunHook
from .hooks import SessionRunValues as Values
from .monitored_sessions import ChiefSessionCreator, MonitoredSession, MonitoredTrainingSession
from .scopes import get_collection, get_or_create_global_step
from .scopes import get_variable as _get_variable
from .scopes import variable_scope as _variable_scope
from .store import GraphKeys
from .supervisor import Supervisor
from .training import global_step as step_of
from .writers import FileWriterCache

_DEFAULT = 0
_EVAL_STEP = GraphKeys.EVAL_STEP


# ---- training ----------------------------------------------------------------------------------
def train_step(sess: Any, train_op: Any, global_step: Any, train_step_kwargs: Mapping[str, Any]
               ) -> tuple[Any, Any]:
    """Runs `train_op` once; gives the loss and whether to stop."""
    start = time.time()
    loss, step = sess.run([train_op, global_step])
    if "should_log" in train_step_kwargs and sess.run(train_step_kwargs["should_log"]):
        logging.info("global step %d: loss = %.4f (%.3f sec/step)", step, loss, time.time() - start)
    stop = sess.run(train_step_kwargs["should_stop"]) if (
        "should_stop" in train_step_kwargs) else False
    return loss, stop


def train(train_op: Any, logdir: str | None, train_step_fn: Callable[..., Any] = train_step,
          train_step_kwargs: Any = _DEFAULT, log_every_n_steps: int = 1, graph: Graph | None = None,
          master: str = "", is_chief: bool = True, global_step: Any = None,
          number_of_steps: int | None = None, init_op: Any = _DEFAULT, init_feed_dict: Any = None,
          local_init_op: Any = _DEFAULT, init_fn: Callable[[Any], Any] | None = None,
          ready_op: Any = _DEFAULT, summary_op: Any = _DEFAULT, save_summaries_secs: float = 600,
          summary_writer: Any = _DEFAULT, startup_delay_steps: int = 0, saver: Any = None,
          save_interval_secs: float = 600, sync_optimizer: Any = None, session_config: Any = None,
          session_wrapper: Callable[[Any], Any] | None = None,
          trace_every_n_steps: int | None = None, ignore_live_threads: bool = False) -> Any:
    """slim's training loop: runs `train_op` until `number_of_steps`, from and to checkpoints.

    Args:
        train_step_fn: Takes (session, train_op, global_step, train_step_kwargs) and gives the loss
            and whether to stop.
        init_fn: Called with the session where no checkpoint was restored.

    Returns:
        The last loss.

    Raises:
        ValueError: there is nothing to train, no step to make, or nowhere to write what is asked.
    """
    if train_op is None:
        raise ValueError("train_op cannot be None.")
    if logdir is None and (not _is_default(summary_op) or saver is not None):
        raise ValueError("Cannot provide summary_op or saver because logdir=None")
    if sync_optimizer is not None:
        raise ValueError("sync_optimizer: one process trains; tf.distribute trains on several")
    if number_of_steps is not None and number_of_steps <= 0:
        raise ValueError("`number_of_steps` must be either None or a positive number.")
    graph = graph or default_graph()
    with graph.as_default():
        step = get_or_create_global_step() if global_step is None else global_step
        saver = saver or Saver()
        if _is_default(init_op):
            init_op = global_variables_initializer()
        if _is_default(local_init_op):
            local_init_op = Scaffold.default_local_init_op()
        if _is_default(summary_op):
            summary_op = merge_all()
        if isinstance(train_step_kwargs, int):
            train_step_kwargs = {"should_stop": (
                tf.greater_equal(step, tf.cast(number_of_steps, step.dtype)) if number_of_steps
                else tf.constant(False))}
            if log_every_n_steps > 0:
                train_step_kwargs["should_log"] = tf.equal(step % log_every_n_steps, 0)
    supervisor = Supervisor(
        graph, is_chief=is_chief, logdir=logdir, init_op=init_op, init_feed_dict=init_feed_dict,
        local_init_op=local_init_op, summary_op=summary_op, summary_writer=summary_writer,
        global_step=step, saver=saver, save_summaries_secs=save_summaries_secs,
        save_model_secs=save_interval_secs, init_fn=init_fn)
    if summary_writer is not None:
        train_step_kwargs["summary_writer"] = supervisor.summary_writer
    loss = None
    with supervisor.managed_session(start_standard_services=False) as session:
        logging.info("Starting Session.")
        used = session_wrapper(session) if session_wrapper is not None else session
        if is_chief and logdir:
            supervisor.start_standard_services(session)
        threads = supervisor.start_queue_runners(session)
        try:
            while not supervisor.should_stop():
                loss, stop = train_step_fn(used, train_op, step, train_step_kwargs)
                if stop:
                    logging.info("Stopping Training.")
                    supervisor.request_stop()
                    break
        except tf.errors.OutOfRangeError as error:
            logging.info("Caught OutOfRangeError. Stopping Training. %s", error)
        if logdir and is_chief:
            logging.info("Finished training! Saving model to disk.")
            with graph.as_default():
                supervisor.saver.save(session, supervisor.save_path, global_step=step)
            supervisor.stop(threads, ignore_live_threads=ignore_live_threads)
    return loss


def train_monitored(train_op: Any, logdir: str | None, master: str = "", is_chief: bool = True,
                    scaffold: Scaffold | None = None, hooks: Sequence[SessionRunHook] | None = None,
                    chief_only_hooks: Sequence[SessionRunHook] | None = None,
                    save_checkpoint_secs: float | None = 600,
                    save_summaries_steps: int | None = 100, config: Any = None,
                    max_wait_secs: float = 7200, run_metadata: Any = None) -> Any:
    """contrib.training.train: runs `train_op` until a hook stops it; gives the last loss.

    Raises:
        ValueError: there is no `logdir`, but something is to be saved there.
    """
    if logdir is None and is_chief and (save_summaries_steps or save_checkpoint_secs):
        raise ValueError("logdir cannot be None when save_summaries_steps or save_checkpoint_secs "
                         "is not None")
    loss = None
    with MonitoredTrainingSession(
            is_chief=is_chief, checkpoint_dir=logdir, scaffold=scaffold, hooks=hooks,
            chief_only_hooks=chief_only_hooks, save_checkpoint_secs=save_checkpoint_secs,
            save_summaries_steps=save_summaries_steps) as session:
        while not session.should_stop():
            loss = session.run(train_op)
    return loss


def _is_default(value: Any) -> bool:
    return isinstance(value, int) and value == _DEFAULT


# ---- evaluation --------------------------------------------------------------------------------
def get_or_create_eval_step() -> tf.Variable:
    """The local variable that counts evaluated batches."""
    steps = get_collection(_EVAL_STEP)
    if steps:
        return steps[0]
    with _variable_scope("eval", reuse=None):
        return _get_variable("eval_step", shape=[], dtype=tf.int64, trainable=False,
                             initializer=lambda: tf.zeros([], tf.int64),
                             collections=[GraphKeys.LOCAL_VARIABLES, _EVAL_STEP])


class StopAfterNEvalsHook(SessionRunHook):
    """Stops when `num_evals` batches were evaluated; None: at the end of the data."""

    def __init__(self, num_evals: int | None, log_progress: bool = True) -> None:
        self._count, self._log = num_evals, log_progress
        self.completed: Any = None  # what counts

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs({"evals_completed": self.completed})

    def after_run(self, run_context: SessionRunContext, run_values: Values) -> None:
        done = run_values.results["evals_completed"]
        if self._log:
            logging.info("Evaluation [%d%s]", done, f"/{self._count}" if self._count else "")
        if self._count is not None and done >= self._count:
            run_context.request_stop()


class SummaryAtEndHook(SessionRunHook):
    """Writes the summary (default: of all there is) at the end of an evaluation.

    Raises:
        ValueError: it is not said where.
    """

    def __init__(self, log_dir: str | None = None, summary_writer: Any = None,
                 summary_op: Any = None, feed_dict: Mapping[Any, Any] | None = None) -> None:
        if log_dir is None and summary_writer is None:
            raise ValueError("One of log_dir or summary_writer should be used.")
        self._directory, self._writer = log_dir, summary_writer
        self._summary, self._feeds, self._all = summary_op, feed_dict, summary_op is None

    def begin(self) -> None:
        if self._all:
            self._summary = merge_all()
        self._step = get_or_create_global_step()

    def end(self, session: Any) -> None:
        writer = self._writer or FileWriterCache.get(str(self._directory))
        if self._summary is not None:
            step = step_of(session, self._step)
            writer.add_summary(session.run(self._summary, self._feeds), step)
        writer.flush()


def _with_eval_step(eval_ops: Any, hooks: Sequence[SessionRunHook]) -> Any:
    """`eval_ops` together with what counts them, which the hooks ask for."""
    if eval_ops is None:
        return None
    update = get_or_create_eval_step().assign_add(1)
    for hook in hooks:
        if isinstance(hook, StopAfterNEvalsHook):
            hook.completed = update
    if isinstance(eval_ops, dict):
        return {**eval_ops, "update_eval_step": update}
    return [*eval_ops, update] if isinstance(eval_ops, (list, tuple)) else [eval_ops, update]


def _evaluated(path: str, scaffold: Scaffold | None, eval_ops: Any, feed_dict: Any,
               final: FinalOpsHook, hooks: Sequence[SessionRunHook]) -> Any:
    logging.info("Starting evaluation at %s", time.strftime("%Y-%m-%dT%H:%M:%SZ"))
    creator = ChiefSessionCreator(scaffold, checkpoint_filename_with_path=path)
    with MonitoredSession(creator, [*hooks, final]) as session:
        if eval_ops is not None:
            while not session.should_stop():
                session.run(eval_ops, feed_dict)
    logging.info("Finished evaluation at %s", time.strftime("%Y-%m-%d-%H:%M:%S"))
    return final.final_ops_values


def evaluate_checkpoint(checkpoint_path: str, master: str = "", scaffold: Scaffold | None = None,
                        eval_ops: Any = None, feed_dict: Any = None, final_ops: Any = None,
                        final_ops_feed_dict: Any = None,
                        hooks: Sequence[SessionRunHook] | None = None, config: Any = None) -> Any:
    """contrib.training.evaluate_once: runs `eval_ops` until a hook stops it, then `final_ops`."""
    hooks = list(hooks or ())
    eval_ops = _with_eval_step(eval_ops, hooks)
    return _evaluated(checkpoint_path, scaffold, eval_ops, feed_dict,
                      FinalOpsHook(final_ops, final_ops_feed_dict), hooks)


def evaluate_repeatedly(checkpoint_dir: str, master: str = "", scaffold: Scaffold | None = None,
                        eval_ops: Any = None, feed_dict: Any = None, final_ops: Any = None,
                        final_ops_feed_dict: Any = None, eval_interval_secs: float = 60,
                        hooks: Sequence[SessionRunHook] | None = None, config: Any = None,
                        max_number_of_evaluations: int | None = None,
                        timeout: float | None = None,
                        timeout_fn: Callable[[], bool] | None = None) -> Any:
    """contrib.training.evaluate_repeatedly: every new checkpoint; gives the last final values."""
    hooks = list(hooks or ())
    eval_ops = _with_eval_step(eval_ops, hooks)
    final = FinalOpsHook(final_ops, final_ops_feed_dict)
    paths = tf.train.checkpoints_iterator(checkpoint_dir, eval_interval_secs, timeout, timeout_fn)
    for count, path in enumerate(paths, 1):
        _evaluated(path, scaffold, eval_ops, feed_dict, final, hooks)
        if max_number_of_evaluations is not None and count >= max_number_of_evaluations:
            break
    return final.final_ops_values


def _slim_hooks(num_evals: int | None, logdir: str | None, summary_op: Any, summary_feed: Any,
                hooks: Sequence[SessionRunHook] | None) -> list[SessionRunHook]:
    summary = merge_all() if _is_default(summary_op) else summary_op
    found: list[SessionRunHook] = [StopAfterNEvalsHook(num_evals)]
    if summary is not None:
        found.append(SummaryAtEndHook(logdir, summary_op=summary, feed_dict=summary_feed))
    return found + list(hooks or ())


def evaluate_once(master: Any, checkpoint_path: str, logdir: str | None, num_evals: int = 1,
                  initial_op: Any = None, initial_op_feed_dict: Any = None, eval_op: Any = None,
                  eval_op_feed_dict: Any = None, final_op: Any = None,
                  final_op_feed_dict: Any = None, summary_op: Any = _DEFAULT,
                  summary_op_feed_dict: Any = None, variables_to_restore: Any = None,
                  session_config: Any = None, hooks: Sequence[SessionRunHook] | None = None) -> Any:
    """slim's evaluation of one checkpoint: `eval_op` `num_evals` times, then `final_op`."""
    saver = None if variables_to_restore is None else Saver(variables_to_restore)
    return evaluate_checkpoint(
        checkpoint_path, scaffold=Scaffold(
            init_op=initial_op, init_feed_dict=initial_op_feed_dict, saver=saver),
        eval_ops=eval_op, feed_dict=eval_op_feed_dict, final_ops=final_op,
        final_ops_feed_dict=final_op_feed_dict,
        hooks=_slim_hooks(num_evals, logdir, summary_op, summary_op_feed_dict, hooks))


def evaluation_loop(master: Any, checkpoint_dir: str, logdir: str | None, num_evals: int = 1,
                    initial_op: Any = None, initial_op_feed_dict: Any = None, init_fn: Any = None,
                    eval_op: Any = None, eval_op_feed_dict: Any = None, final_op: Any = None,
                    final_op_feed_dict: Any = None, summary_op: Any = _DEFAULT,
                    summary_op_feed_dict: Any = None, variables_to_restore: Any = None,
                    eval_interval_secs: float = 60, max_number_of_evaluations: int | None = None,
                    session_config: Any = None, timeout: float | None = None,
                    timeout_fn: Callable[[], bool] | None = None,
                    hooks: Sequence[SessionRunHook] | None = None) -> Any:
    """slim's evaluation of every new checkpoint; gives the last values of `final_op`."""
    saver = None if variables_to_restore is None else Saver(variables_to_restore)
    return evaluate_repeatedly(
        checkpoint_dir, scaffold=Scaffold(init_op=initial_op, init_feed_dict=initial_op_feed_dict,
                                          init_fn=init_fn, saver=saver),
        eval_ops=eval_op, feed_dict=eval_op_feed_dict, final_ops=final_op,
        final_ops_feed_dict=final_op_feed_dict, eval_interval_secs=eval_interval_secs,
        hooks=_slim_hooks(num_evals, logdir, summary_op, summary_op_feed_dict, hooks),
        max_number_of_evaluations=max_number_of_evaluations, timeout=timeout, timeout_fn=timeout_fn)
