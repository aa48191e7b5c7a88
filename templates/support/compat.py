"""Graphs and sessions for code that could not be made native, on tf.compat.v1.

Everything such code makes (variables, placeholders, the session) belongs to one graph; values get
in by feeding and out as arrays.
"""
from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import tensorflow as tf

from .store import current_store


class Session(tf.compat.v1.Session):
    """A session on a graph that is given, or that is being built around the call.

    Raises:
        RuntimeError: there is no graph: eager code has nothing that a session could run.
    """

    def __new__(cls, target: str = "", graph: tf.Graph | None = None,
                config: Any = None) -> Session:
        if graph is None and tf.executing_eagerly():
            raise RuntimeError("this session has no graph; make it, and all that it runs, inside "
                               "of `with tf.Graph().as_default():`")
        return super().__new__(cls)


@contextlib.contextmanager
def graph_session(graph: tf.Graph | None = None, config: Any = None) -> Iterator[Session]:
    """A fresh graph (or `graph`) that is built into, and a session on it."""
    with (graph or tf.Graph()).as_default() as current, Session("", current, config) as session:
        yield session


def in_graph_mode(unit: Any) -> Any:
    """Makes a function build into a graph of its own, as if TensorFlow 2 were not eager.

    Of a class, all methods and properties do, each object with one graph: what a later method
    builds is added to what `__init__` built. An object made where a graph is being built uses that.
    """
    tf.compat.v1.disable_control_flow_v2()  # in functions it stays
    if isinstance(unit, type):
        for name, member in list(vars(unit).items()):
            if isinstance(member, property) and member.fget is not None:
                setattr(unit, name, member.getter(_in_own_graph(member.fget)))
            elif inspect.isfunction(member) and not inspect.isgeneratorfunction(member):
                setattr(unit, name, _in_own_graph(member))
        return unit

    @functools.wraps(unit)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        with tf.Graph().as_default():
            return unit(*args, **kwargs)
    return wrapper


def _in_own_graph(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def wrapper(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not tf.executing_eagerly():
            return method(self, *args, **kwargs)
        graph = self.__dict__.get("_tf1_graph")
        if graph is None:
            self.__dict__["_tf1_graph"] = graph = tf.Graph()
        with graph.as_default():
            return method(self, *args, **kwargs)
    return wrapper


def reset_default_graph() -> None:
    """Starts a new default graph; one that is being built around the call forgets what it made."""
    try:
        tf.compat.v1.reset_default_graph()
    except AssertionError:  # TensorFlow replaces no graph that was made the default one
        graph = tf.compat.v1.get_default_graph()
        for key in graph.get_all_collection_keys():
            graph.clear_collection(key)
        if hasattr(graph, "variable_store_run"):
            del graph.variable_store_run


def build_graph() -> None:
    """From here on all of the program builds one graph, as TF 1 did, and computes nothing eagerly.

    Raises ValueError if something was computed already.
    """
    tf.compat.v1.disable_eager_execution()
    tf.compat.v1.disable_control_flow_v2()


@contextlib.contextmanager
def QueueRunners(session: Any) -> Iterator[None]:
    """The queues of the session's graph are filled inside of the block; eagerly there are none."""
    if not isinstance(session, tf.compat.v1.Session):
        yield
        return
    coordinator = tf.train.Coordinator()
    threads = tf.compat.v1.train.start_queue_runners(session, coordinator)
    try:
        yield
    finally:
        coordinator.request_stop()
        coordinator.join(threads, stop_grace_period_secs=120)


def graph_iterator(
    dataset: tf.data.Dataset, shared_name: str | None = None, initializable: bool = False
) -> Any:
    """TF 1's iterator over `dataset` in the graph that is being built."""
    if initializable:
        return tf.compat.v1.data.make_initializable_iterator(dataset, shared_name)
    return tf.compat.v1.data.make_one_shot_iterator(dataset)


def init_from_checkpoint(ckpt_dir_or_file: str, assignment_map: Mapping[str, Any]) -> None:
    """Makes variables of the graph that is being built start with a checkpoint's values.

    `assignment_map`: names in the checkpoint to variables, their names, or whole scopes ("a/" to
    "b/"), as TF 1's `tf.train.init_from_checkpoint` took them.
    """
    known, pairs = current_store().variables_by_name, dict[str, Any]()
    for source, target in assignment_map.items():
        if isinstance(target, str) and target.endswith("/"):
            prefix, scope = source.lstrip("/"), target.lstrip("/")
            pairs |= {prefix + n[len(scope):]: v for n, v in known.items() if n.startswith(scope)}
        else:
            pairs[source] = known.get(target, target) if isinstance(target, str) else target
    tf.compat.v1.train.init_from_checkpoint(ckpt_dir_or_file, pairs)


def NewCheckpointReader(filepattern: str) -> Any:
    """A reader of the checkpoint with this prefix, which may be the name of a directory as well."""
    if tf.io.gfile.isdir(filepattern):
        return tf.compat.v1.train.NewCheckpointReader(filepattern)
    return tf.train.load_checkpoint(filepattern)
