"""How often a loop runs, as far as its counters tell.

A loop's condition and body are read with the values that are known before it: constants, and what
earlier loops counted up to. What is not known is left open; a condition that is open does not end
the loop, so the answer is an upper bound where some other part of the condition may.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

MOST = 10_000  # iterations that are counted
Value = int | float | bool | None
_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "Add": operator.add, "AddV2": operator.add, "Sub": operator.sub, "Mul": operator.mul,
    "Less": operator.lt, "LessEqual": operator.le, "Greater": operator.gt,
    "GreaterEqual": operator.ge, "Equal": operator.eq, "NotEqual": operator.ne,
    "Minimum": min, "Maximum": max,
}  # fmt: skip
_PASSED_ON = frozenset({"Identity", "Enter", "StopGradient"})


def scalar(tensor: Any) -> Value:
    """The value of a constant scalar."""
    import tensorflow as tf

    if tensor.dtype.name not in ("int32", "int64", "float32", "float64", "bool"):
        return None
    if tensor.op.type != "Const" or tensor.shape.rank != 0:
        return None
    found: Value = tf.make_ndarray(tensor.op.get_attr("value")).item()
    return found


class Counters:
    """The scalars of a loop that are known from iteration to iteration.

    condition, body: (graph, arguments, results) of the loop's two functions.
    """

    def __init__(self, condition: Any, body: Any, first: Sequence[Value]) -> None:
        self._condition, self._body = condition, body
        self.values = list(first)

    def ends(self) -> bool:
        """Whether the condition is known to be false."""
        _, arguments, results = self._condition
        return _value(results[0], self._known(arguments), {}) is False

    def step(self) -> None:
        """One iteration."""
        _, arguments, results = self._body
        known = self._known(arguments)
        seen: dict[str, Value] = {}
        self.values = [_value(result, known, seen) for result in results]

    def _known(self, arguments: Sequence[Any]) -> dict[str, Value]:
        return {a.name: v for a, v in zip(arguments, self.values, strict=True) if v is not None}


def counted(condition: Any, body: Any, first: Sequence[Value]) -> tuple[int, list[Value]] | None:
    """(most iterations, the scalars after them); None where nothing that is known ends the loop."""
    counters = Counters(condition, body, first)
    for number in range(MOST + 1):
        if counters.ends():
            return number, counters.values
        before = counters.values
        counters.step()
        if counters.values == before:  # nothing that is known moves
            return None
    return None


def _value(tensor: Any, known: dict[str, Value], seen: dict[str, Value]) -> Value:
    """The value of a scalar of a loop's function, None where it is not known."""
    if tensor.name in known:
        return known[tensor.name]
    if tensor.name not in seen:
        seen[tensor.name] = None  # for what is deep in the work of the body, too
        seen[tensor.name] = _computed(tensor, known, seen)
    return seen[tensor.name]


def _computed(tensor: Any, known: dict[str, Value], seen: dict[str, Value]) -> Value:
    op = tensor.op
    if tensor.shape.rank not in (0, None):
        return None
    if op.type == "Const":
        return scalar(tensor)
    if op.type in _PASSED_ON:
        return _value(op.inputs[0], known, seen)
    if op.type == "LogicalNot":
        value = _value(op.inputs[0], known, seen)
        return None if value is None else not value
    if op.type == "LogicalAnd":
        both = [_value(i, known, seen) for i in op.inputs]
        return False if False in both else None if None in both else True
    if op.type in _ARITHMETIC:
        left, right = (_value(i, known, seen) for i in op.inputs)
        if left is None or right is None:
            return None
        found: Value = _ARITHMETIC[op.type](left, right)
        return found
    return None
