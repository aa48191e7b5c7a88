"""TF 1's input pipelines of queues, in a graph that is being built: producers and batches."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tensorflow as tf

from .graph_runs import GraphRun
from .input_functions import NeedsGraph, makes_inputs, queued
from .queues import (
    FIFOQueue,
    PaddingFIFOQueue,
    QueueRunner,
    RandomShuffleQueue,
    add_queue_runner,
    inputs_in_graph,
    needs_graph,
)
from .scopes import GraphKeys, Variable
from .store import current_run
from .summary import scalar


# ---- producers ---------------------------------------------------------------------------------
def limit_epochs(tensor: Any, num_epochs: int | None = None, name: str | None = None) -> tf.Tensor:
    """`tensor`, which can be asked for `num_epochs` times; then OutOfRangeError is raised.

    Raises:
        ValueError: `num_epochs` is not positive.
    """
    if num_epochs is None:
        return tensor
    if num_epochs <= 0:
        raise ValueError(f"num_epochs must be > 0 not {num_epochs}.")
    with tf.name_scope(name or "limit_epochs") as scope:
        epochs = Variable(tf.zeros([], tf.int64), trainable=False, name="epochs",
                          collections=[GraphKeys.LOCAL_VARIABLES])
        counter = tf.raw_ops.ResourceCountUpTo(
            resource=epochs.handle, limit=num_epochs, T=tf.int64)
        with tf.control_dependencies([counter]):
            return tf.identity(tensor, name=scope)


def input_producer(input_tensor: Any, element_shape: Any = None, num_epochs: int | None = None,
                   shuffle: bool = True, seed: int | None = None, capacity: int = 32,
                   shared_name: str | None = None, summary_name: str | None = None,
                   name: str | None = None, cancel_op: Any = None) -> Any:
    """A queue of the rows of `input_tensor`, which a queue runner fills over and over.

    Raises:
        RuntimeError: no graph is being built.
        ValueError: the shape of a row is not known.
    """
    if not isinstance(current_run(), GraphRun):
        raise needs_graph()
    with tf.name_scope(name or "input_producer"):
        rows = tf.convert_to_tensor(input_tensor, name="input_tensor")
        shape = rows.shape[1:].merge_with(element_shape)
        if not shape.is_fully_defined():
            raise ValueError("Either `input_tensor` must have a fully defined shape or "
                             "`element_shape` must be specified")
        if shuffle:
            rows = tf.random.shuffle(rows, seed)
        rows = limit_epochs(rows, num_epochs)
        queue = FIFOQueue(capacity, [rows.dtype], [shape])
        add_queue_runner(QueueRunner(queue, [queue.enqueue_many([rows])], cancel_op=cancel_op))
        if summary_name is not None:
            scalar(summary_name, tf.cast(queue.size(), tf.float32) * (1.0 / capacity))
        return queue


def string_input_producer(string_tensor: Any, num_epochs: int | None = None, shuffle: bool = True,
                          seed: int | None = None, capacity: int = 32,
                          shared_name: str | None = None, name: str | None = None,
                          cancel_op: Any = None) -> Any:
    """A queue of strings, such as names of files.

    Raises:
        ValueError: there are none.
    """
    missing = "string_input_producer requires a non-null input tensor"
    if not tf.is_tensor(string_tensor) and not len(string_tensor):
        raise ValueError(missing)
    with tf.name_scope(name or "input_producer") as scope:
        strings = tf.convert_to_tensor(string_tensor, tf.string)
        some = tf.debugging.Assert(tf.size(strings) > 0, [missing])
        with tf.control_dependencies([some] if some is not None else []):
            strings = tf.identity(strings)
        return input_producer(strings, [], num_epochs, shuffle, seed, capacity, shared_name,
                              f"fraction_of_{capacity}_full", scope, cancel_op)


def range_input_producer(limit: Any, num_epochs: int | None = None, shuffle: bool = True,
                         seed: int | None = None, capacity: int = 32,
                         shared_name: str | None = None, name: str | None = None) -> Any:
    """A queue of the numbers from 0 to `limit` - 1."""
    with tf.name_scope(name or "input_producer") as scope:
        return input_producer(tf.range(limit), [], num_epochs, shuffle, seed, capacity, shared_name,
                              f"fraction_of_{capacity}_full", scope)


def slice_input_producer(tensor_list: Sequence[Any], num_epochs: int | None = None,
                         shuffle: bool = True, seed: int | None = None, capacity: int = 32,
                         shared_name: str | None = None, name: str | None = None
                         ) -> list[tf.Tensor]:
    """One row of each tensor at a time, the same of all.

    Raises:
        ValueError: there are no tensors.
    """
    with tf.name_scope(name or "input_producer"):
        tensors = [tf.convert_to_tensor(tensor) for tensor in tensor_list]
        if not tensors:
            raise ValueError("Expected at least one tensor in slice_input_producer().")
        queue = range_input_producer(tf.shape(tensors[0])[0], num_epochs, shuffle, seed, capacity,
                                     shared_name)
        index = queue.dequeue()
        return [tf.gather(tensor, index) for tensor in tensors]


def match_filenames_once(pattern: Any, name: str | None = None) -> tf.Variable:
    """The files that fit a pattern, as a local variable."""
    return Variable(tf.io.matching_files(pattern), trainable=False, validate_shape=False,
                    collections=[GraphKeys.LOCAL_VARIABLES], name=name or "matching_filenames")


# ---- batches -----------------------------------------------------------------------------------
class Components:
    """The tensors of examples as a queue holds them: a sparse one as a row of three strings."""

    def __init__(self, examples: Sequence[Any], enqueue_many: bool, keep: tf.Tensor) -> None:
        if not examples:
            raise ValueError("Expected at least one set of tensors")
        self.like, self._many, self._keep = examples[0], enqueue_many, keep
        if isinstance(self.like, Mapping):
            self._keys: list[Any] | None = sorted(self.like, key=str)
            if any(set(example) != set(self.like) for example in examples):
                raise ValueError("All dictionaries in tensors_list must have the same keys")
            parts = [[example[key] for key in self._keys] for example in examples]
        else:
            self._keys, parts = None, [list(example) for example in examples]
        if not parts[0]:
            raise ValueError("Expected at least one tensor in batch().")
        self._sparse = [(part.dtype, _rank(part, enqueue_many))
                        if isinstance(part, tf.SparseTensor) else None for part in parts[0]]
        self.rows = [[self._stored(part) for part in row] for row in parts]
        self.dtypes = [tensor.dtype for tensor in self.rows[0]]

    def _stored(self, value: Any) -> tf.Tensor:
        if not isinstance(value, tf.SparseTensor):
            return tf.convert_to_tensor(value)
        return tf.io.serialize_many_sparse(value) if self._many else tf.io.serialize_sparse(value)

    def shapes(self, given: Any, dynamic_pad: bool = False) -> list[tf.TensorShape]:
        """The shape of each component: the given one, else what the examples have in common."""
        if given is not None:
            given = [tf.TensorShape(shape) for shape in given]
            return [tf.TensorShape([3]) if sparse else shape
                    for shape, sparse in zip(given, self._sparse, strict=True)]
        found = []
        for tensors in zip(*self.rows, strict=True):
            shapes = [tensor.shape[1:] if self._many else tensor.shape for tensor in tensors]
            shape = shapes[0]
            for other in shapes[1:]:
                shape = shape.most_specific_compatible_shape(other)
            if shape.rank is None or not (dynamic_pad or shape.is_fully_defined()):
                raise ValueError(f"All shapes must be fully defined: {[str(s) for s in shapes]}")
            found.append(shape)
        return found

    def fill(self, queue: Any, rows: Sequence[list[tf.Tensor]]) -> None:
        """Adds the runner that puts `rows` into the queue, one thread for each."""
        enqueue: Callable[[Any], Any] = queue.enqueue_many if self._many else queue.enqueue
        made: dict[int, Any] = {}
        for row in rows:
            if id(row) not in made:
                made[id(row)] = self.kept(enqueue, row)
        add_queue_runner(QueueRunner(queue, [made[id(row)] for row in rows]))

    def kept(self, enqueue: Callable[[Any], Any], row: list[tf.Tensor]) -> Any:
        """The operation that enqueues those rows that are to be kept."""
        if self._keep.shape.rank == 1:
            return enqueue([tf.boolean_mask(tensor, self._keep) for tensor in row])
        known = tf.get_static_value(self._keep)
        if known is not None:
            return enqueue(row) if known else tf.no_op()
        return tf.cond(self._keep, lambda: tf.group(enqueue(row)), tf.no_op).op

    def read(self, threads: int, batch_size: Any, shapes: Any, dynamic_pad: bool, smaller: bool,
             ordered: Callable[[tf.data.Dataset], tf.data.Dataset] = lambda dataset: dataset) -> Any:
        """A batch of the examples of an input function, which a data set computes.

        Raises:
            NeedsGraph: they are of several lists, or there is another such queue.
        """
        if len(self.rows) > 1:
            raise needs_graph()
        shapes, many = self.shapes(shapes, dynamic_pad), [None] if self._many else []
        row = [tf.ensure_shape(tensor, [*many, *shape]) if shape.rank is not None else tensor
               for tensor, shape in zip(self.rows[0], shapes, strict=True)]
        keep = self._keep
        if self._many and keep.shape.rank == 0:
            keep = tf.fill(tf.shape(row[0])[:1], keep)

        def batches(examples: tf.data.Dataset) -> tf.data.Dataset:
            examples = examples.unbatch() if self._many else examples
            rows = ordered(examples.filter(lambda keep, *row: keep).map(lambda keep, *row: row))
            batch = rows.padded_batch if dynamic_pad else rows.batch
            return batch(batch_size, drop_remainder=not smaller).prefetch(1)

        return self.restored(queued((keep, *row), batches, None if threads == 1 else threads,
                                    NeedsGraph(inputs_in_graph)))

    def restored(self, found: Any) -> Any:
        """What was taken from the queue, in the form of an example."""
        tensors = found if isinstance(found, (list, tuple)) else [found]
        tensors = [tf.io.deserialize_many_sparse(tensor, *sparse) if sparse else tensor
                   for tensor, sparse in zip(tensors, self._sparse, strict=True)]
        if self._keys is not None:
            return dict(zip(self._keys, tensors, strict=True))
        return tensors if len(tensors) > 1 else tensors[0]


def _rank(sparse: tf.SparseTensor, enqueue_many: bool) -> int | None:
    rank = sparse.dense_shape.shape[0]
    return None if rank is None else rank - enqueue_many


def keep_of(keep_input: Any, enqueue_many: bool) -> tf.Tensor:
    keep = tf.convert_to_tensor(keep_input)
    if keep.shape.rank is None:
        raise ValueError("`keep_input` dimensions must be known at graph construction.")
    if keep.shape.rank == 1 and not enqueue_many:
        raise ValueError("`keep_input` cannot be a vector when `enqueue_many=False`.")
    if keep.shape.rank > 1:
        raise ValueError("`keep_input` must be 0 or 1 dimensions.")
    return keep


def _taken(queue: Any, components: Components, batch_size: Any, smaller: bool, name: str) -> Any:
    take = queue.dequeue_up_to if smaller else queue.dequeue_many
    return components.restored(take(batch_size, name=name))


def _in_order(examples: Sequence[Any], threads: int, keep_input: Any, batch_size: Any,
              capacity: int, enqueue_many: bool, shapes: Any, dynamic_pad: bool, smaller: bool,
              name: str) -> Any:
    with tf.name_scope(name) as scope:
        components = Components(examples, enqueue_many, keep_of(keep_input, enqueue_many))
        if makes_inputs():
            return components.read(threads, batch_size, shapes, dynamic_pad, smaller)
        make = PaddingFIFOQueue if dynamic_pad else FIFOQueue
        queue = make(capacity, components.dtypes, components.shapes(shapes, dynamic_pad))
        components.fill(queue, components.rows * threads)
        scalar(f"fraction_of_{capacity}_full",
               tf.cast(queue.size(), tf.float32) * (1.0 / capacity))
        return _taken(queue, components, batch_size, smaller, scope)


def _shuffled(examples: Sequence[Any], threads: int, keep_input: Any, batch_size: Any,
              capacity: int, min_after_dequeue: int, seed: int | None, enqueue_many: bool,
              shapes: Any, smaller: bool, name: str) -> Any:
    with tf.name_scope(name) as scope:
        if isinstance(capacity, int) and isinstance(min_after_dequeue, int) and (
                capacity <= min_after_dequeue):
            raise ValueError(f"capacity {capacity} must be bigger than min_after_dequeue "
                             f"{min_after_dequeue}.")
        components = Components(examples, enqueue_many, keep_of(keep_input, enqueue_many))
        if makes_inputs():
            return components.read(threads, batch_size, shapes, False, smaller,
                                   lambda dataset: dataset.shuffle(capacity, seed))
        queue = RandomShuffleQueue(capacity, min_after_dequeue, components.dtypes,
                                   components.shapes(shapes), seed=seed)
        components.fill(queue, components.rows * threads)
        over = capacity - min_after_dequeue
        scalar(f"fraction_over_{min_after_dequeue}_of_{over}_full", tf.cast(
            tf.maximum(0, queue.size() - min_after_dequeue), tf.float32) * (1.0 / over))
        return _taken(queue, components, batch_size, smaller, scope)


def batch(tensors: Any, batch_size: Any, num_threads: int = 1, capacity: int = 32,
          enqueue_many: bool = False, shapes: Any = None, dynamic_pad: bool = False,
          allow_smaller_final_batch: bool = False, shared_name: str | None = None,
          name: str | None = None) -> Any:
    """Batches of the tensors (a list or dict), which `num_threads` threads compute."""
    return maybe_batch(tensors, True, batch_size, num_threads, capacity, enqueue_many, shapes,
                       dynamic_pad, allow_smaller_final_batch, shared_name, name)


def maybe_batch(tensors: Any, keep_input: Any, batch_size: Any, num_threads: int = 1,
                capacity: int = 32, enqueue_many: bool = False, shapes: Any = None,
                dynamic_pad: bool = False, allow_smaller_final_batch: bool = False,
                shared_name: str | None = None, name: str | None = None) -> Any:
    """`batch` of those examples for which `keep_input` is true."""
    return _in_order([tensors], num_threads, keep_input, batch_size, capacity, enqueue_many, shapes,
                     dynamic_pad, allow_smaller_final_batch, name or "batch")


def batch_join(tensors_list: Sequence[Any], batch_size: Any, capacity: int = 32,
               enqueue_many: bool = False, shapes: Any = None, dynamic_pad: bool = False,
               allow_smaller_final_batch: bool = False, shared_name: str | None = None,
               name: str | None = None) -> Any:
    """Batches of several lists of tensors, a thread for each of them."""
    return maybe_batch_join(tensors_list, True, batch_size, capacity, enqueue_many, shapes,
                            dynamic_pad, allow_smaller_final_batch, shared_name, name)


def maybe_batch_join(tensors_list: Sequence[Any], keep_input: Any, batch_size: Any,
                     capacity: int = 32, enqueue_many: bool = False, shapes: Any = None,
                     dynamic_pad: bool = False, allow_smaller_final_batch: bool = False,
                     shared_name: str | None = None, name: str | None = None) -> Any:
    """`batch_join` of those examples for which `keep_input` is true."""
    return _in_order(tensors_list, 1, keep_input, batch_size, capacity, enqueue_many, shapes,
                     dynamic_pad, allow_smaller_final_batch, name or "batch_join")


def shuffle_batch(tensors: Any, batch_size: Any, capacity: int, min_after_dequeue: int,
                  num_threads: int = 1, seed: int | None = None, enqueue_many: bool = False,
                  shapes: Any = None, allow_smaller_final_batch: bool = False,
                  shared_name: str | None = None, name: str | None = None) -> Any:
    """`batch`, in random order."""
    return maybe_shuffle_batch(tensors, batch_size, capacity, min_after_dequeue, True, num_threads,
                               seed, enqueue_many, shapes, allow_smaller_final_batch, shared_name,
                               name)


def maybe_shuffle_batch(tensors: Any, batch_size: Any, capacity: int, min_after_dequeue: int,
                        keep_input: Any, num_threads: int = 1, seed: int | None = None,
                        enqueue_many: bool = False, shapes: Any = None,
                        allow_smaller_final_batch: bool = False, shared_name: str | None = None,
                        name: str | None = None) -> Any:
    """`shuffle_batch` of those examples for which `keep_input` is true."""
    return _shuffled([tensors], num_threads, keep_input, batch_size, capacity, min_after_dequeue,
                     seed, enqueue_many, shapes, allow_smaller_final_batch, name or "shuffle_batch")


def shuffle_batch_join(tensors_list: Sequence[Any], batch_size: Any, capacity: int,
                       min_after_dequeue: int, seed: int | None = None, enqueue_many: bool = False,
                       shapes: Any = None, allow_smaller_final_batch: bool = False,
                       shared_name: str | None = None, name: str | None = None) -> Any:
    """`batch_join`, in random order."""
    return maybe_shuffle_batch_join(tensors_list, batch_size, capacity, min_after_dequeue, True,
                                    seed, enqueue_many, shapes, allow_smaller_final_batch,
                                    shared_name, name)


def maybe_shuffle_batch_join(tensors_list: Sequence[Any], batch_size: Any, capacity: int,
                             min_after_dequeue: int, keep_input: Any, seed: int | None = None,
                             enqueue_many: bool = False, shapes: Any = None,
                             allow_smaller_final_batch: bool = False,
                             shared_name: str | None = None, name: str | None = None) -> Any:
    """`shuffle_batch_join` of those examples for which `keep_input` is true."""
    return _shuffled(tensors_list, 1, keep_input, batch_size, capacity, min_after_dequeue, seed,
                     enqueue_many, shapes, allow_smaller_final_batch, name or "shuffle_batch_join")
