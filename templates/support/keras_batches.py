"""Batches of generators for Keras 3, which takes the inputs of a model in tuples only."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import tensorflow as tf


def batches(source: Any, alone: bool = False) -> Any:
    """What gives the batches of `source`, a generator or a sequence of batches, with tuples for lists.

    Args:
        alone: Whether a batch that is no tuple has the inputs of a model only, as for predictions.
    """
    if isinstance(source, tf.keras.utils.Sequence):
        return _Sequence(source, alone)
    return _converted(source, alone) if isinstance(source, Iterator) else source


def _converted(source: Iterator[Any], alone: bool) -> Iterator[Any]:
    for batch in source:
        yield _in_tuples(batch, alone)


def _in_tuples(batch: Any, alone: bool) -> Any:
    if not isinstance(batch, (list, tuple)):
        return (batch,) if alone else batch
    parts = tuple(tuple(part) if isinstance(part, list) else part for part in batch)
    if len(parts) > 1 and isinstance(parts[1], tuple) and not parts[1]:  # a model with losses of its own
        parts = (parts[0], *((None, *parts[2:]) if len(parts) > 2 else ()))
    return (parts,) if alone and isinstance(batch, list) else parts


class _Sequence(tf.keras.utils.Sequence):
    """A sequence of such batches."""

    def __init__(self, source: Any, alone: bool) -> None:
        super().__init__()
        self._source, self._alone = source, alone

    def __len__(self) -> int:
        return len(self._source)

    def __getitem__(self, index: int) -> Any:
        return _in_tuples(self._source[index], self._alone)

    def on_epoch_end(self) -> None:
        """Called by Keras."""
        self._source.on_epoch_end()
