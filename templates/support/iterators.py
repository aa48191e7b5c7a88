"""Iterators over data sets as TF 1 made them: `dataset.make_one_shot_iterator()` and its like."""
from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from .input_functions import asked_for_element, given_element, given_elements
from .store import current_run

_count = itertools.count()


class Iterator:
    """An eager iterator that can be started again.

    `get_next` and `next` give the next element; at the end, they raise `tf.errors.OutOfRangeError`
    and `StopIteration`.
    """

    def __init__(self, dataset: tf.data.Dataset) -> None:
        self._dataset = dataset
        self._elements = iter(dataset)

    @property
    def initializer(self) -> None:
        """Reading it starts again from the first element: eagerly, asking for it runs it."""
        self._elements = iter(self._dataset)

    @property
    def element_spec(self) -> Any:
        """The structure of an element, as `tf.TypeSpec`s."""
        return self._dataset.element_spec

    def get_next(self, name: str | None = None) -> Any:
        """The next element."""
        del name
        asked_for_element(self._dataset)
        return self._elements.get_next()

    def __iter__(self) -> Iterator:
        return self

    def __next__(self) -> Any:
        return next(self._elements)


class _Given:
    """An iterator in an input function that is given its elements."""

    @property
    def initializer(self) -> None:
        return None

    def get_next(self, name: str | None = None) -> Any:
        return given_element()


def make_one_shot_iterator(dataset: tf.data.Dataset) -> Any:
    """An iterator over `dataset`: an `Iterator`, in a graph TF 1's one."""
    if given_elements():
        return _Given()
    if tf.executing_eagerly():
        return Iterator(dataset)
    made = make_initializable_iterator(dataset)
    current_run().perform(made.initializer)
    return made


def make_initializable_iterator(dataset: tf.data.Dataset, shared_name: str | None = None) -> Any:
    """An iterator over `dataset`: an `Iterator` that has begun, in a graph TF 1's one."""
    if given_elements():
        return _Given()
    if tf.executing_eagerly():
        return Iterator(dataset)
    # A shared name, or each function of the graph would have an iterator of its own.
    return tf.compat.v1.data.make_initializable_iterator(dataset, shared_name or _fresh_name())


def from_structure(output_types: Any, output_shapes: Any = None, shared_name: str | None = None,
                   output_classes: Any = None) -> Any:
    """An iterator of a graph for any data set with such elements."""
    return tf.compat.v1.data.Iterator.from_structure(
        output_types, output_shapes, shared_name or _fresh_name(), output_classes)


def from_string_handle(string_handle: Any, output_types: Any, output_shapes: Any = None,
                       output_classes: Any = None) -> Any:
    """The iterator of a graph whose handle is fed."""
    return tf.compat.v1.data.Iterator.from_string_handle(
        string_handle, output_types, output_shapes, output_classes)


def _fresh_name() -> str:
    return f"iterator_{next(_count)}"


def output_types(source: Any) -> Any:
    """The dtypes of an element of a data set or iterator, in its structure."""
    return _of_elements(source, "output_types", tf.compat.v1.data.get_output_types)


def output_shapes(source: Any) -> Any:
    """The shapes of an element of a data set or iterator, in its structure."""
    return _of_elements(source, "output_shapes", tf.compat.v1.data.get_output_shapes)


def output_classes(source: Any) -> Any:
    """The classes (Tensor, SparseTensor) of an element of a data set or iterator, in its structure.
    """
    return _of_elements(source, "output_classes", tf.compat.v1.data.get_output_classes)


def _of_elements(source: Any, name: str, described: Callable[[Any], Any]) -> Any:
    """What describes the elements of `source`; of any other object, its attribute `name`."""
    if isinstance(source, Iterator):
        source = source._dataset
    kinds = (tf.data.Dataset, tf.data.Iterator, tf.compat.v1.data.Iterator)
    return described(source) if isinstance(source, kinds) else getattr(source, name)
