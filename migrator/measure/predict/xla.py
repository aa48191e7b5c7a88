"""What an XLA cluster holds while it runs on this CPU, read from the code that XLA makes of it.

XLA takes one block for all temporaries of a cluster. Its size is the most that its instructions hold
at a time in the order that XLA has fixed, besides arguments and results, which are tensors like any
other. The code is compiled and not run. Keras compiles grouped convolutions, such as ConvNeXt's, whose
filter's gradient is dense for a while.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

_ITEM = {"pred": 1, "s4": 1, "u4": 1, "c64": 8, "c128": 16}  # bytes; others tell their bits
_SHAPE = re.compile(r"\b(pred|bf16|[a-z]\d+[a-z0-9]*)\[([\d,]*)\]")
_LINE = re.compile(r"^\s*(ROOT )?%(\S+) = (\([^=]*?\)|\S+) ([\w-]+)\((.*)$")
# The result is the operand's buffer, part of it, or nothing.
_VIEWS = frozenset({"bitcast", "get-tuple-element", "tuple", "parameter", "constant"})
_known: dict[bytes, int | None] = {}


def scratch_bytes(op: Any, handles: Mapping[str, Any]) -> int | None:
    """Bytes of temporaries of a call that XLA compiles; None where that cannot be told.

    handles: of variables, by the names of the op's inputs.
    """
    from tensorflow.python.eager import context

    name = op.get_attr("f").name
    try:
        definition = context.context().get_function_def(name)
    except Exception:  # only a graph's own library has it
        return None
    shapes = ";".join(f"{t.dtype.name}{t.shape}" for t in op.inputs)
    key = shapes.encode() + b"".join(
        n.op.encode() + b"".join(k.encode() + n.attr[k].SerializeToString() for k in sorted(n.attr))
        for n in definition.node_def
    )  # fmt: skip
    if key not in _known:
        _known[key] = _compiled(op, name, handles)
    return _known[key]


def _compiled(op: Any, name: str, handles: Mapping[str, Any]) -> int | None:
    import tensorflow as tf
    from tensorflow.python.eager import context

    given = []
    for tensor in op.inputs:
        if tensor.dtype == tf.resource:
            given.append(handles.get(tensor.op.name))
        elif tensor.shape.is_fully_defined():  # memory that nobody writes to costs nothing
            given.append(tf.raw_ops.Empty(shape=tensor.shape, dtype=tensor.dtype, init=False))
        else:
            return None
    if any(g is None for g in given):
        return None
    try:
        code = context.context().get_compiler_ir(
            device_name="/device:CPU:0", platform_name="CPU", function_name=name, flat_args=given,
            captured_inputs=[], stage="optimized_hlo",
        )  # fmt: skip
    except (tf.errors.OpError, ValueError, TypeError):
        return None
    return temporaries(code.decode())


def temporaries(code: str) -> int | None:
    """The most bytes that the instructions of a scheduled module's entry hold at a time.

    None where the module has no entry, or calls other computations that run for themselves.
    """
    _, found, entry = code.partition("\nENTRY ")
    if not found:
        return None
    size: dict[str, int] = {}
    holds: dict[str, frozenset[str]] = {}  # by instruction: the buffers that its value lies in
    last: dict[str, int] = {}
    made: list[str] = []
    kept: frozenset[str] = frozenset()
    for line in entry.splitlines():
        match = _LINE.match(line)
        if match is None:
            continue
        root, name, shape, kind, rest = match.groups()
        if kind in ("while", "conditional", "call"):
            return None
        operands = [o for o in re.findall(r"%([\w.-]+)", rest.partition(")")[0]) if o in holds]
        read = frozenset().union(*(holds[o] for o in operands))
        for buffer in read:
            last[buffer] = len(made)
        holds[name] = read if kind in _VIEWS else frozenset({name})
        size[name] = 0 if kind in _VIEWS else _bytes(shape)
        made.append(name)
        if root:
            kept = holds[name]
    live = peak = 0
    for place, name in enumerate(made):
        if name not in kept:
            live += size[name]
        peak = max(peak, live)
        live -= sum(
            size[b] for b, end in last.items() if end == place and b not in kept
        ) + (size[name] if name not in last and name not in kept else 0)  # fmt: skip
    return peak


def _bytes(shape: str) -> int:
    total = 0
    for kind, dims in _SHAPE.findall(shape):
        bits = re.search(r"\d+", kind)
        item = _ITEM[kind] if kind in _ITEM else -(-int(bits.group()) // 8) if bits else 4
        total += item * math.prod(int(d) for d in dims.split(",") if d)
    return total
