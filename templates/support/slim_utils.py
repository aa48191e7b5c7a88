"""slim's helpers for shapes, conditions and end points (`slim.utils`)."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from .store import current_run, name_of

NamedOutputs = collections.namedtuple("NamedOutputs", ["name", "outputs"])


def collect_named_outputs(collections: Any, alias: str, outputs: Any) -> Any:
    """Adds `outputs` to the collections under the name `alias` and returns it."""
    if collections:
        append_tensor_alias(outputs, alias)
        for name in [collections] if isinstance(collections, str) else collections:
            current_run().add_to_collection(name, outputs)
    return outputs


def append_tensor_alias(tensor: Any, alias: str) -> Any:
    """Gives a tensor one more end point name (of this run)."""
    current_run().aliases.setdefault(id(tensor), []).append(alias.removesuffix("/"))
    return tensor


def get_tensor_aliases(tensor: Any) -> list[str]:
    """The end point names of a tensor, else its own name."""
    aliases = current_run().aliases.get(id(tensor))
    if aliases:
        return aliases
    name = name_of(tensor)
    return [name] if name else []


def gather_tensors_aliases(tensors: Any) -> list[str]:
    """The end point names of several tensors."""
    return [alias for tensor in tensors for alias in get_tensor_aliases(tensor)]


def convert_collection_to_dict(
    collection: str, clear_collection: bool = False
) -> collections.OrderedDict[str, Any]:
    """End point name to tensor, in the order in which they were collected."""
    run = current_run()
    named = collections.OrderedDict(
        (alias, tensor)
        for tensor in run.get_collection(collection)
        for alias in get_tensor_aliases(tensor)
    )
    if clear_collection:
        run.get_collection_ref(collection).clear()
    return named


def constant_value(value_or_tensor_or_var: Any, dtype: Any = None) -> Any:
    """The Python value if it is known now, None for a variable or a tensor still to be computed."""
    value = value_or_tensor_or_var
    if value is None:
        raise ValueError("value_or_tensor_or_var cannot be None")
    if isinstance(value, (tf.Tensor, tf.Variable)):
        if dtype and value.dtype != dtype:
            raise ValueError(f"It has the wrong type {value.dtype} instead of {dtype}")
        return None if isinstance(value, tf.Variable) else tf.get_static_value(value)
    return value


def static_cond(pred: Any, fn1: Callable[[], Any], fn2: Callable[[], Any]) -> Any:
    """`fn1()` if `pred`, else `fn2()`; `pred` is a Python value."""
    for fn in (fn1, fn2):
        if not callable(fn):
            raise TypeError("fn1 and fn2 must be callable.")
    return fn1() if pred else fn2()


def smart_cond(
    pred: Any, fn1: Callable[[], Any], fn2: Callable[[], Any], name: str | None = None
) -> Any:
    """A Python `if` where `pred` is known now, `tf.cond` where it is not."""
    value = constant_value(pred)
    if value is None:
        return tf.cond(pred, fn1, fn2, name)
    return static_cond(value, fn1, fn2)


def get_variable_collections(variables_collections: Any, name: str) -> Any:
    """The collections for the variable `name`, from a dict by name or a list for all."""
    if isinstance(variables_collections, dict):
        return variables_collections.get(name)
    return variables_collections


def _get_dimension(shape: Any, dim: int, min_rank: int) -> int:
    shape = tf.TensorShape(shape)
    if shape.rank is None:
        raise ValueError("dims of shape must be known but is None")
    if shape.rank < min_rank:
        raise ValueError(f"rank of shape must be at least {min_rank} not: {shape.rank}")
    if shape[dim] is None:
        raise ValueError(f"dimension {dim} of shape must be known but is None: {shape}")
    return shape[dim]


def channel_dimension(shape: Any, data_format: str, min_rank: int = 1) -> int:
    """The static number of channels; `data_format` is 'channels_first' or 'channels_last'."""
    return _get_dimension(shape, 1 if data_format == "channels_first" else -1, min_rank)


def last_dimension(shape: Any, min_rank: int = 1) -> int:
    """The static size of the last dimension; ValueError where it is unknown."""
    return _get_dimension(shape, -1, min_rank)


def two_element_tuple(int_or_tuple: Any) -> tuple[int, int]:
    """3 -> (3, 3); [3, 5] -> (3, 5)."""
    if isinstance(int_or_tuple, int):
        return int_or_tuple, int_or_tuple
    if isinstance(int_or_tuple, (list, tuple, tf.TensorShape)) and len(int_or_tuple) == 2:
        return int(int_or_tuple[0]), int(int_or_tuple[1])
    raise ValueError(f"Must be an int, a list with 2 elements or a TensorShape: {int_or_tuple}")


def n_positive_integers(n: int, value: Any) -> tuple[int, ...]:
    """`value` (one integer or a sequence of n) as a tuple of n positive integers."""
    if n < 1 or n != int(n):
        raise ValueError("n must be a positive integer")
    values = tuple(value) if isinstance(value, (list, tuple, tf.TensorShape)) else (value,) * n
    if len(values) != n:
        raise ValueError(f"Expected sequence of {n} positive integers, but received {value!r}")
    values = tuple(int(v) for v in values)
    if min(values) < 1:
        raise ValueError(f"expected positive integers, but received {value!r}")
    return values
