"""TF 1's monitored sessions: runs of a graph with hooks, checkpoints and queue runners around them."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

import tensorflow as tf

from .graphs import default_graph
from .hooks import (
    CheckpointSaverHook,
    Scaffold,
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
    StepCounterHook,
    SummarySaverHook,
)
from .queues import start_queue_runners
from .sessions import Session

_DEFAULT: Any = object()


class ChiefSessionCreator:
    """Makes a session in which the variables have their values: of a checkpoint, or first ones.

    Args:
        checkpoint_dir: Where the latest checkpoint is restored, if there is one.
        checkpoint_filename_with_path: Which checkpoint to restore.
    """

    def __init__(self, scaffold: Scaffold | None = None, master: str = "", config: Any = None,
                 checkpoint_dir: str | None = None,
                 checkpoint_filename_with_path: str | None = None) -> None:
        self._scaffold, self._directory = scaffold or Scaffold(), checkpoint_dir
        self._path = checkpoint_filename_with_path

    def create_session(self) -> Session:
        scaffold = self._scaffold.finalize()
        session = Session()
        path = self._path or (tf.train.latest_checkpoint(self._directory)
                              if self._directory else None)
        if path:
            scaffold.saver.restore(session, path)
        else:
            if scaffold.init_op is not None:
                session.run(scaffold.init_op, scaffold.init_feed_dict)
            if scaffold.init_fn is not None:
                scaffold.init_fn(scaffold, session)
        if scaffold.local_init_op is not None:
            session.run(scaffold.local_init_op, scaffold.local_init_feed_dict)
        return session


class WorkerSessionCreator(ChiefSessionCreator):
    """A ChiefSessionCreator without checkpoints: no other process makes the values."""

    def __init__(self, scaffold: Scaffold | None = None, master: str = "", config: Any = None,
                 max_wait_secs: float = 1800) -> None:
        super().__init__(scaffold, master, config)


class StepContext:
    """What `run_step_fn` gives to a function: the session itself, and runs with hooks."""

    def __init__(self, session: Session, run_with_hooks: Callable[..., Any]) -> None:
        self.session, self.run_with_hooks = session, run_with_hooks

    def request_stop(self) -> None:
        raise StopIteration("step_fn has requested the iterations to stop.")


class MonitoredSession:
    """Runs parts of the graph with hooks around each run: ``while not sess.should_stop()``.

    The end of the data (OutOfRangeError, StopIteration) ends its `with` block; other errors leave
    it without the hooks' `end`.
    """

    StepContext = StepContext

    def __init__(self, session_creator: ChiefSessionCreator | None = None,
                 hooks: Sequence[SessionRunHook] | None = None,
                 stop_grace_period_secs: float = 120) -> None:
        self._hooks, self._grace = list(hooks or ()), stop_grace_period_secs
        self._stop = False
        self.graph = default_graph()
        with self.graph.as_default():
            for hook in self._hooks:
                hook.begin()
            self._session: Session | None = (session_creator or ChiefSessionCreator()).create_session()
            self._coordinator = tf.train.Coordinator(clean_stop_exception_types=[])
            start_queue_runners(self._session, self._coordinator)
            for hook in self._hooks:
                hook.after_create_session(self._session, self._coordinator)

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None,
            run_metadata: Any = None) -> Any:
        """The values of `fetches`; the hooks are called before and after.

        Raises:
            RuntimeError: a hook has asked to stop, or two feed the same tensor.
        """
        session = self._open()
        if self.should_stop():
            raise RuntimeError("Run called even after should_stop requested.")
        with self.graph.as_default():
            context = SessionRunContext(SessionRunArgs(fetches, feed_dict), session)
            wanted, given = {"caller": fetches}, dict(feed_dict or {})
            for number, hook in enumerate(self._hooks):
                asked = hook.before_run(context)
                if asked is None:
                    continue
                if asked.fetches is not None:
                    wanted[str(number)] = asked.fetches
                twice = [t for t in asked.feed_dict or () if any(t is other for other in given)]
                if twice:
                    raise RuntimeError(f"Same tensor is fed by two hooks. Conflict(s): {twice}")
                given |= asked.feed_dict or {}
            found = session.run(wanted, given)
            for number, hook in enumerate(self._hooks):
                hook.after_run(context, SessionRunValues(
                    found.get(str(number)), options, run_metadata))
            self._stop = self._stop or context.stop_requested
        return found["caller"]

    def run_step_fn(self, step_fn: Callable[[StepContext], Any]) -> Any:
        """What `step_fn` gives, which may run parts with and without hooks."""
        return step_fn(StepContext(self._open(), self.run))

    def should_stop(self) -> bool:
        """Whether a hook, or a queue runner, has asked to stop."""
        return self._session is None or self._stop or self._coordinator.should_stop()

    def _open(self) -> Session:
        if self._session is None:
            raise RuntimeError("Session is already closed.")
        return self._session

    def raw_session(self) -> Session | None:
        """The session without hooks."""
        return self._session

    _tf_sess = raw_session

    def close(self) -> None:
        """Calls the hooks' `end` and ends the session."""
        self._close(None)

    def _close(self, error: type[BaseException] | None) -> None:
        session = self._open()
        try:
            if error is None:
                with self.graph.as_default():
                    for hook in self._hooks:
                        hook.end(session)
        finally:
            self._session = None
            self._coordinator.request_stop()
            try:
                self._coordinator.join(stop_grace_period_secs=self._grace, ignore_live_threads=True)
            finally:
                session.close()

    def __enter__(self) -> MonitoredSession:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 traceback: TracebackType | None) -> bool:
        if kind in (tf.errors.OutOfRangeError, StopIteration):
            kind = None
        self._close(kind)
        return kind is None


class SingularMonitoredSession(MonitoredSession):
    """A MonitoredSession that does not begin again after errors of machines (none does here)."""

    def __init__(self, hooks: Sequence[SessionRunHook] | None = None,
                 scaffold: Scaffold | None = None, master: str = "", config: Any = None,
                 checkpoint_dir: str | None = None, stop_grace_period_secs: float = 120,
                 checkpoint_filename_with_path: str | None = None) -> None:
        super().__init__(ChiefSessionCreator(
            scaffold, checkpoint_dir=checkpoint_dir,
            checkpoint_filename_with_path=checkpoint_filename_with_path),
            hooks, stop_grace_period_secs)


def MonitoredTrainingSession(
    master: str = "", is_chief: bool = True, checkpoint_dir: str | None = None,
    scaffold: Scaffold | None = None, hooks: Sequence[SessionRunHook] | None = None,
    chief_only_hooks: Sequence[SessionRunHook] | None = None, save_checkpoint_secs: Any = _DEFAULT,
    save_summaries_steps: Any = _DEFAULT, save_summaries_secs: Any = _DEFAULT, config: Any = None,
    stop_grace_period_secs: float = 120, log_step_count_steps: int | None = 100,
    max_wait_secs: float = 7200, save_checkpoint_steps: Any = _DEFAULT,
    summary_dir: str | None = None,
) -> MonitoredSession:
    """A session that goes on from the latest checkpoint in `checkpoint_dir`, saves there (every 600
    seconds, if nothing is said) and writes summaries (every 100 steps) and the speed there."""
    if save_summaries_steps is _DEFAULT and save_summaries_secs is _DEFAULT:
        save_summaries_steps = 100
    if save_checkpoint_secs is _DEFAULT and save_checkpoint_steps is _DEFAULT:
        save_checkpoint_secs = 600
    summary_steps, summary_secs, save_secs, save_steps = (
        None if value is _DEFAULT else value for value in (
            save_summaries_steps, save_summaries_secs, save_checkpoint_secs, save_checkpoint_steps))
    scaffold = scaffold or Scaffold()
    summary_dir = summary_dir or checkpoint_dir
    used: list[SessionRunHook] = []
    if is_chief:
        used += chief_only_hooks or ()
        if summary_dir:
            if log_step_count_steps and log_step_count_steps > 0:
                used.append(StepCounterHook(log_step_count_steps, output_dir=summary_dir))
            if (summary_steps and summary_steps > 0) or (summary_secs and summary_secs > 0):
                used.append(SummarySaverHook(
                    summary_steps, summary_secs, summary_dir, scaffold=scaffold))
        if checkpoint_dir and ((save_secs and save_secs > 0) or (save_steps and save_steps > 0)):
            used.append(CheckpointSaverHook(
                checkpoint_dir, save_secs, save_steps, scaffold=scaffold))
    used += hooks or ()
    return MonitoredSession(ChiefSessionCreator(scaffold, checkpoint_dir=checkpoint_dir),
                            used, stop_grace_period_secs)
