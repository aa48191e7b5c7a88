"""TF 1's queues in a graph that is being built, and the threads that fill them."""
from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import tensorflow as tf

from .graphs import Graph, default_graph
from .input_functions import Inputs, NeedsGraph, makes_inputs
from .sessions import Session, get_default_session
from .store import GraphKeys, builds_graph

_log = logging.getLogger(__name__)

Queue = Any  # tf.queue.QueueBase


# ---- queues ------------------------------------------------------------------------------------
def FIFOQueue(capacity: int | None, dtypes: Any, shapes: Any = None, names: Any = None,
              shared_name: str | None = None, name: str = "fifo_queue") -> Queue:
    """A queue that gives its elements in the order in which it got them."""
    if not builds_graph():
        return tf.queue.FIFOQueue(capacity, dtypes, shapes, names, name=name)
    return _queue(tf.raw_ops.FIFOQueueV2, capacity, dtypes, shapes, names, name)


def PaddingFIFOQueue(capacity: int, dtypes: Any, shapes: Any, names: Any = None,
                     shared_name: str | None = None, name: str = "padding_fifo_queue") -> Queue:
    """A queue whose elements may differ in size: `dequeue_many` pads them."""
    if not builds_graph():
        return tf.queue.PaddingFIFOQueue(capacity, dtypes, shapes, names, name=name)
    return _queue(tf.raw_ops.PaddingFIFOQueueV2, capacity, dtypes, shapes, names, name)


def RandomShuffleQueue(capacity: int, min_after_dequeue: int, dtypes: Any, shapes: Any = None,
                       names: Any = None, seed: int | None = None, shared_name: str | None = None,
                       name: str = "random_shuffle_queue") -> Queue:
    """A queue that gives any of its elements, but keeps `min_after_dequeue` of them."""
    if not builds_graph():
        return tf.queue.RandomShuffleQueue(
            capacity, min_after_dequeue, dtypes, shapes, names, seed, name=name)
    seeds = dict(zip(("seed", "seed2"), _seeds(seed), strict=True))
    return _queue(tf.raw_ops.RandomShuffleQueueV2, capacity, dtypes, shapes, names, name,
                  min_after_dequeue=min_after_dequeue, **seeds)


def PriorityQueue(capacity: int, types: Any, shapes: Any = None, names: Any = None,
                  shared_name: str | None = None, name: str = "priority_queue") -> Queue:
    """A queue that gives the element with the smallest first component (int64)."""
    if not builds_graph():
        return tf.queue.PriorityQueue(capacity, types, shapes, names, name=name)
    types, shapes = _list(types), _shapes(shapes)
    graph, made = default_graph(), {"component_types": types, "shapes": shapes or []}
    handle = graph.resource(_maker(tf.raw_ops.PriorityQueueV2, capacity, made), name, _close)
    return tf.queue.QueueBase([tf.int64, *types], [[], *shapes] if shapes else None, names, handle)


class StagingArea:
    """Where tuples wait from `put` to `get`, as in tf.contrib.staging; `memory_limit` is not looked at."""

    def __init__(self, dtypes: Any, shapes: Any = None, names: Any = None, shared_name: str | None = None,
                 capacity: int = 0, memory_limit: int = 0) -> None:
        self.dtypes, self.names = list(dtypes), None if names is None else list(names)
        self.shapes = _shapes(shapes) or [tf.TensorShape(None) for _ in self.dtypes]
        self._queue = FIFOQueue(capacity or None, self.dtypes, names=self.names, name="staging_area")

    def put(self, values: Any, name: str | None = None) -> Any:
        """The operation that adds `values`: a list or, if they have names, a dict."""
        return self._queue.enqueue(values, name)

    def get(self, name: str | None = None) -> Any:
        """The values that came first, as they were put."""
        found = self._queue.dequeue(name)
        if self.names is None and not isinstance(found, (list, tuple)):
            found = [found]
        for tensor, shape in zip(found.values() if self.names else found, self.shapes, strict=True):
            tensor.set_shape(shape)
        return found

    def size(self, name: str | None = None) -> tf.Tensor:
        """How many tuples wait."""
        return self._queue.size(name)


def _queue(make: Callable[..., Any], capacity: int | None, dtypes: Any, shapes: Any, names: Any, name: str,
           **options: Any) -> Queue:
    dtypes, shapes = _list(dtypes), _shapes(shapes)
    made = {"component_types": dtypes, "shapes": shapes or [], **options}
    handle = default_graph().resource(_maker(make, capacity, made), name, _close)
    names = [names] if isinstance(names, str) else names
    return tf.queue.QueueBase(dtypes, shapes, names, handle)


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _shapes(shapes: Any) -> list[tf.TensorShape] | None:
    """A list of shapes, which may be given as one shape."""
    if shapes is None:
        return None
    if isinstance(shapes, tf.TensorShape) or all(s is None or isinstance(s, int) for s in shapes):
        shapes = [shapes]
    return [tf.TensorShape(shape) for shape in shapes]


def _seeds(seed: int | None) -> tuple[int, int]:
    """The two seeds of an operation, as TF 1 computed them."""
    graph_seed = default_graph().traced.seed
    if graph_seed is None and seed is None:
        return 0, 0
    return 87654321 if graph_seed is None else graph_seed, seed or 0


def _maker(make: Callable[..., Any], capacity: int | None, made: dict[str, Any]) -> Callable[[str], Any]:
    return lambda name: make(capacity=-1 if capacity is None else capacity, shared_name=name, **made)


def _close(handle: Any) -> None:
    tf.raw_ops.QueueCloseV2(handle=handle, cancel_pending_enqueues=True)


# ---- threads -----------------------------------------------------------------------------------
class QueueRunner:
    """Threads that run `enqueue_ops` for a queue until there is nothing left.

    Args:
        queue_closed_exception_types: What says so (tf.errors.OutOfRangeError).
        close_op, cancel_op: Run when all threads have ended, and when they are to stop.
    """

    def __init__(self, queue: Queue = None, enqueue_ops: Sequence[Any] | None = None,
                 close_op: Any = None, cancel_op: Any = None,
                 queue_closed_exception_types: Any = None, queue_runner_def: Any = None,
                 import_scope: str | None = None) -> None:
        if queue_runner_def is not None:
            raise NotImplementedError("make queue runners where the graph is built")
        if not builds_graph():
            raise needs_graph()
        if not queue or not enqueue_ops:
            raise ValueError("Must provide queue and enqueue_ops.")
        self.queue, self.enqueue_ops = queue, list(enqueue_ops)
        self.close_op = queue.close() if close_op is None else close_op
        self.cancel_op = (queue.close(cancel_pending_enqueues=True)
                          if cancel_op is None else cancel_op)
        self.queue_closed_exception_types = tuple(
            queue_closed_exception_types or (tf.errors.OutOfRangeError,))
        self.exceptions_raised: list[Exception] = []
        self._graph = default_graph()
        self._lock = threading.Lock()
        self._running: dict[int, int] = {}  # threads that run, by the id of the session

    @property
    def name(self) -> str:
        return str(self.queue.name)

    def create_threads(self, sess: Any, coord: Any = None, daemon: bool = False,
                       start: bool = False) -> list[threading.Thread]:
        """One thread for each of the operations (none, if they run), and one that stops them."""
        with self._lock:
            if self._running.get(id(sess), 0) > 0:
                return []
            self._running[id(sess)] = len(self.enqueue_ops)
            self.exceptions_raised = []
        cancel = self._graph.function_of([], self.cancel_op)
        threads = [threading.Thread(target=self._run, name=f"QueueRunnerThread-{self.name}-{op.name}",
                                    args=(sess, self._graph.function_of([], op), coord))
                   for op in self.enqueue_ops]
        if coord:
            threads.append(threading.Thread(
                target=self._stop, args=(coord, cancel),
                name=f"QueueRunnerThread-{self.name}-close_on_stop"))
        for thread in threads:
            if coord:
                coord.register_thread(thread)
            thread.daemon = daemon
            if start:
                thread.start()
        return threads

    def _run(self, sess: Any, enqueue: Callable[[], Any], coord: Any) -> None:
        ended = False
        try:
            while not (coord and coord.should_stop()):
                try:
                    enqueue()
                except self.queue_closed_exception_types:
                    ended = True
                    with self._lock:
                        self._running[id(sess)] -= 1
                        last = self._running[id(sess)] == 0
                    if last:
                        self._graph.function_of([], self.close_op)()
                    return
        except tf.errors.CancelledError as error:  # the session was closed
            if coord:
                coord.request_stop(error)
        except Exception as error:
            if not coord:
                _log.error("Exception in QueueRunner: %s", error)
                self.exceptions_raised.append(error)
                raise
            coord.request_stop(error)
        finally:
            if not ended:
                with self._lock:
                    self._running[id(sess)] -= 1

    @staticmethod
    def _stop(coord: Any, cancel: Callable[[], Any]) -> None:
        coord.wait_for_stop()
        cancel()


def add_queue_runner(qr: QueueRunner, collection: str = GraphKeys.QUEUE_RUNNERS) -> None:
    """Adds a runner to those that `start_queue_runners` starts."""
    default_graph().add_to_collection(collection, qr)


def start_queue_runners(sess: Any = None, coord: Any = None, daemon: bool = True, start: bool = True,
                        collection: str = GraphKeys.QUEUE_RUNNERS) -> list[threading.Thread]:
    """Starts the threads of all queue runners of the graph; of none, where there are no queues.

    Raises:
        ValueError: there is no session.
    """
    sess = sess or get_default_session()
    graph = getattr(sess, "graph", None) or default_graph()
    with graph.as_default():
        return [thread for runner in graph.get_collection(collection)
                for thread in runner.create_threads(sess, coord, daemon, start)]


@contextlib.contextmanager
def QueueRunners(session: Any) -> Iterator[None]:
    """The queues of the graph are filled inside of the block."""
    coordinator = tf.train.Coordinator()
    threads = start_queue_runners(session, coordinator)
    try:
        yield
    finally:
        coordinator.request_stop()
        coordinator.join(threads, stop_grace_period_secs=120)


# ---- input functions ---------------------------------------------------------------------------
def needs_graph() -> BaseException:
    """What is raised where queues are asked for and no graph is being built."""
    if makes_inputs():
        return NeedsGraph(inputs_in_graph)
    return RuntimeError("queues need a graph: read with tf.data instead")


def inputs_in_graph(make: Callable[[], Any]) -> Inputs:
    """The batches of an input function that runs in a graph of its own, whose queues are filled as long as
    somebody takes batches."""
    graph = Graph()
    with graph.as_default():
        made = make()
    parts = tf.nest.flatten(made, expand_composites=True)
    tensors = [part for part in parts if tf.is_tensor(part)]
    step, session = graph.function_of([], tensors), Session(graph=graph)

    def batches() -> Iterator[Any]:
        with QueueRunners(session), contextlib.suppress(tf.errors.OutOfRangeError):
            while True:
                yield tuple(step())

    def packed(element: Any) -> Any:
        given = iter(element)
        return tf.nest.pack_sequence_as(
            made, [next(given) if tf.is_tensor(part) else part for part in parts], expand_composites=True)

    signature = tuple(tf.TensorSpec(tensor.shape, tensor.dtype) for tensor in tensors)
    return tf.data.Dataset.from_generator(batches, output_signature=signature), packed
