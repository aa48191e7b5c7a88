"""The values of scalars that a run computes on the way, as far as its constants tell.

They decide how often loops run. What is not known is left open; a condition that is open does not end a
loop whose other part counts, so the number of iterations is an upper bound where that other part ends it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

Value = int | float | bool | None
_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "Add": operator.add, "AddV2": operator.add, "Sub": operator.sub, "Mul": operator.mul,
    "FloorDiv": operator.floordiv, "FloorMod": operator.mod,
    "Less": operator.lt, "LessEqual": operator.le, "Greater": operator.gt,
    "GreaterEqual": operator.ge, "Equal": operator.eq, "NotEqual": operator.ne,
    "Minimum": min, "Maximum": max,
}  # fmt: skip


def scalar(tensor: Any) -> Value:
    """The value of a constant scalar."""
    import tensorflow as tf

    if tensor.dtype.name not in ("int32", "int64", "float32", "float64", "bool"):
        return None
    if tensor.op.type != "Const" or tensor.shape.rank != 0:
        return None
    found: Value = tf.make_ndarray(tensor.op.get_attr("value")).item()
    return found


def computed(op: str, given: Sequence[Value]) -> Value:
    """What an op makes of scalars, None where that is not known."""
    if op == "LogicalNot" and len(given) == 1:
        return None if given[0] is None else not given[0]
    if op == "LogicalAnd" and len(given) == 2:
        # of a counter and something open, the counter decides
        known = [v for v in given if v is not None]
        return all(known) if known else None
    if op in _ARITHMETIC and len(given) == 2:
        left, right = given
        if left is None or right is None or op.startswith("Floor") and not right:
            return None
        found: Value = _ARITHMETIC[op](left, right)
        return found
    if op == "Cast" and given and isinstance(given[0], int):
        return given[0]
    return None
