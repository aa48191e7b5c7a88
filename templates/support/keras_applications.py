"""Networks of `keras.applications` built of other layers than Keras's own, as TF 1 allowed."""
from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any


def build(
    application: Callable[..., Any],
    *args: Any,
    backend: Any = None,
    layers: Any = None,
    models: Any = None,
    utils: Any = None,
    **kwargs: Any,
) -> Any:
    """`application(*args, **kwargs)` whose code finds `layers` where it says `keras.layers`.

    The functions of the application's module are run over a copy of its namespace, so that
    nothing is changed for others. `backend` and `models` are replaced likewise where they are
    given; `utils` is accepted and not needed.

    Raises:
        TypeError: `application` is not a function that is written in Python.
    """
    del utils
    if not isinstance(application, types.FunctionType):
        raise TypeError(f"{application!r} is not a function of keras.applications")
    original = application.__globals__
    namespace = dict(original)
    for name, value in original.items():
        if isinstance(value, types.FunctionType) and value.__globals__ is original:
            copy = types.FunctionType(
                value.__code__, namespace, value.__name__, value.__defaults__, value.__closure__)
            copy.__kwdefaults__ = value.__kwdefaults__
            namespace[name] = copy
    given = {"backend": backend, "layers": layers, "models": models}
    namespace.update({name: value for name, value in given.items() if value is not None})
    return namespace[application.__name__](*args, **kwargs)
