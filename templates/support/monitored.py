"""A training loop with hooks, checkpoints and summaries: what TF 1's monitored sessions added."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

import numpy as np
import tensorflow as tf

from .checkpoint import Saver
from .hooks import (
    CheckpointSaverHook,
    Scaffold,
    SecondOrStepTimer,
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
    StepCounterHook,
)
from .scopes import get_or_create_global_step

_DEFAULT: Any = object()


class TrainingLoop:
    """``with TrainingLoop(directory, hooks=hooks) as loop: while not loop.should_stop(): ...``

    Entering goes on from the latest checkpoint in `checkpoint_dir`; the loop then saves there every
    `save_checkpoint_secs` or `save_checkpoint_steps` (600 seconds if neither is said), and once at
    the end. The summaries of a step are written every `save_summaries_steps` (100 if nothing is
    said) or `save_summaries_secs`. The variables must exist when it is entered, or be made by the
    functions in `build`. The end of the data
    (StopIteration, OutOfRangeError) ends the loop; other errors leave it without a last checkpoint.

    Args:
        checkpoint_dir: Where to save; None: nothing is saved.
        hooks, chief_only_hooks: Called around every step.
        log_step_count_steps: After how many steps to log the speed; None: never.
        scaffold: A saver, and how variables get first values where nothing is restored.
        saver: Restores and saves instead of one over all variables.
        is_chief: Whether this process saves.
        summary_dir: Where summaries go if not to `checkpoint_dir`.
        build: Functions to trace when it is entered, so that their variables can be restored.
    """

    def __init__(
        self, checkpoint_dir: str | None = None, hooks: Sequence[SessionRunHook] | None = None,
        chief_only_hooks: Sequence[SessionRunHook] | None = None, scaffold: Scaffold | None = None,
        save_checkpoint_secs: float | None = _DEFAULT, save_checkpoint_steps: int | None = None,
        save_summaries_steps: int | None = _DEFAULT, save_summaries_secs: float | None = None,
        log_step_count_steps: int | None = 100, saver: Any = None, is_chief: bool = True,
        summary_dir: str | None = None, build: Sequence[Any] = (),
    ) -> None:
        if save_checkpoint_secs is _DEFAULT:
            save_checkpoint_secs = None if save_checkpoint_steps else 600
        if save_summaries_steps is _DEFAULT:
            save_summaries_steps = None if save_summaries_secs else 100
        self._directory, self._scaffold = checkpoint_dir, scaffold
        self._saver = saver or getattr(scaffold, "saver", None) or Saver()
        self._hooks: list[SessionRunHook] = []
        if is_chief and checkpoint_dir:
            if log_step_count_steps:
                self._hooks.append(StepCounterHook(log_step_count_steps, output_dir=checkpoint_dir))
            if save_checkpoint_secs or save_checkpoint_steps:
                self._hooks.append(CheckpointSaverHook(
                    checkpoint_dir, save_checkpoint_secs or None, save_checkpoint_steps,
                    saver=self._saver))
        self._hooks += [*(hooks or ()), *((chief_only_hooks or ()) if is_chief else ())]
        self._stop, self._build = False, build
        home = summary_dir or checkpoint_dir
        written = home and is_chief and (save_summaries_steps or save_summaries_secs)
        self._writer = (tf.summary.create_file_writer(home) if written
                        else tf.summary.create_noop_writer())
        self._timer = SecondOrStepTimer(save_summaries_secs, save_summaries_steps) if written else None
        self._due = tf.Variable(False, trainable=False, name="summaries_due")

    def __enter__(self) -> TrainingLoop:
        self._step = get_or_create_global_step()
        with self._writer.as_default(step=self._step), tf.summary.record_if(self._due.read_value):
            for function in self._build:
                function.get_concrete_function()
        latest = tf.train.latest_checkpoint(self._directory) if self._directory else None
        if latest is not None:
            self._saver.restore(latest)
        elif self._scaffold is not None and self._scaffold.init_fn is not None:
            self._scaffold.init_fn(self._scaffold, None)
        for hook in self._hooks:
            hook.begin()
        for hook in self._hooks:
            hook.after_create_session(None, None)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        ended = isinstance(error, (StopIteration, tf.errors.OutOfRangeError))
        if error is None or ended:
            for hook in self._hooks:
                hook.end(None)
        self._writer.flush()
        return ended

    def should_stop(self) -> bool:
        """Whether a hook has asked to stop."""
        return self._stop

    def request_stop(self) -> None:
        """`should_stop` from now on."""
        self._stop = True

    def run(self, step: Callable[..., Any], *args: Any, outputs: Sequence[str] = (),
            **kwargs: Any) -> Any:
        """What ``step(*args, **kwargs)`` returns, the hooks being called around it.

        `outputs` names the values that it returns, in order: hooks ask for them by these names.

        Raises:
            KeyError: a hook asks for a value that `step` does not return.
        """
        context = SessionRunContext()
        wanted: list[tuple[SessionRunHook, SessionRunArgs | None]] = [
            (hook, hook.before_run(context)) for hook in self._hooks
        ]
        if self._timer is not None:
            now = int(self._step)
            due = self._timer.should_trigger_for_step(now)
            self._due.assign(due)
            if due:
                self._timer.update_last_triggered_step(now)
        with self._writer.as_default(step=self._step), tf.summary.record_if(self._due.read_value):
            result = step(*args, **kwargs)
        values = dict(zip(outputs, result if len(outputs) > 1 else [result], strict=False))
        for hook, request in wanted:
            fetched = None if request is None else tf.nest.map_structure(
                lambda fetch: _value(fetch, values), request.fetches)
            hook.after_run(context, SessionRunValues(fetched))
        self._stop = self._stop or context.stop_requested
        return result


def _value(fetch: Any, values: dict[str, Any]) -> Any:
    if isinstance(fetch, str):
        if fetch not in values:
            raise KeyError(f"the step does not return {fetch!r}, only {sorted(values)}")
        fetch = values[fetch]
    elif callable(fetch) and not isinstance(fetch, tf.Variable):
        fetch = fetch()
    return np.asarray(fetch)[()]
