"""Functions that make inputs, as estimators take them: TF 1 built what they made into the model's graph.

Such a function runs once with the first elements of the iterators that it asks, to find out what it reads. It
runs again where the model is traced, with the elements of a step, so that the tensors that the program keeps
from it are of the same graph as the model. What a queue of batches takes is computed by a data set. One that
needs more of queues runs in a graph of its own, whose batches a step is given.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

Inputs = tuple[Any, Callable[[Any], Any]]  # see `inputs_of`


class NeedsGraph(BaseException):
    """An input function does what only a graph does: `inputs_in_graph` runs it in one. No handler of the
    program is to see it."""

    def __init__(self, inputs_in_graph: Callable[[Callable[[], Any]], Inputs]) -> None:
        super().__init__()
        self.inputs_in_graph = inputs_in_graph


class _Making:
    """A run of an input function, in which `given` (if there is any) are the elements that it asks for.

    batches: for what a queue takes, the run ends there.
    """

    def __init__(self, make: Callable[[], Any], given: list[Any] | None = None, batches: bool = True) -> None:
        self.make, self.given, self.batches = make, given, batches
        self.asked: list[tf.data.Dataset] = []
        self.before: list[Any] = []  # specs of the elements that only the queue of batches needs

    def run(self) -> Any:
        _running.append(self)
        try:
            return self.make()
        finally:
            _running.remove(self)


class _Taken(BaseException):
    """An example, which has come to the queue that takes it; no handler of the program is to see it."""

    def __init__(self, example: Any) -> None:
        super().__init__()
        self.example = example


_running: list[_Making] = []


def inputs_of(make: Callable[[], Any]) -> Inputs:
    """What the input function `make` gives: a data set (or one batch), and what a model takes of an element
    of it, as a function to be called where the model is traced."""
    first = _Making(make)
    try:
        data = first.run()
    except NeedsGraph as needs:
        return needs.inputs_in_graph(make)
    if not first.asked:
        return data, lambda element: element

    def made(elements: Any) -> Any:
        return _Making(make, [*map(_unknown, first.before), *elements]).run()

    return tf.data.Dataset.zip(tuple(first.asked)), made


def makes_inputs() -> bool:
    """Whether an input function runs."""
    return bool(_running)


def given_elements() -> bool:
    """Whether an input function runs that is given its elements."""
    return bool(_running) and _running[-1].given is not None


def given_element() -> Any:
    """The next element of those that the function is given."""
    given = _running[-1].given
    assert given is not None
    return given.pop(0)


def asked_for_element(dataset: tf.data.Dataset) -> None:
    """Something asks for the next element of `dataset`.

    Raises:
        NotImplementedError: it has asked for one before, which would be another one in each step.
    """
    if not _running:
        return
    if dataset in _running[-1].asked:
        raise NotImplementedError("an input function asks an iterator for two elements: let it return a "
                                  "data set")
    _running[-1].asked.append(dataset)


def queued(example: tuple[tf.Tensor, ...], batches: Callable[[tf.data.Dataset], tf.data.Dataset],
           threads: int | None, needs_graph: NeedsGraph) -> Any:
    """A batch of a queue that takes an input function's `example`: of what `batches` makes of all of them.

    Raises:
        NeedsGraph: there is more than one such queue, or it takes what is of no data set.
    """
    making = _running[-1]
    if making.given is not None:
        if not making.batches:
            raise _Taken(example)
        return given_element()
    if making.before or not making.asked:
        raise needs_graph

    def one(*elements: Any) -> Any:
        try:
            _Making(making.make, list(elements), batches=False).run()
        except _Taken as taken:
            return taken.example
        raise AssertionError("the second run of an input function came to no queue")

    dataset = batches(tf.data.Dataset.zip(tuple(making.asked)).map(one, threads))
    making.before = [source.element_spec for source in making.asked]
    making.asked = [dataset]
    return iter(dataset).get_next()


def _unknown(spec: Any) -> Any:
    """An element that no step has: what is made of it is left out."""
    parts = [tf.compat.v1.placeholder(part.dtype, part.shape, "example_before_the_queue")
             for part in tf.nest.flatten(spec, expand_composites=True)]
    return tf.nest.pack_sequence_as(spec, parts, expand_composites=True)
