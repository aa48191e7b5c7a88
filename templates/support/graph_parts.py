"""A graph that TF 1 ran in parts, as one function for each part."""
from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf


def _behind(fetches: Any) -> set[tf.Operation]:
    """All operations that run for the tensors and operations in a nest."""
    queue = [getattr(x, "op", x) for x in tf.nest.flatten(fetches, expand_composites=True)]
    found: set[tf.Operation] = set()
    while queue:
        operation = queue.pop()
        if isinstance(operation, tf.Operation) and operation not in found:
            found.add(operation)
            queue += [tensor.op for tensor in operation.inputs] + list(operation.control_inputs)
    return found


def _read(value: Any) -> Any:
    """What fetching a variable, or what `assign` returned, gives: the value, then."""
    return value.read_value() if isinstance(value, tf.Variable) else value


class _Part:
    """One of the functions that `separate` gives."""

    def __init__(self, whole: Any, arguments: dict[str, tf.Tensor], fetches: Any) -> None:
        self.graph = whole.graph
        self._whole, self._arguments, self._fetches = whole, arguments, fetches
        self._pruned: dict[tuple[str, ...], Any] = {}
        behind = _behind(fetches)
        self._needed = [name for name, tensor in arguments.items() if tensor.op in behind]

    def __call__(self, **values: Any) -> Any:
        unknown = sorted(set(values) - set(self._arguments))
        if unknown:
            raise TypeError(f"the graph has no parameter {unknown[0]}")
        missing = [name for name in self._needed if name not in values]
        if missing:
            raise TypeError(f"{missing[0]} is needed to compute this part")
        names = tuple(name for name in self._arguments if name in values)
        if names not in self._pruned:
            feeds = [self._arguments[name] for name in names]
            self._pruned[names] = self._whole.prune(feeds, self._fetches)
        return self._pruned[names](
            *(tf.convert_to_tensor(values[name], self._arguments[name].dtype) for name in names))


def separate(build: Callable[..., Any], signature: Sequence[Any]) -> tuple[Any, ...]:
    """One function for each of the values that `build` returns: it computes that value alone, with
    only those operations of `build` behind it, as TF 1 did for a fetch.

    Args:
        build: Called once, with symbolic tensors, to build a graph; returns a tuple of nests.
        signature: The tf.TensorSpec of each of its parameters.

    Returns:
        Functions that take, by name, the parameters that their value depends on.
    """
    names = list(inspect.signature(build).parameters)
    traced: list[Any] = []

    def trace(*arguments: tf.Tensor) -> None:
        values = tf.nest.map_structure(_read, build(*arguments))
        traced.append((dict(zip(names, arguments, strict=True)), values))

    whole = tf.compat.v1.wrap_function(trace, list(signature))
    arguments, values = traced[-1]
    return tuple(_Part(whole, arguments, value) for value in values)
