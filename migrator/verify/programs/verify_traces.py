"""Counts how often each `tf.function` of a repository was traced, and for how many signatures."""

from __future__ import annotations

import os
from typing import Any


def record_functions(tf: Any) -> list[Any]:
    """A list that every tf.function made from now on is appended to."""
    kind = type(tf.function(lambda: None))
    original = kind.__init__
    made: list[Any] = []

    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        made.append(self)

    kind.__init__ = init
    return made


def _signature(tf: Any, concrete: Any) -> str:
    """What a trace is for: types of its tensors, and its Python values except numbers.

    Numbers are left out: a trace for each step or learning rate is not a signature of its own.
    """

    def name(value: Any) -> str:
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        return "number" if number else repr(value)

    return str(tf.nest.map_structure(name, concrete.structured_input_signature))


def trace_counts(tf: Any, functions: list[Any], root: str) -> list[dict[str, Any]]:
    """Traces and signatures of each function that is defined in the repository."""
    counts = []
    for function in functions:
        code = getattr(function.python_function, "__code__", None)
        if code is None:
            continue
        path = os.path.realpath(code.co_filename)
        if not path.startswith(os.path.realpath(root) + os.sep):
            continue
        traces = function.experimental_get_tracing_count()
        if not traces:
            continue
        signatures = {_signature(tf, c) for c in function._list_all_concrete_functions()}
        counts.append(
            {
                "name": function.python_function.__name__,
                "file": os.path.relpath(path, os.path.realpath(root)),
                "line": code.co_firstlineno,
                "traces": traces,
                "signatures": len(signatures),
            }
        )
    return counts
