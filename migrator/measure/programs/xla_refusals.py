"""What XLA says when it cannot compile a graph, in plain words: that is a result, not a failure.

The wordings are TensorFlow's own (tensorflow/compiler/tf2xla: xla_compiler.cc for ops that the
compiler has no kernel for, xla_op_kernel.cc for values that must be known when it compiles).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from migrator.measure.programs import measure_probe as probe

_UNSUPPORTED = "Detected unsupported operations when trying to compile graph"
_OP = re.compile(r"(\w+) \(No registered '\1' OpKernel[^)]*?\{\{node ([^}]+)\}\}")
_CONSTANT = re.compile(r"Input \d+ to node `([^`]+)` with op (\w+) must be a compile-time constant")
# loops and branches as TF 1 wrote them into graphs; XLA takes TF 2's While and If only
_TF1_CONTROL = {"Enter", "Exit", "Merge", "Switch", "NextIteration", "LoopCond"}
SHOWN = 4  # ops that are named


def first(tf: Any, step: Callable[[], Any]) -> Any:
    """Calls the step for the first time, which compiles it.

    Raises:
      Unusable: XLA cannot compile it, with the ops that are in the way.
    """
    try:
        return step()
    except (tf.errors.InvalidArgumentError, tf.errors.UnimplementedError) as error:
        told = reason(str(error))
        if told is None:
            raise
        raise probe.Unusable(told) from error


def reason(message: str) -> str | None:
    """Why XLA did not compile, or None where the message is about something else."""
    if _UNSUPPORTED in message:
        found: dict[str, str] = {}
        for op, node in _OP.findall(message):
            found.setdefault(op, node)
        if _TF1_CONTROL & found.keys():
            op = min(_TF1_CONTROL & found.keys())
            return (
                f"XLA cannot compile op {op} ({found[op]}): a loop or branch in TF 1's form, which a "
                "graph in a file keeps. Rebuild the model from its code, or store it without that part"
            )
        named = ", ".join(f"{op} ({node})" for op, node in list(found.items())[:SHOWN])
        more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
        return (
            f"XLA cannot compile op {named or 'unknown'}{more}: keep it outside of the compiled function"
        )
    constant = _CONSTANT.search(message)
    if constant:
        return (
            f"XLA cannot compile op {constant[2]} ({constant[1]}): a size in it follows from the data. "
            "Keep it outside of the compiled function"
        )
    return None
