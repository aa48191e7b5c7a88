"""TF 1's batches of examples that are alike in size: a queue for each bucket, in a graph being built."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import tensorflow as tf

from .input_queues import Components, keep_of
from .queues import FIFOQueue, PaddingFIFOQueue, QueueRunner, add_queue_runner
from .summary import scalar


def bucket(tensors: Any, which_bucket: Any, batch_size: Any, num_buckets: int, num_threads: int = 1,
           capacity: int = 32, bucket_capacities: Sequence[int] | None = None, shapes: Any = None,
           dynamic_pad: bool = False, allow_smaller_final_batch: bool = False, keep_input: Any = True,
           shared_name: str | None = None, name: str | None = None) -> tuple[tf.Tensor, Any]:
    """The number of a bucket that was full, and a batch of the examples in it.

    Args:
        tensors: An example, a list or dict of tensors; `which_bucket` says where it goes.
        batch_size: One for all buckets, or one for each.

    Raises:
        ValueError: a list does not have one entry for each bucket.
    """
    each = isinstance(batch_size, (list, tuple))
    sizes = list(batch_size) if each else [batch_size] * num_buckets
    capacities = [capacity] * num_buckets if bucket_capacities is None else bucket_capacities
    if len(sizes) != num_buckets:
        raise ValueError("If batch_size is a list it must have num_buckets elements")
    if len(capacities) != num_buckets:
        raise ValueError(f"The list bucket_capacities ({capacities}) must have exactly num_buckets "
                         f"({num_buckets}) elements.")
    with tf.name_scope(name or "bucket") as scope:
        components = Components([tensors], False, keep_of(keep_input, False))
        held = components.shapes(shapes, dynamic_pad)
        which = tf.convert_to_tensor(which_bucket, tf.int32, name="which_bucket")
        make = PaddingFIFOQueue if dynamic_pad else FIFOQueue
        queues = [make(room, components.dtypes, held, name=f"bucket_queue_{i}")
                  for i, room in enumerate(capacities)]
        known = None if each or allow_smaller_final_batch else tf.get_static_value(sizes[0])
        top = PaddingFIFOQueue(capacity, [tf.int32, *components.dtypes],
                               [[], *(tf.TensorShape([known]).concatenate(shape) for shape in held)],
                               name="top_queue")

        def sorted_in(row: list[tf.Tensor]) -> Any:
            return tf.group(*[
                tf.cond(tf.equal(which, i), lambda queue=queue: tf.group(queue.enqueue(row)), tf.no_op)
                for i, queue in enumerate(queues)])

        def taken(queue: Any, size: Any) -> list[tf.Tensor]:
            found = (queue.dequeue_up_to if allow_smaller_final_batch else queue.dequeue_many)(size)
            return found if isinstance(found, (list, tuple)) else [found]

        ended = (tf.errors.OutOfRangeError, tf.errors.CancelledError)
        add_queue_runner(QueueRunner(
            queues[0], [top.enqueue([tf.constant(i), *taken(queue, size)])
                        for i, (queue, size) in enumerate(zip(queues, sizes, strict=True))],
            top.close(), top.close(cancel_pending_enqueues=True), ended))
        add_queue_runner(QueueRunner(
            top, [components.kept(sorted_in, components.rows[0])] * num_threads,
            tf.group(*[queue.close() for queue in queues]),
            tf.group(*[queue.close(cancel_pending_enqueues=True) for queue in queues]), ended))
        waiting = tf.cast(top.size(), tf.float32)
        for i in range(num_buckets):
            scalar(f"bucket/{scope}bucket_queue_{i}/size", waiting)
        scalar(f"bucket/{scope}top_queue/fraction_of_{capacity}_full", waiting * (1.0 / capacity))
        number, *found = top.dequeue(name="dequeue_top")
        return number, components.restored(found)


def bucket_by_sequence_length(
    input_length: Any, tensors: Any, batch_size: Any, bucket_boundaries: Sequence[int],
    num_threads: int = 1, capacity: int = 32, bucket_capacities: Sequence[int] | None = None,
    shapes: Any = None, dynamic_pad: bool = False, allow_smaller_final_batch: bool = False,
    keep_input: Any = True, shared_name: str | None = None, name: str | None = None,
) -> tuple[tf.Tensor, Any]:
    """The lengths of the examples in a batch, and the batch: of examples between the same boundaries.

    Raises:
        TypeError: the boundaries are not a list of whole numbers.
        ValueError: there are none, or one is not above the one before.
    """
    if not isinstance(bucket_boundaries, (list, tuple)):
        raise TypeError(f"bucket_boundaries must be a list or tuple, but received: {bucket_boundaries}")
    if not bucket_boundaries:
        raise ValueError("bucket_boundaries must not be empty")
    for lower, upper in zip(bucket_boundaries[:-1], bucket_boundaries[1:], strict=True):
        if not isinstance(lower, int) or not isinstance(upper, int):
            raise TypeError(f"bucket boundaries must be integers, but saw: {lower} and {upper}")
        if lower >= upper:
            raise ValueError("Buckets must contain sequential increasing lengths, but saw: "
                             f"{lower} before {upper}")
    names = sorted(tensors, key=str) if isinstance(tensors, Mapping) else None
    given = list(tensors) if names is None else [tensors[key] for key in names]
    with tf.name_scope(name or "bucket_by_sequence_length"):
        length = tf.convert_to_tensor(input_length, tf.int32, name="input_length")
        which = tf.reduce_sum(tf.cast(tf.greater_equal(length, list(bucket_boundaries)), tf.int32))
        _, (lengths, *found) = bucket(
            [length, *given], which, batch_size, len(bucket_boundaries) + 1, num_threads, capacity,
            bucket_capacities, None if shapes is None else [[], *shapes], dynamic_pad,
            allow_smaller_final_batch, keep_input, shared_name)
    if names is None:
        return lengths, found
    return lengths, dict(zip(names, [found] if len(names) == 1 else found, strict=True))
