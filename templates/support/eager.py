"""What TF 1's eager mode had in `tf.contrib.eager`: gradients of functions, iterators, networks."""
from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from collections.abc import Iterator as Iterating
from typing import Any

import tensorflow as tf

from .layer_base import Layer

Gradients = list[tuple[Any, Any]]


def implicit_value_and_gradients(f: Callable[..., Any]) -> Callable[..., tuple[Any, Gradients]]:
    """A function that gives the value of `f`, and (gradient, variable) of the trainable variables that it
    reads.

    Its call raises ValueError where `f` returns None or reads no trainable variable.
    """

    def computed(*args: Any, **kwargs: Any) -> tuple[Any, Gradients]:
        with tf.GradientTape() as tape:
            value = f(*args, **kwargs)
        if value is None:
            raise ValueError(f"{f} returns None, which has no gradient")
        variables = tape.watched_variables()
        if not variables:
            raise ValueError("No trainable variables were accessed while the function was being computed.")
        return value, list(zip(tape.gradient(value, variables), variables, strict=True))

    return computed


def implicit_gradients(f: Callable[..., Any]) -> Callable[..., Gradients]:
    """`implicit_value_and_gradients` without the value."""
    both = implicit_value_and_gradients(f)
    return lambda *args, **kwargs: both(*args, **kwargs)[1]


def value_and_gradients_function(
    f: Callable[..., Any], params: Sequence[int] | Sequence[str] | None = None
) -> Callable[..., tuple[Any, list[Any]]]:
    """A function of tensors that gives the value of `f` and its gradients.

    `params` are places or names of the arguments that gradients are taken of (None: all). `dy` may be
    given to the function as what flows back into the value.
    """

    def computed(*args: Any, dy: Any = None) -> tuple[Any, list[Any]]:
        names = list(inspect.signature(f).parameters)
        places = [names.index(p) if isinstance(p, str) else p for p in params or range(len(args))]
        given = list(args)
        for place in places:
            given[place] = tf.convert_to_tensor(given[place])
        sources = [given[place] for place in places]
        with tf.GradientTape() as tape:
            tape.watch(sources)
            value = f(*given)
        if value is None:
            raise ValueError(f"{f} returns None, which has no gradient")
        return value, tape.gradient(value, sources, output_gradients=dy)

    return computed


def gradients_function(
    f: Callable[..., Any], params: Sequence[int] | Sequence[str] | None = None
) -> Callable[..., list[Any]]:
    """`value_and_gradients_function` without the value."""
    both = value_and_gradients_function(f, params)
    return lambda *args, **kwargs: both(*args, **kwargs)[1]


class Iterator:
    """The elements of a dataset, one after the other."""

    def __init__(self, dataset: tf.data.Dataset) -> None:
        self._elements = iter(dataset)

    def __iter__(self) -> Iterating[Any]:
        return self

    def __next__(self) -> Any:
        return next(self._elements)

    next = __next__

    def get_next(self, name: str | None = None) -> Any:
        """The next element. Raises `tf.errors.OutOfRangeError` behind the last one."""
        del name
        return self._elements.get_next()


class Network(Layer):
    """A layer of layers: those that it tracks are named in it, in the order in which it is told of them."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name=name)
        self.layers: list[Any] = []

    def track_layer(self, layer: Any) -> Any:
        """`layer`, whose weights are the network's from now on."""
        if not layer.built and layer._label is None:
            taken = {other.name for other in self.layers}
            tries = (f"{layer.name}_{i}" if i else layer.name for i in range(len(taken) + 1))
            layer._label = layer._name = next(name for name in tries if name not in taken)
        self.layers.append(layer)
        return layer

    def get_layer(self, name: str | None = None, index: int | None = None) -> Any:
        """The tracked layer at a place, or the first of a name. Raises ValueError where there is none."""
        if (name is None) == (index is None):
            raise ValueError("Exactly one of 'index' or 'name' must be provided")
        found = self.layers[index:][:1] if index is not None else [x for x in self.layers if x.name == name]
        if not found:
            raise ValueError(f"No such layer: {name if index is None else index}")
        return found[0]

    @property
    def trainable_weights(self) -> list[Any]:
        return [weight for layer in self.layers for weight in layer.trainable_weights]

    @property
    def non_trainable_weights(self) -> list[Any]:
        return [weight for layer in self.layers for weight in layer.non_trainable_weights]

    @property
    def weights(self) -> list[Any]:
        return [weight for layer in self.layers for weight in layer.weights]


__all__ = ["Iterator", "Network", "gradients_function", "implicit_gradients", "implicit_value_and_gradients",
           "value_and_gradients_function"]
