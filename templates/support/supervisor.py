"""TF 1's Supervisor: a session that goes on from a checkpoint, saves and summarizes beside the training."""
from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import tensorflow as tf

from .checkpoint import Saver
from .graph_summaries import merge_all
from .graphs import Graph, default_graph, global_variables_initializer
from .hooks import Scaffold
from .sessions import Session
from .store import GraphKeys
from .training import global_step as step_of
from .writers import FileWriter

_DEFAULT = 0


class Supervisor:
    """``with Supervisor(logdir=...).managed_session() as sess: while not sv.should_stop(): ...``

    Args:
        graph: Default: the one that is being built.
        logdir: Where checkpoints are restored and saved and summaries written; None: nowhere.
        init_fn: Called with the session where no checkpoint was restored.
        summary_op, saver, global_step: 0: what the graph has; None: none.
        save_summaries_secs, save_model_secs: How often; 0 or None: never.
    """

    USE_DEFAULT = _DEFAULT

    def __init__(self, graph: Graph | None = None, ready_op: Any = _DEFAULT,
                 ready_for_local_init_op: Any = _DEFAULT, is_chief: bool = True,
                 init_op: Any = _DEFAULT, init_feed_dict: Mapping[Any, Any] | None = None,
                 local_init_op: Any = _DEFAULT, logdir: str | None = None,
                 summary_op: Any = _DEFAULT, saver: Any = _DEFAULT, global_step: Any = _DEFAULT,
                 save_summaries_secs: float | None = 120, save_model_secs: float | None = 600,
                 recovery_wait_secs: float = 30, stop_grace_secs: float = 120,
                 checkpoint_basename: str = "model.ckpt", session_manager: Any = None,
                 summary_writer: Any = _DEFAULT, init_fn: Callable[[Any], Any] | None = None,
                 local_init_run_options: Any = None) -> None:
        self.graph = graph or default_graph()
        with self.graph.as_default():
            self.init_op = self._given(
                init_op, GraphKeys.INIT_OP, global_variables_initializer)
            self.local_init_op = self._given(
                local_init_op, GraphKeys.LOCAL_INIT_OP, Scaffold.default_local_init_op)
            self.saver = self._given(saver, GraphKeys.SAVERS, self._saver)
            self.summary_op = self._given(summary_op, GraphKeys.SUMMARY_OP, merge_all)
            self.global_step = self._given(
                global_step, GraphKeys.GLOBAL_STEP,
                lambda: self.graph.store.variables_by_name.get("global_step"))
        self.is_chief, self.coord = is_chief, tf.train.Coordinator()
        self.init_feed_dict, self._init_fn, self._grace = init_feed_dict, init_fn, stop_grace_secs
        self.save_summaries_secs, self.save_model_secs = save_summaries_secs, save_model_secs
        self._logdir = logdir if is_chief else None
        self.save_path = os.path.join(logdir, checkpoint_basename) if logdir and is_chief else None
        self.summary_writer: Any = summary_writer if is_chief else None
        if summary_writer is _DEFAULT:
            self.summary_writer = FileWriter(logdir) if logdir and is_chief else None

    def _given(self, value: Any, collection: str, make: Callable[[], Any]) -> Any:
        """`value`, or, where it is 0, what the graph has or `make` makes."""
        if not isinstance(value, int) or value != _DEFAULT:
            return value
        held = self.graph.get_collection(collection)
        if held:
            return held[0]
        made = make()
        if made is not None:
            self.graph.add_to_collection(collection, made)
        return made

    def _saver(self) -> Saver | None:
        return Saver() if self.graph.get_collection(GraphKeys.GLOBAL_VARIABLES) else None

    # ---- sessions ----------------------------------------------------------------------------
    @contextlib.contextmanager
    def managed_session(self, master: str = "", config: Any = None,
                        start_standard_services: bool = True, close_summary_writer: bool = True
                        ) -> Iterator[Session]:
        """A session that is ready; at the end of the block all that was started stops.

        The end of the data (OutOfRangeError) ends the block; other errors are raised behind it.
        """
        session = None
        try:
            session = self.prepare_or_wait_for_session(
                master, config, start_standard_services=start_standard_services)
            yield session
        except Exception as error:
            self.request_stop(error)
        finally:
            try:
                self.stop(close_summary_writer=close_summary_writer)
            finally:
                if session is not None:
                    session.close()

    def prepare_or_wait_for_session(self, master: str = "", config: Any = None,
                                    wait_for_checkpoint: bool = False, max_wait_secs: float = 7200,
                                    start_standard_services: bool = True) -> Session:
        """A session in which the variables have their values."""
        self.coord.clear_stop()
        with self.graph.as_default():
            session = Session(graph=self.graph)
            latest = tf.train.latest_checkpoint(self._logdir) if self._logdir else None
            if latest and self.saver is not None:
                self.saver.restore(session, latest)
            else:
                if self.init_op is not None:
                    session.run(self.init_op, self.init_feed_dict)
                if self._init_fn is not None:
                    self._init_fn(session)
            if self.local_init_op is not None:
                session.run(self.local_init_op)
            if start_standard_services:
                self.start_standard_services(session)
                self.start_queue_runners(session)
        return session

    def start_standard_services(self, sess: Session) -> list[threading.Thread]:
        """Starts to save and to summarize every so many seconds."""
        threads = []
        if self._logdir and self.save_summaries_secs and self.summary_writer is not None and (
                self.summary_op is not None):
            threads.append(self.loop(self.save_summaries_secs, self._summarize, (sess,)))
        if self._logdir and self.save_model_secs and self.saver is not None:
            threads.append(self.loop(self.save_model_secs, self._save, (sess,)))
        return threads

    def _summarize(self, sess: Session) -> None:
        self.summary_computed(sess, sess.run(self.summary_op))

    def _save(self, sess: Session) -> None:
        with self.graph.as_default():
            self.saver.save(sess, self.save_path, global_step=self.global_step)

    def start_queue_runners(self, sess: Session, queue_runners: Sequence[Any] | None = None
                            ) -> list[threading.Thread]:
        """Starts the threads that fill queues."""
        if queue_runners is None:
            queue_runners = self.graph.get_collection(GraphKeys.QUEUE_RUNNERS)
        return [thread for runner in queue_runners
                for thread in runner.create_threads(sess, self.coord, daemon=True, start=True)]

    def loop(self, timer_interval_secs: float | None, target: Callable[..., Any],
             args: Sequence[Any] | None = None, kwargs: Mapping[str, Any] | None = None
             ) -> threading.Thread:
        """A thread that calls `target` at once and every so many seconds until all is to stop."""

        def repeat() -> None:
            due = time.monotonic()
            with self.coord.stop_on_exception():
                while not self.coord.wait_for_stop(max(0.0, due - time.monotonic())):
                    target(*(args or ()), **(kwargs or {}))
                    due += timer_interval_secs or 0.0

        thread = threading.Thread(target=repeat, daemon=True)
        self.coord.register_thread(thread)
        thread.start()
        return thread

    # ---- stopping ----------------------------------------------------------------------------
    def stop(self, threads: Sequence[threading.Thread] | None = None,
             close_summary_writer: bool = True, ignore_live_threads: bool = False) -> None:
        """Stops all threads, and raises the error of one that failed."""
        self.coord.request_stop()
        try:
            self.coord.join(threads, stop_grace_period_secs=self._grace,
                            ignore_live_threads=ignore_live_threads)
        finally:
            if close_summary_writer and self.summary_writer is not None:
                self.summary_writer.close()

    def request_stop(self, ex: Any = None) -> None:
        """`should_stop` from now on."""
        self.coord.request_stop(ex)

    def should_stop(self) -> bool:
        return bool(self.coord.should_stop())

    def stop_on_exception(self) -> Any:
        return self.coord.stop_on_exception()

    def wait_for_stop(self) -> None:
        self.coord.wait_for_stop()

    def summary_computed(self, sess: Any, summary: Any, global_step: Any = None) -> None:
        """Writes a summary that was fetched.

        Raises:
            RuntimeError: there is no writer.
        """
        if self.summary_writer is None:
            raise RuntimeError("Writing a summary requires a summary writer.")
        if global_step is None and self.global_step is not None:
            with self.graph.as_default():
                global_step = step_of(sess, self.global_step)
        self.summary_writer.add_summary(summary, global_step)

    # TF 1's first names of these
    PrepareSession = prepare_or_wait_for_session
    StartStandardServices, StartQueueRunners = start_standard_services, start_queue_runners
    Loop, Stop, RequestStop, ShouldStop = loop, stop, request_stop, should_stop
    StopOnException, WaitForStop = stop_on_exception, wait_for_stop
    SummaryComputed = summary_computed
