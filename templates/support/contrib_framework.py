"""Small functions of tf.contrib.framework: conditions known at build time, deprecations, shapes."""
from __future__ import annotations

import functools
import inspect
import logging
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from . import checkpoint

_log = logging.getLogger(__name__)


def smart_constant_value(pred: Any) -> bool | None:
    """The truth value of `pred` as far as it is known now: None for a tensor of a trace.

    Raises:
        TypeError: `pred` is no boolean and no tensor.
    """
    if isinstance(pred, (bool, int)) and pred in (0, 1):
        return bool(pred)
    if isinstance(pred, tf.Variable):
        pred = tf.convert_to_tensor(pred)
    if not tf.is_tensor(pred):
        raise TypeError(f"`pred` must be a Tensor, or a Python bool, or 1 or 0. Found instead: "
                        f"{type(pred)}")
    value = tf.get_static_value(pred)
    return None if value is None else bool(value)


def smart_cond(pred: Any, true_fn: Callable[[], Any] | None = None,
               false_fn: Callable[[], Any] | None = None, name: str | None = None) -> Any:
    """`tf.cond` that calls only one of the functions if `pred` is known.

    Raises:
        TypeError: one of the functions is missing, or `pred` is no condition.
    """
    if not callable(true_fn) or not callable(false_fn):
        raise TypeError("`true_fn` and `false_fn` must be callable.")
    value = smart_constant_value(pred)
    if value is None:
        return tf.cond(pred, true_fn, false_fn, name)
    return true_fn() if value else false_fn()


def smart_case(pred_fn_pairs: Any, default: Callable[[], Any] | None = None,
               exclusive: bool = False, name: str = "smart_case") -> Any:
    """`tf.case` in which conditions that are known to be false are left out.

    The first one that is known to be true is taken if all before it are false.
    """
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
    open_pairs = []
    for pred, function in pairs:
        value = smart_constant_value(pred)
        if value is None:
            open_pairs.append((pred, function))
        elif value:
            if not open_pairs:
                return function()
            default = function
            break
    if not open_pairs:
        if default is None:
            raise ValueError("no condition holds and there is no default")
        return default()
    return tf.case(open_pairs, default, exclusive, name=name)


def _warn(name: str, instructions: str, date: str | None) -> None:
    when = "in a future version" if date is None else f"after {date}"
    _log.warning("%s is deprecated and will be removed %s. %s", name, when, instructions)


def deprecated(date: str | None, instructions: str, warn_once: bool = True
               ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorates a function that logs, when it is called, that it will go away.

    Args:
        date: When ("2026-12-31"); None: some time.
        instructions: What to use instead.
        warn_once: Log the first call only.
    """
    if not instructions:
        raise ValueError("Don't deprecate things without conversion instructions!")

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        warned = False

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            nonlocal warned
            if not (warned and warn_once):
                _warn(function.__qualname__, instructions, date)
                warned = True
            return function(*args, **kwargs)
        note = f"DEPRECATED: {instructions}"
        wrapper.__doc__ = f"{(function.__doc__ or '').rstrip()}\n\n{note}".lstrip()
        return wrapper
    return decorate


def deprecated_args(date: str | None, instructions: str, *deprecated_arg_names_or_tuples: Any,
                    **kwargs: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorates a function that logs when it is called with one of some arguments.

    A pair (name, value) stands for an argument that may be given that value.

    Raises:
        ValueError: the function has no such argument, or none are listed.
    """
    if not instructions or not deprecated_arg_names_or_tuples:
        raise ValueError("name the arguments and what to do instead")
    old = {(item if isinstance(item, str) else item[0]): (None if isinstance(item, str) else item)
           for item in deprecated_arg_names_or_tuples}

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(function)
        unknown = [name for name in old if name not in signature.parameters]
        if unknown:
            raise ValueError(f"{function.__qualname__} has no arguments {unknown}")

        @functools.wraps(function)
        def wrapper(*args: Any, **given: Any) -> Any:
            bound = signature.bind_partial(*args, **given).arguments
            for name, allowed in old.items():
                if name in bound and (allowed is None or bound[name] != allowed[1]):
                    _warn(f"{function.__qualname__}({name})", instructions, date)
            return function(*args, **given)
        return wrapper
    return decorate


def deprecated_arg_values(date: str | None, instructions: str, warn_once: bool = True,
                          **deprecated_kwargs: Any
                          ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorates a function that logs when arguments have the given values."""
    if not instructions or not deprecated_kwargs:
        raise ValueError("name the values and what to do instead")

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def wrapper(*args: Any, **given: Any) -> Any:
            bound = signature.bind_partial(*args, **given).arguments
            for name, value in deprecated_kwargs.items():
                if name in bound and bound[name] == value:
                    _warn(f"{function.__qualname__}({name}={value!r})", instructions, date)
            return function(*args, **given)
        return wrapper
    return decorate


def convert_to_tensor_or_sparse_tensor(value: Any, dtype: Any = None,
                                       name: str | None = None) -> Any:
    """A tensor of `value`; sparse tensors stay what they are.

    Raises:
        RuntimeError: a sparse tensor of another dtype than `dtype`.
    """
    if not isinstance(value, tf.SparseTensor):
        return tf.convert_to_tensor(value, dtype, name=name)
    if dtype is not None and tf.as_dtype(dtype) != value.dtype:
        raise RuntimeError(f"Sparse dtype mismatch: requested {tf.as_dtype(dtype).name}, actual "
                           f"{value.dtype.name}")
    return value


def reduce_sum_n(tensors: Sequence[Any], name: str | None = None) -> tf.Tensor:
    """The sum of all elements of all tensors, a scalar. Raises ValueError if there are none."""
    if not tensors:
        raise ValueError("No tensors provided.")
    return tf.add_n([tf.reduce_sum(tensor) for tensor in tensors], name)


def remove_squeezable_dimensions(predictions: Any, labels: Any,
                                 name: str | None = None) -> tuple[tf.Tensor, tf.Tensor]:
    """(predictions, labels), with a last dimension of 1 taken off the one that has one more."""
    predictions, labels = tf.convert_to_tensor(predictions), tf.convert_to_tensor(labels)
    ranks = predictions.shape.rank, labels.shape.rank
    if None not in ranks:
        if ranks[0] == ranks[1] + 1:
            predictions = tf.squeeze(predictions, [-1])
        elif ranks[1] == ranks[0] + 1:
            labels = tf.squeeze(labels, [-1])
    return predictions, labels


def with_shape(expected_shape: Any, tensor: Any) -> tf.Tensor:
    """`tensor`, checked to be of a shape (ValueError or InvalidArgumentError if not)."""
    tensor = tf.convert_to_tensor(tensor)
    if tf.is_tensor(expected_shape):
        expected_shape = tf.get_static_value(expected_shape)
    if tensor.shape.is_fully_defined() and not tensor.shape.is_compatible_with(expected_shape):
        raise ValueError(f"shape {tensor.shape} is not {expected_shape}")
    return tf.ensure_shape(tensor, expected_shape)


def with_same_shape(expected_tensor: Any, tensor: Any) -> tf.Tensor:
    """`tensor`, checked to be of the shape of `expected_tensor`; see `with_shape`."""
    return with_shape(tf.convert_to_tensor(expected_tensor).shape, tensor)


def get_name_scope() -> str:
    """The open name scopes, "a/b"; without open ones "". Known in a traced function only."""
    with tf.name_scope("here") as scope:
        return scope[:-len("here/")].rstrip("/")


def init_from_checkpoint(checkpoint_dir: str, assignment_map: Any) -> None:
    """`checkpoint.init_from_checkpoint` by contrib's name of its first argument."""
    checkpoint.init_from_checkpoint(checkpoint_dir, assignment_map)
