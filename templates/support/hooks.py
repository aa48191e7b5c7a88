"""TF 1's session hooks for loops without sessions: called around each step of a training loop.

A hook may ask for tensors of the step function (`SessionRunArgs`), variables, or functions; after
the step it gets their values.
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

from .checkpoint import Saver
from .scopes import add_to_collection, get_collection, get_global_step


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
        """Called once, when the variables have their values; `session` and `coord` are None."""

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Called before each step; may ask for values."""

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Called after each step."""

    def end(self, session: Any) -> None:
        """Called at the end, unless there was an error; `session` is None."""


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


def _step_now() -> int:
    step = get_global_step()
    return 0 if step is None else int(step)


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
    """Logs tensors (by name) every so many steps or seconds, and/or at the end."""

    def __init__(self, tensors: Mapping[str, Any] | Sequence[Any], every_n_iter: int | None = None,
                 every_n_secs: float | None = None, at_end: bool = False,
                 formatter: Callable[[dict[str, Any]], str] | None = None) -> None:
        if every_n_iter is None and every_n_secs is None and not at_end:
            raise ValueError("give every_n_iter, every_n_secs or at_end")
        if not isinstance(tensors, Mapping):
            tensors = {getattr(tensor, "name", str(tensor)): tensor for tensor in tensors}
        self._tensors, self._formatter, self._at_end = dict(tensors), formatter, at_end
        self._timer = (SecondOrStepTimer(every_n_secs, every_n_iter)
                       if every_n_iter is not None or every_n_secs is not None else None)
        self._iteration, self._values = 0, {}

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._tensors)

    def _write(self, values: dict[str, Any]) -> None:
        logging.info(self._formatter(values) if self._formatter else
                     ", ".join(f"{name} = {value}" for name, value in values.items()))

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        self._values = run_values.results
        if self._timer is not None and self._timer.should_trigger_for_step(self._iteration):
            self._timer.update_last_triggered_step(self._iteration)
            self._write(self._values)
        self._iteration += 1

    def end(self, session: Any) -> None:
        if self._at_end:
            self._write(self._values)


class StepCounterHook(SessionRunHook):
    """Logs (and, with `output_dir`, summarizes) steps per second."""

    def __init__(self, every_n_steps: int | None = 100, every_n_secs: float | None = None,
                 output_dir: str | None = None, summary_writer: Any = None) -> None:
        self._timer = SecondOrStepTimer(every_n_secs, every_n_steps)
        self._writer = summary_writer or (
            tf.summary.create_file_writer(output_dir) if output_dir else None)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        step = _step_now()
        if not self._timer.should_trigger_for_step(step):
            return
        seconds, steps = self._timer.update_last_triggered_step(step)
        if seconds and steps is not None:
            logging.info("global_step/sec: %g", steps / seconds)
            if self._writer is not None:
                with self._writer.as_default(step=step), tf.summary.record_if(True):
                    tf.summary.scalar("global_step/sec", steps / seconds)


class NanLossDuringTrainingError(RuntimeError):
    """The loss became NaN."""

    def __str__(self) -> str:
        return "NaN loss during training."


class NanTensorHook(SessionRunHook):
    """Stops the loop, by default with an error, when `loss_tensor` becomes NaN."""

    def __init__(self, loss_tensor: Any, fail_on_nan_loss: bool = True) -> None:
        self._loss_tensor, self._fail = loss_tensor, fail_on_nan_loss

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._loss_tensor)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if not math.isnan(float(np.asarray(run_values.results))):
            return
        if self._fail:
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
        self._path = os.path.join(checkpoint_dir, checkpoint_basename)
        self._directory, self._scaffold, self._saver = checkpoint_dir, scaffold, saver
        self._timer = SecondOrStepTimer(save_secs, save_steps)
        self._listeners = list(listeners or ())

    def after_create_session(self, session: Any, coord: Any) -> None:
        tf.io.gfile.makedirs(self._directory)
        for listener in self._listeners:
            listener.begin()
        self._save(_step_now())

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        step = _step_now()
        if self._timer.should_trigger_for_step(step) and self._save(step):
            run_context.request_stop()

    def end(self, session: Any) -> None:
        step = _step_now()
        if step != self._timer.last_triggered_step():
            self._save(step)
        for listener in self._listeners:
            listener.end(None, step)

    def _save(self, step: int) -> bool:
        if self._saver is None:
            self._saver = getattr(self._scaffold, "saver", None) or Saver()
        for listener in self._listeners:
            listener.before_save(None, step)
        logging.info("Saving checkpoints for %d into %s.", step, self._path)
        self._saver.save(self._path, global_step=step)
        self._timer.update_last_triggered_step(step)
        wants_stop = [listener.after_save(None, step) for listener in self._listeners]
        return any(wants_stop)


class SummarySaverHook(SessionRunHook):
    """Kept for callers: summaries are written where they are made, into the default writer."""

    def __init__(self, save_steps: int | None = None, save_secs: float | None = None,
                 output_dir: str | None = None, summary_writer: Any = None, scaffold: Any = None,
                 summary_op: Any = None) -> None:
        self.save_steps, self.save_secs, self.output_dir = save_steps, save_secs, output_dir


class FinalOpsHook(SessionRunHook):
    """Keeps the values that `final_ops` have at the end."""

    def __init__(self, final_ops: Any, final_ops_feed_dict: Any = None) -> None:
        self._final_ops, self.final_ops_values = final_ops, None

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._final_ops)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        self.final_ops_values = run_values.results


class FeedFnHook(SessionRunHook):
    """Raises NotImplementedError when used: a step function has arguments instead of feeds."""

    def __init__(self, feed_fn: Callable[[], Any]) -> None:
        self.feed_fn = feed_fn

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        raise NotImplementedError("nothing can be fed to a step function; return the values from "
                                  "the input function instead")


class Scaffold:
    """What else belongs to a model: how its variables get their first values, and its saver.

    `init_fn(scaffold, None)` is called once, when all variables exist, unless a checkpoint was
    restored. The operations are kept for callers: nothing has to be initialized.
    """

    def __init__(self, init_op: Any = None, init_feed_dict: Any = None,
                 init_fn: Callable[..., Any] | None = None, ready_op: Any = None,
                 ready_for_local_init_op: Any = None, local_init_op: Any = None,
                 summary_op: Any = None, saver: Any = None, copy_from_scaffold: Any = None,
                 local_init_feed_dict: Any = None) -> None:
        copied = copy_from_scaffold
        self.init_op, self.init_feed_dict = init_op, init_feed_dict
        self.init_fn = init_fn or getattr(copied, "init_fn", None)
        self.ready_op, self.ready_for_local_init_op = ready_op, ready_for_local_init_op
        self.local_init_op, self.local_init_feed_dict = local_init_op, local_init_feed_dict
        self.summary_op = summary_op
        self.saver = saver or getattr(copied, "saver", None)

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
        """Nothing: local variables and tables have their values."""
        return tf.group()

    def finalize(self) -> Scaffold:
        """Nothing is left to be made."""
        return self
