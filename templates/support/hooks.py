"""TF 1's session hooks: called around each run of a graph, or each step of a loop without sessions.

A hook may ask for tensors of the graph or of the step function (`SessionRunArgs`), variables, or
functions; after the step it gets their values.  Loops without sessions give None as the session.
"""
from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf
from absl import logging
from tensorflow.core.framework import summary_pb2

from .checkpoint import Saver
from .graph_summaries import merge_all
from .scopes import (
    GraphKeys,
    add_to_collection,
    get_collection,
    get_global_step,
    global_variables,
    report_uninitialized_variables,
)
from .store import builds_graph, current_run
from .writers import FileWriterCache


class SessionRunArgs(NamedTuple):
    """What a hook wants to know after the step."""

    fetches: Any
    feed_dict: Any = None
    options: Any = None


class SessionRunValues(NamedTuple):
    """The values of what a hook asked for, in the same structure."""

    results: Any
    options: Any = None
    run_metadata: Any = None


class SessionRunContext:
    """Lets hooks stop the loop."""

    def __init__(self, original_args: Any = None, session: Any = None) -> None:
        self.original_args, self.session = original_args, session
        self.stop_requested = False

    def request_stop(self) -> None:
        """The loop ends after this step."""
        self.stop_requested = True


class SessionRunHook:
    """Base of all hooks; each method does nothing."""

    def begin(self) -> None:
        """Called once, when the step function has been traced."""

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Called once, when the variables have their values."""

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Called before each step; may ask for values."""

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Called after each step."""

    def end(self, session: Any) -> None:
        """Called at the end, unless there was an error."""


class SecondOrStepTimer:
    """Says when it is time again, counted in steps or in seconds.

    Raises:
        ValueError: not exactly one of `every_secs` and `every_steps` is given.
    """

    def __init__(self, every_secs: float | None = None, every_steps: int | None = None) -> None:
        if (every_secs is None) == (every_steps is None):
            raise ValueError("Exactly one of every_secs and every_steps should be provided.")
        self._every_secs, self._every_steps = every_secs, every_steps
        self.reset()

    def reset(self) -> None:
        """Forgets what triggered before."""
        self._last_step: int | None = None
        self._last_time = 0.0

    def should_trigger_for_step(self, step: int) -> bool:
        """Whether it is time, at most once for each step."""
        if self._last_step is None:
            return True
        if step == self._last_step:
            return False
        if self._every_secs is not None:
            return time.time() >= self._last_time + self._every_secs
        return step >= self._last_step + (self._every_steps or 0)

    def update_last_triggered_step(self, step: int) -> tuple[float | None, int | None]:
        """Notes a trigger; the seconds and steps since the one before (None for the first)."""
        now = time.time()
        elapsed = ((None, None) if self._last_step is None
                   else (now - self._last_time, step - self._last_step))
        self._last_time, self._last_step = now, step
        return elapsed

    def last_triggered_step(self) -> int | None:
        """The step of the last trigger."""
        return self._last_step


class NeverTriggerTimer:
    """Says that it is never time."""

    def reset(self) -> None:
        """Nothing to forget."""

    def should_trigger_for_step(self, step: int) -> bool:
        """False."""
        del step
        return False

    def update_last_triggered_step(self, step: int) -> tuple[float | None, int | None]:
        """(None, None): nothing triggered before."""
        del step
        return None, None

    def last_triggered_step(self) -> int | None:
        """None."""
        return None


def _step_now() -> int:
    step = get_global_step()
    return 0 if step is None else int(current_run().value(step))


class StopAtStepHook(SessionRunHook):
    """Ends the loop after `num_steps` more steps, or at the step `last_step`.

    Raises:
        ValueError: not exactly one of them is given.
    """

    def __init__(self, num_steps: int | None = None, last_step: int | None = None) -> None:
        if (num_steps is None) == (last_step is None):
            raise ValueError("One of num_steps or last_step must be specified.")
        self._num_steps, self._last_step = num_steps, last_step

    def after_create_session(self, session: Any, coord: Any) -> None:
        if self._last_step is None:
            self._last_step = _step_now() + (self._num_steps or 0)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if self._last_step is not None and _step_now() >= self._last_step:
            run_context.request_stop()


class LoggingTensorHook(SessionRunHook):
    """Logs tensors (by name) every so many steps or seconds, and/or at the end. Classes that extend it find
    what it keeps under TF 1's names.

    Raises:
        ValueError: not exactly one of `every_n_iter` and `every_n_secs` is given, or none and not `at_end`.
    """

    def __init__(self, tensors: Mapping[str, Any] | Sequence[Any], every_n_iter: int | None = None,
                 every_n_secs: float | None = None, at_end: bool = False,
                 formatter: Callable[[dict[str, Any]], str] | None = None) -> None:
        given = (every_n_iter is not None) + (every_n_secs is not None)
        if given > 1 or not (given or at_end):
            raise ValueError("either at_end and/or exactly one of every_n_iter and every_n_secs "
                             "must be provided.")
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        if isinstance(tensors, Mapping):
            self._tensors = dict(tensors)
            self._tag_order = sorted(tensors)
        else:
            self._tensors = {t if isinstance(t, str) else getattr(t, "name", str(t)): t
                             for t in tensors}
            self._tag_order = list(self._tensors)
        self._formatter, self._log_at_end = formatter, at_end
        self._timer = SecondOrStepTimer(every_n_secs, every_n_iter) if given else NeverTriggerTimer()
        self._current_tensors = dict(self._tensors)
        self._iter_count, self._values = 0, dict[str, Any]()
        self._should_trigger = False

    def begin(self) -> None:
        self._timer.reset()
        self._iter_count = 0
        self._current_tensors = dict(self._tensors)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        self._should_trigger = self._timer.should_trigger_for_step(self._iter_count)
        last = self._log_at_end and run_context.session is None  # it may be
        return SessionRunArgs(self._current_tensors) if self._should_trigger or last else None

    def _log_tensors(self, tensor_values: dict[str, Any]) -> None:
        elapsed, _ = self._timer.update_last_triggered_step(self._iter_count)
        if self._formatter:
            logging.info("%s", self._formatter(tensor_values))
            return
        with np.printoptions(suppress=True):
            text = ", ".join(f"{tag} = {tensor_values[tag]}" for tag in self._tag_order)
        logging.info("%s%s", text, "" if elapsed is None else f" ({elapsed:.3f} sec)")

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        self._values = run_values.results or self._values
        if self._should_trigger:
            self._log_tensors(self._values)
        self._iter_count += 1

    def end(self, session: Any) -> None:
        if self._log_at_end:
            self._log_tensors(self._values if session is None else session.run(self._current_tensors))


class StepCounterHook(SessionRunHook):
    """Logs (and, with `output_dir`, summarizes) steps per second. Classes that extend it may do else with
    what `_log_and_record` is given."""

    def __init__(self, every_n_steps: int | None = 100, every_n_secs: float | None = None,
                 output_dir: str | None = None, summary_writer: Any = None) -> None:
        self._timer = SecondOrStepTimer(every_n_secs, every_n_steps)
        self._output_dir, self._summary_writer = output_dir, summary_writer
        self._summary_tag = "global_step/sec"

    def begin(self) -> None:
        if self._summary_writer is None and self._output_dir:
            self._summary_writer = FileWriterCache.get(self._output_dir)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        step = _step_now()
        if self._timer.should_trigger_for_step(step):
            elapsed_time, elapsed_steps = self._timer.update_last_triggered_step(step)
            if elapsed_time is not None:
                self._log_and_record(elapsed_steps, elapsed_time, step)

    def _log_and_record(self, elapsed_steps: Any, elapsed_time: float, global_step: int) -> None:
        steps_per_sec = elapsed_steps / elapsed_time
        if self._summary_writer is not None:
            summary = summary_pb2.Summary()
            summary.value.add(tag=self._summary_tag, simple_value=steps_per_sec)
            self._summary_writer.add_summary(summary, global_step)
        logging.info("%s: %g", self._summary_tag, steps_per_sec)

    def end(self, session: Any) -> None:
        if self._summary_writer is not None:
            self._summary_writer.flush()


class NanLossDuringTrainingError(RuntimeError):
    """The loss became NaN."""

    def __str__(self) -> str:
        return "NaN loss during training."


class NanTensorHook(SessionRunHook):
    """Stops the loop, by default with an error, when `loss_tensor` becomes NaN."""

    def __init__(self, loss_tensor: Any, fail_on_nan_loss: bool = True) -> None:
        self._loss_tensor, self._fail_on_nan_loss = loss_tensor, fail_on_nan_loss

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._loss_tensor)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if not math.isnan(float(np.asarray(run_values.results))):
            return
        if self._fail_on_nan_loss:
            logging.error("Model diverged with loss = NaN.")
            raise NanLossDuringTrainingError
        logging.warning("Model diverged with loss = NaN.")
        run_context.request_stop()


class CheckpointSaverListener:
    """Is told before and after each checkpoint; each method does nothing."""

    def begin(self) -> None:
        """Called once at the beginning."""

    def before_save(self, session: Any, global_step_value: int) -> None:
        """Called before saving."""

    def after_save(self, session: Any, global_step_value: int) -> bool | None:
        """Called after saving; True ends the loop."""

    def end(self, session: Any, global_step_value: int) -> None:
        """Called once at the end."""


class CheckpointSaverHook(SessionRunHook):
    """Saves a checkpoint every so many steps or seconds, and at the end.

    Raises:
        ValueError: both `saver` and `scaffold` are given.
    """

    def __init__(self, checkpoint_dir: str, save_secs: float | None = None,
                 save_steps: int | None = None, saver: Any = None,
                 checkpoint_basename: str = "model.ckpt", scaffold: Any = None,
                 listeners: Sequence[CheckpointSaverListener] | None = None) -> None:
        if saver is not None and scaffold is not None:
            raise ValueError("You cannot provide both saver and scaffold.")
        self._save_path = os.path.join(checkpoint_dir, checkpoint_basename)
        self._checkpoint_dir, self._scaffold, self._saver = checkpoint_dir, scaffold, saver
        self._timer = SecondOrStepTimer(save_secs, save_steps)
        self._listeners = list(listeners or ())

    def after_create_session(self, session: Any, coord: Any) -> None:
        tf.io.gfile.makedirs(self._checkpoint_dir)
        for listener in self._listeners:
            listener.begin()
        self._save(session, _step_now())

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        step = _step_now()
        if self._timer.should_trigger_for_step(step) and self._save(run_context.session, step):
            run_context.request_stop()

    def end(self, session: Any) -> None:
        step = _step_now()
        if step != self._timer.last_triggered_step():
            self._save(session, step)
        for listener in self._listeners:
            listener.end(session, step)

    def _save(self, session: Any, step: int) -> bool:
        if self._saver is None:
            self._saver = getattr(self._scaffold, "saver", None) or next(
                iter(get_collection(GraphKeys.SAVERS)), None) or Saver()
        logging.info("Saving checkpoints for %d into %s.", step, self._save_path)
        for listener in self._listeners:
            listener.before_save(session, step)
        self._saver.save(self._save_path, global_step=step)
        self._timer.update_last_triggered_step(step)
        wants_stop = [listener.after_save(session, step) for listener in self._listeners]
        return any(wants_stop)


class SummarySaverHook(SessionRunHook):
    """Writes the summaries of a graph every so many steps or seconds.

    In loops without sessions it writes what `merge_all` gave a model function; other summaries are written
    where they are made.
    """

    def __init__(self, save_steps: int | None = None, save_secs: float | None = None,
                 output_dir: str | None = None, summary_writer: Any = None, scaffold: Any = None,
                 summary_op: Any = None) -> None:
        self.save_steps, self.save_secs, self.output_dir = save_steps, save_secs, output_dir
        self._summary_writer, self._scaffold, self._summary_op = summary_writer, scaffold, summary_op
        self._timer = (SecondOrStepTimer(save_secs, save_steps)
                       if save_secs is not None or save_steps is not None else None)
        self._next: int | None = None  # step
        self._due = self._writes = False

    def begin(self) -> None:
        self._next = None
        if self._summary_writer is None and self.output_dir:
            self._summary_writer = FileWriterCache.get(self.output_dir)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        wanted = self._summary_op if self._summary_op is not None else getattr(
            self._scaffold, "summary_op", None)
        self._writes = run_context.session is not None or wanted is not None
        self._due = self._writes and self._timer is not None and (
            self._next is None or self._timer.should_trigger_for_step(self._next))
        if wanted is None or not self._due:
            return None
        return SessionRunArgs(wanted if isinstance(wanted, list) else [wanted])

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if self._summary_writer is None or not self._writes or self._timer is None:
            return
        step = _step_now()
        if self._due:
            self._timer.update_last_triggered_step(step)
            for summary in run_values.results or ():
                self._summary_writer.add_summary(summary, step)
        self._next = step + 1

    def end(self, session: Any) -> None:
        if self._summary_writer is not None:
            self._summary_writer.flush()


class FinalOpsHook(SessionRunHook):
    """Keeps the values that `final_ops` have at the end."""

    def __init__(self, final_ops: Any, final_ops_feed_dict: Any = None) -> None:
        self._final_ops, self._feeds = final_ops, final_ops_feed_dict
        self.final_ops_values: Any = None

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        return None if run_context.session is not None else SessionRunArgs(self._final_ops)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        self.final_ops_values = run_values.results

    def end(self, session: Any) -> None:
        if session is not None and self._final_ops is not None:
            self.final_ops_values = session.run(self._final_ops, self._feeds)


class FeedFnHook(SessionRunHook):
    """Feeds what `feed_fn` gives into each run of a graph.

    Raises NotImplementedError where there is no session: a step function has arguments instead.
    """

    def __init__(self, feed_fn: Callable[[], Any]) -> None:
        self.feed_fn = feed_fn

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        if run_context.session is None:
            raise NotImplementedError("nothing can be fed to a step function; return the values "
                                      "from the input function instead")
        return SessionRunArgs(None, feed_dict=self.feed_fn())


class GlobalStepWaiterHook(SessionRunHook):
    """Lets a worker begin when others have come to a step; there is one process here."""

    def __init__(self, wait_until_step: int) -> None:
        self.wait_until_step = wait_until_step


class Scaffold:
    """What else belongs to a model: how its variables get their first values, and its saver.

    `init_fn(scaffold, session)` is called once, when all variables exist, unless a checkpoint was
    restored. Loops without sessions only keep the operations: nothing has to be initialized.
    """

    def __init__(self, init_op: Any = None, init_feed_dict: Any = None,
                 init_fn: Callable[..., Any] | None = None, ready_op: Any = None,
                 ready_for_local_init_op: Any = None, local_init_op: Any = None,
                 summary_op: Any = None, saver: Any = None, copy_from_scaffold: Any = None,
                 local_init_feed_dict: Any = None) -> None:
        copied = copy_from_scaffold
        self.saver: Any
        self.summary_op: Any
        self.init_fn: Any
        given = {"init_op": init_op, "init_feed_dict": init_feed_dict, "init_fn": init_fn,
                 "ready_op": ready_op, "ready_for_local_init_op": ready_for_local_init_op,
                 "local_init_op": local_init_op, "summary_op": summary_op, "saver": saver}
        for name, value in given.items():
            setattr(self, name, getattr(copied, name, None) if value is None else value)
        self.local_init_feed_dict = local_init_feed_dict

    @staticmethod
    def get_or_default(arg_name: str, collection_key: str,
                       default_constructor: Callable[[], Any]) -> Any:
        """The one member of a collection, which gets what `default_constructor` makes if empty.

        Raises:
            RuntimeError: there are several.
        """
        members = get_collection(collection_key)
        if len(members) > 1:
            raise RuntimeError(f"More than one item in the collection {collection_key!r}; "
                               f"please indicate which one to use by passing {arg_name}.")
        if members:
            return members[0]
        made = default_constructor()
        if made is not None:
            add_to_collection(collection_key, made)
        return made

    @staticmethod
    def default_local_init_op() -> Any:
        """Gives local variables and tables their values, if they do not have them."""
        if not builds_graph():
            return tf.group()
        run = current_run()
        return tf.group(run.initializer_of(GraphKeys.LOCAL_VARIABLES),
                        *get_collection(GraphKeys.TABLE_INITIALIZERS))

    def finalize(self) -> Scaffold:
        """Makes what is missing, where a graph is being built."""
        if not builds_graph():
            return self
        run = current_run()
        for name, collection, make in (
            ("init_op", GraphKeys.INIT_OP, lambda: run.initializer_of(GraphKeys.GLOBAL_VARIABLES)),
            ("ready_op", GraphKeys.READY_OP, report_uninitialized_variables),
            ("ready_for_local_init_op", GraphKeys.READY_FOR_LOCAL_INIT_OP,
             lambda: report_uninitialized_variables(global_variables())),
            ("local_init_op", GraphKeys.LOCAL_INIT_OP, self.default_local_init_op),
            ("summary_op", GraphKeys.SUMMARY_OP, merge_all),
            ("saver", GraphKeys.SAVERS, Saver),
        ):
            if getattr(self, name) is None:
                setattr(self, name, self.get_or_default(name, collection, make))
        return self
