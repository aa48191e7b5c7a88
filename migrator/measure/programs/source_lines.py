"""Which line of the user's program made an operation, from TensorFlow's own record of it."""

from __future__ import annotations

import os
from typing import Any

_SUPPORT = os.sep + "tf1_support" + os.sep  # its lines are those of layers, not of the program


class SourceLines:
    """Looks operations of a graph up by name; "" for those that the graph does not have."""

    def __init__(self, graph: Any, root: str) -> None:
        self.graph, self.root = graph, os.path.join(os.path.realpath(root), "")
        self.known: dict[str, str] = {}

    def __call__(self, op: str) -> str:
        """ "file:line" with the file relative to the root, of the innermost call in the program."""
        if op not in self.known:
            self.known[op] = self._found(op)
        return self.known[op]

    def _found(self, op: str) -> str:
        if self.graph is None:
            return ""
        try:
            frames = list(self.graph.get_operation_by_name(op.split("/XLA")[0]).traceback)
        except (KeyError, ValueError, AttributeError):
            return ""
        for frame in reversed(frames):
            path = os.path.realpath(frame.filename)
            if path.startswith(self.root) and _SUPPORT not in path:
                return f"{path[len(self.root) :]}:{frame.lineno}"
        return ""
