"""slim's prefetch queue: where the networks of several devices take their batches from."""
from __future__ import annotations

from typing import Any

import tensorflow as tf

from .queues import FIFOQueue, PaddingFIFOQueue, QueueRunner, add_queue_runner
from .summary import scalar


def prefetch_queue(tensors: Any, capacity: int = 8, num_threads: int = 1, dynamic_pad: bool = False,
                   shared_name: str | None = None, name: str | None = None) -> Any:
    """A queue that a queue runner fills with what `tensors` (a list, or a dict by name) give.

    dynamic_pad: their sizes may differ. Each `dequeue` takes the next element, so that several
    networks of one graph train on different ones.
    """
    names = sorted(tensors) if isinstance(tensors, dict) else None
    given = [tf.convert_to_tensor(t) for t in ([tensors[n] for n in names] if names else tensors)]
    make = PaddingFIFOQueue if dynamic_pad else FIFOQueue
    with tf.name_scope(name or "prefetch_queue"):
        queue = make(capacity, [t.dtype for t in given], [t.shape for t in given], names, shared_name)
        element = dict(zip(names, given, strict=True)) if names else given
        add_queue_runner(QueueRunner(queue, [queue.enqueue(element)] * num_threads))
        scalar(f"fraction_of_{capacity}_full", tf.cast(queue.size(), tf.float32) * (1.0 / capacity))
    return queue
