"""Which line of the user's program made an operation, from TensorFlow's own record of it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import Any

_SUPPORT = os.sep + "tf1_support" + os.sep  # its lines are those of layers, not of the program
_INSERTED = re.compile(r"^(ArithmeticOptimizer|ConstantFolding|LayoutOptimizer|AutoMixedPrecision)\w*/")


class SourceLines:
    """Looks operations up by the names that a trace has for them; "" for those that no graph tells."""

    def __init__(self, graph: Any, root: str) -> None:
        """graph: the one that runs (of a session, or of a traced function); root: the repository."""
        self._root = os.path.join(os.path.realpath(root), "")
        self._known: dict[str, str] = {}
        self._ops: dict[str, Any] = {}
        self._scopes: dict[str, Any] = {}  # the first op of each
        for op in graph.get_operations() if graph is not None else ():
            self._ops[op.name] = op
            self._scopes.setdefault(op.name.rpartition("/")[0], op)

    def __call__(self, name: str) -> str:
        """ "file:line" with the file relative to the root, of the innermost call in the program."""
        name = name.split(":")[0].split("/XLA")[0]
        if name not in self._known:
            op = self._named(_INSERTED.sub("", name))
            self._known[name] = self._line(op) if op is not None else ""
        return self._known[name]

    def _named(self, name: str) -> Any:
        """The op, wherever it was inlined or optimised to; for a gradient, that of the way forward."""
        for start in range(name.count("/") + 1):
            inner = name.split("/", start)[-1].removeprefix("gradient_tape/").removeprefix("gradients/")
            for known in _shorter(inner):
                if known in self._ops:
                    return self._ops[known]
            scope = inner.rpartition("/")[0]
            if scope in self._scopes and scope:  # its neighbours: a gradient, or what was fused
                return self._scopes[scope]
        return None

    def _line(self, op: Any) -> str:
        op = getattr(op, "_original_op", None) or op  # the forward op of a gradient
        for frame in reversed(list(op.traceback or ())):  # none of an op that was imported
            path = os.path.realpath(frame.filename)
            if path.startswith(self._root) and _SUPPORT not in path:
                return f"{path[len(self._root) :]}:{frame.lineno}"
        return ""


def _shorter(name: str) -> Iterable[str]:
    """A name, and what is left of it from its end on: the gradient of an op is named below it."""
    while name:
        yield name
        yield name.removesuffix("_grad")
        name = name.rpartition("/")[0]
