"""What the static shapes and the constants of a graph tell of sizes, and of what lies side by side."""

from __future__ import annotations

import math
from typing import Any

from migrator.measure.predict import ops

ALIGNMENT = 64  # bytes: EIGEN_MAX_ALIGN_BYTES, at which rows must begin to be shared


def single(tensor: Any) -> float | None:
    if tensor.op.type != "Const" or tensor.shape.num_elements() != 1:
        return None
    import tensorflow as tf

    value = tf.make_ndarray(tensor.op.get_attr("value")).reshape(-1)
    return float(value[0]) if value.dtype.kind in "fiu" else None


def bytes_of(tensor: Any) -> int | None:
    """Bytes of a tensor, None where its shape is not known; handles and strings have none."""
    if tensor.dtype.name in ("resource", "variant", "string"):
        return 0
    if tensor.shape.rank is None or not tensor.shape.is_fully_defined():
        return None
    return math.prod(tensor.shape.as_list()) * (tensor.dtype.size or 4)


def leading_rows(op: Any) -> bool:
    """Whether a slice takes whole rows of the first dimension, aligned: then nothing is copied."""
    source, result = op.inputs[0], op.outputs[0]
    size, taken = bytes_of(source), bytes_of(result)
    if not size or not taken or not source.shape.rank:
        return False
    if size == taken:
        return True
    shape = source.shape.as_list()
    if op.type == "Slice":
        rest = result.shape.as_list()[1:] == shape[1:]
    else:
        rest = op.inputs[1].shape.as_list() == [1] and not (
            op.get_attr("ellipsis_mask") or op.get_attr("new_axis_mask")
        )
        steps = op.inputs[3].op
        rest = rest and steps.type == "Const" and all_values(steps.outputs[0]) == [1]
    return bool(rest) and size // shape[0] % ALIGNMENT == 0


def in_rows(op: Any) -> bool:
    """Whether an op of `ops.PARTS` hands out whole rows of the first dimension, aligned."""
    place, axis = ops.PARTS[op.type]
    along = op.get_attr("axis") if axis < 0 else single(op.inputs[axis])
    source = op.inputs[place]
    size = bytes_of(source)
    if len(op.outputs) == 1 and op.type == "Split":
        return True
    return bool(along == 0 and size and size // source.shape[0] % ALIGNMENT == 0)


def all_values(tensor: Any) -> list[Any]:
    import tensorflow as tf

    found: list[Any] = tf.make_ndarray(tensor.op.get_attr("value")).reshape(-1).tolist()
    return found
