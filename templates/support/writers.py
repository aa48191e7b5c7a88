"""TF 1's writers of event files, for summaries that were fetched, and for events that the program makes."""
from __future__ import annotations

import platform
import time
from typing import Any

import tensorflow as tf
from tensorflow.core.framework import graph_pb2
from tensorflow.core.util import event_pb2


class FileWriter:
    """Writes summaries, given as messages or as bytes that a step returned.

    Args:
        logdir: The folder of the event file.
        graph: Shown by TensorBoard.
        max_queue: How many summaries to keep before writing; `flush_secs`: for how long.
        filename_suffix: The end of the file's name.
    """

    def __init__(self, logdir: str, graph: Any = None, max_queue: int = 10, flush_secs: float = 120,
                 graph_def: Any = None, filename_suffix: str | None = None,
                 session: Any = None) -> None:
        self._logdir = str(logdir)
        with tf.init_scope():
            self._writer = tf.summary.create_file_writer(
                self._logdir, max_queue, int(flush_secs * 1000), filename_suffix)
        if session is not None:
            graph = session.graph
        if graph is not None or graph_def is not None:
            self.add_graph(graph, graph_def=graph_def)

    def get_logdir(self) -> str:
        return self._logdir

    def add_summary(self, summary: Any, global_step: Any = None) -> None:
        """Writes a `Summary` message, or its bytes, at a step (0 if none is said)."""
        data = summary if isinstance(summary, bytes) else summary.SerializeToString()
        with tf.init_scope(), self._writer.as_default(), tf.summary.record_if(True):
            tf.summary.experimental.write_raw_pb(data, step=_number(global_step))

    def add_graph(self, graph: Any, global_step: Any = None, graph_def: Any = None) -> None:
        """Writes a graph, or the GraphDef of one, for TensorBoard to show."""
        shown = graph_def if graph is None else graph
        if not isinstance(shown, graph_pb2.GraphDef):
            shown = shown.as_graph_def()
        with tf.init_scope(), self._writer.as_default():
            tf.summary.graph(shown)

    def add_event(self, event: Any) -> None:
        """Writes the summary of an `Event` message, at its step."""
        if event.HasField("summary"):
            self.add_summary(event.summary, event.step)

    def add_run_metadata(self, run_metadata: Any, tag: str, global_step: Any = None) -> None:
        """Nothing: what a step took is what `tf.profiler.experimental` shows now."""

    def add_session_log(self, session_log: Any, global_step: Any = None) -> None:
        """Nothing: it told TensorBoard where a session began."""

    def flush(self) -> None:
        with tf.init_scope():
            self._writer.flush()

    def close(self) -> None:
        with tf.init_scope():
            self._writer.close()

    def reopen(self) -> None:
        """Goes on in a new file."""
        with tf.init_scope():
            self._writer = tf.summary.create_file_writer(self._logdir)

    def __enter__(self) -> FileWriter:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()


class FileWriterCache:
    """The one FileWriter of each folder."""

    _writers: dict[str, FileWriter] = {}

    @classmethod
    def get(cls, logdir: str) -> FileWriter:
        """The writer of a folder, made if need be."""
        if logdir not in cls._writers:
            cls._writers[logdir] = FileWriter(logdir)
        return cls._writers[logdir]

    @classmethod
    def clear(cls) -> None:
        """Closes all of them."""
        for writer in cls._writers.values():
            writer.close()
        cls._writers.clear()


class EventsWriter:
    """An event file of `Event` messages: records, of which the first says in which version they are.

    Args:
        file_prefix: The beginning of the file's path; the time and the machine follow.
    """

    def __init__(self, file_prefix: Any) -> None:
        now = time.time()
        self._path = f"{tf.compat.as_text(file_prefix)}.out.tfevents.{int(now):010d}.{platform.node()}"
        self._records = tf.io.TFRecordWriter(self._path)
        self.WriteEvent(event_pb2.Event(wall_time=now, file_version="brain.Event:2"))

    def FileName(self) -> bytes:
        return tf.compat.as_bytes(self._path)

    def WriteEvent(self, event: event_pb2.Event) -> None:
        self._records.write(event.SerializeToString())

    def Flush(self) -> None:
        self._records.flush()

    def Close(self) -> None:
        self._records.close()


def _number(step: Any) -> int:
    return 0 if step is None else int(step)


def visualize_embeddings(summary_writer: FileWriter, config: Any) -> None:
    """Writes a `ProjectorConfig` into the folder of a writer, where TensorBoard looks for it."""
    from tensorboard.plugins import projector

    projector.visualize_embeddings(summary_writer.get_logdir(), config)
