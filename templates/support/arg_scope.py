"""Default arguments for layer functions over a block of code (TF1's `arg_scope`)."""

from __future__ import annotations

import contextlib
import functools
import inspect
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import tensorflow as tf

Scope = dict[str, dict[str, Any]]


class _ArgScopes(threading.local):
    def __init__(self) -> None:
        self.stack: list[Scope] = [{}]


_arg_scopes = _ArgScopes()


def arg_scope_func_key(op: Callable[..., Any]) -> str:
    """The name under which `op`'s defaults stand in a scope."""
    return getattr(op, "_key_op", str(op))


def add_arg_scope(func: Callable[..., Any]) -> Callable[..., Any]:
    """Lets `arg_scope` set default arguments of `func`; given arguments win."""

    @functools.wraps(func)
    def func_with_args(*args: Any, **kwargs: Any) -> Any:
        defaults = _arg_scopes.stack[-1].get(key)
        return func(*args, **({**defaults, **kwargs} if defaults else kwargs))

    key = f"{func.__module__}.{func.__qualname__}"
    # AutoGraph has nothing to do in here and would be slow at it.
    wrapper: Any = tf.autograph.experimental.do_not_convert(func_with_args)
    wrapper = functools.wraps(func)(wrapper)
    wrapper._key_op = key
    parameters = inspect.signature(func).parameters.values()
    wrapper._arg_names = tuple(
        p.name for p in parameters if p.default is not p.empty and p.kind is p.POSITIONAL_OR_KEYWORD
    )
    return wrapper


def has_arg_scope(func: Callable[..., Any]) -> bool:
    """Whether `func` was decorated with `add_arg_scope`."""
    return hasattr(func, "_key_op")


def arg_scoped_arguments(func: Callable[..., Any]) -> tuple[str, ...]:
    """The keyword arguments of `func` that `arg_scope` can set."""
    if not has_arg_scope(func):
        raise ValueError(f"{func} is not decorated with @add_arg_scope")
    return func._arg_names  # type: ignore[attr-defined]


def current_arg_scope() -> Scope:
    """The defaults that hold now."""
    return _arg_scopes.stack[-1]


@contextlib.contextmanager
def arg_scope(list_ops_or_scope: Mapping[str, Any] | Iterable[Any], **kwargs: Any) -> Iterator[Scope]:
    """`with arg_scope([op, ...], key=value, ...) as scope:` or `with arg_scope(scope):`.

    Raises TypeError/ValueError if a function is not decorated with `add_arg_scope`, or if a saved
    scope is given together with keyword arguments. A generator, as in TF1: one that a program enters
    and never leaves ends with the last reference to it.
    """
    if isinstance(list_ops_or_scope, Mapping):
        if kwargs:
            raise ValueError(
                f"arg_scope(saved_scope) takes no keyword arguments, got {sorted(kwargs)}; "
                "open a second arg_scope([functions], ...) inside it"
            )
        scope = dict(list_ops_or_scope)
    elif isinstance(list_ops_or_scope, (list, tuple)):
        scope = {key: dict(values) for key, values in current_arg_scope().items()}
        for op in list_ops_or_scope:
            if not has_arg_scope(op):
                raise ValueError(f"{op} is not decorated with @add_arg_scope")
            scope.setdefault(arg_scope_func_key(op), {}).update(kwargs)
    else:
        raise TypeError(
            "arg_scope takes a list of functions or a scope saved by `with arg_scope(...) as`, "
            f"not {list_ops_or_scope!r}"
        )
    stack = _arg_scopes.stack
    stack.append(scope)
    try:
        yield scope
    finally:
        stack.pop()
