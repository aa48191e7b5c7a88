"""slim's readers and prefetch queues in a graph that is being built: each run takes the next example."""
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import tensorflow as tf

from . import slim_data
from .iterators import make_one_shot_iterator
from .queues import FIFOQueue, PaddingFIFOQueue, QueueRunner, add_queue_runner
from .summary import scalar


def parallel_read(data_sources: str | Iterable[str], reader_class: Any,
                  num_epochs: int | None = None, num_readers: int = 4,
                  reader_kwargs: Mapping[str, Any] | None = None, shuffle: bool = True,
                  dtypes: Any = None, capacity: int = 256, min_after_dequeue: int = 128,
                  seed: int | None = None, scope: str | None = None) -> tuple[tf.Tensor, tf.Tensor]:
    """(key, record) of the next record of `slim_data.read_records`, as scalars of strings."""
    del dtypes, min_after_dequeue, scope
    return make_one_shot_iterator(slim_data.read_records(
        data_sources, reader_class, num_epochs, num_readers, reader_kwargs, shuffle, capacity, seed)
    ).get_next()


def single_pass_read(data_sources: str | Iterable[str], reader_class: Any,
                     reader_kwargs: Mapping[str, Any] | None = None,
                     scope: str | None = None) -> tuple[tf.Tensor, tf.Tensor]:
    """(key, record) of the next record, once through the files in their order."""
    return parallel_read(data_sources, reader_class, 1, 1, reader_kwargs, False, scope=scope)


class DatasetDataProvider(slim_data.DatasetDataProvider):
    """Decoded examples of a `Dataset`: what `get` gives are those of the next one at each run."""

    _example: dict[str, Any] | None = None

    def get(self, items: Sequence[str]) -> list[Any]:
        """The tensors of `items`. All calls give those of one example.

        Raises:
            ValueError: there is no such item.
        """
        self._check(items)
        if self._example is None:
            self._example = make_one_shot_iterator(self.examples).get_next()
        return [self._example[item] for item in items]


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
