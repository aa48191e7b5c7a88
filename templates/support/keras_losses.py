"""Losses and metrics of a Keras model that are computed from its symbolic tensors, as Keras 2 took them."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from .keras_tensors import Around


class _Parts:
    """What a model computes beside its outputs."""

    def __init__(self) -> None:
        self.losses: list[Any] = []  # symbolic tensors
        self.computed: list[Callable[[], Any]] = []  # losses of variables, anew in each step
        self.names: list[str] = []
        self.values: list[Any] = []  # symbolic tensors of metrics, in the order of their names
        self.metrics: list[Any] = []
        self.read: list[Any] = []  # symbolic tensors that losses and metrics of the program's own read
        self.now: list[Any] = []  # what these are for the batch that is computed
        self.model: Any = None  # gives the outputs, the losses, the values and what is read together

    def place(self, tensor: Any) -> int:
        """Where the value of a symbolic tensor is, among those that are read."""
        found = next((place for place, one in enumerate(self.read) if one is tensor), len(self.read))
        self.read[found:found + 1] = [tensor]
        return found


class _WithParts:
    """A model that adds these losses, and updates these metrics, where it is called."""

    tf1_parts: Any  # a list of one, of which Keras makes no layer

    def call(self: Any, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        parts: _Parts = self.tf1_parts[0]()
        if parts.model is None:
            parts.model = tf.keras.Model(
                getattr(self, "_inputs_struct", self.inputs),
                [*self.outputs, *parts.losses, *parts.values, *parts.read])
        found = parts.model(inputs, training=training)
        if not isinstance(found, (list, tuple)):
            found = [found]
        count, until = len(self.outputs), len(self.outputs) + len(parts.losses)
        parts.now = found[until + len(parts.values):]
        for loss in [*found[count:until], *(compute() for compute in parts.computed)]:
            tf.keras.layers.Layer.add_loss(self, loss)
        for metric, value in zip(self.metrics_of_parts(), found[until:], strict=False):
            metric.update_state(value)
        packed = getattr(self, "_outputs_struct", None)
        return found[0] if packed is None else tf.nest.pack_sequence_as(packed, found[:count])

    def metrics_of_parts(self: Any) -> list[Any]:
        """A mean for each of the values, by its name."""
        parts: _Parts = self.tf1_parts[0]()
        for name in parts.names[len(parts.metrics):len(parts.values)]:
            parts.metrics.append(tf.keras.metrics.Mean(name))
        return parts.metrics

    @property
    def metrics(self: Any) -> list[Any]:
        return [*super().metrics, *self.metrics_of_parts()]  # type: ignore[misc]


def _parts_of(model: Any) -> _Parts:
    if not isinstance(model, _WithParts):
        kind, parts = type(model), _Parts()
        model.__class__ = type(kind.__name__, (_WithParts, kind), {"tf1_parts": (lambda: parts,)})
    found: _Parts = model.tf1_parts[0]()
    found.model = None
    return found


def add_loss(model: Any, loss: Any) -> None:
    """`model.add_loss(loss)`.

    Args:
        loss: A symbolic tensor, or a function that gives one, or one that computes the loss of variables.

    Raises:
        ValueError: it is a value that has been computed already.
    """
    with tf.GradientTape() as tape:
        value = loss() if callable(loss) else loss
    if isinstance(value, tf.keras.KerasTensor):
        _parts_of(model).losses.append(value)
    elif tape.watched_variables():
        _parts_of(model).computed.append(loss)
    else:
        raise ValueError("the loss has been computed already, and would not change: add it as a function "
                         "that computes it, add_loss(model, lambda: ...)")


def reading(model: Any, function: Any) -> Any:
    """A loss or metric for `model.compile` that reads symbolic tensors of the model beside what it is given
    (names around it, attributes of its object): when it is called, they are what the batch made them."""
    around = Around(function)
    if not around.tensors:
        return function
    parts = _parts_of(model)
    places = list(map(parts.place, around.tensors))

    @functools.wraps(function)
    def read(*given: Any) -> Any:
        return around.function([parts.now[place] for place in places])(*given)

    return read


def add_metric(model: Any, value: Any, name: str, aggregation: str | None = "mean") -> None:
    """`model.add_metric(value, name=name, aggregation="mean")`."""
    parts = _parts_of(model)
    parts.names.append(name)
    parts.values.append(value)


def name_metric(model: Any, name: str) -> None:
    """`model.metrics_names.append(name)`, for a value that `add_metric_tensor` gives."""
    _parts_of(model).names.append(name)


def add_metric_tensor(model: Any, value: Any) -> None:
    """`model.metrics_tensors.append(value)`."""
    _parts_of(model).values.append(value)
