"""Lines on which a name may be missing, because the code around them expects that."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable

from migrator.analysis.tree_walk import walk

_CAUGHT = frozenset(
    ("ImportError", "ModuleNotFoundError", "AttributeError", "NameError", "Exception",
     "BaseException", "TypeError", "RuntimeError")
)  # fmt: skip
#: What a condition on the version of anything asks for.
_ASKED = frozenset(
    ("hasattr", "__version__", "VERSION", "version_info", "PY2", "PY3", "TYPE_CHECKING", "getattr",
     "is_tf2", "find_spec", "__VERSION__", "GIT_VERSION")
)  # fmt: skip
#: A version that a function of the program's own is given.
_VERSION = re.compile(r"\d+(\.\d+)*")
_WORDS = re.compile(rf"except|{'|'.join(sorted(_ASKED))}|\(['\"]{_VERSION.pattern}['\"]")


class Guards:
    """The guarded lines of a module: `at(line)` is a number for each ``try`` and condition, negative
    for what runs instead where its body failed, 0 for what nothing guards."""

    def __init__(self, text: str, statements: Callable[[], Iterable[ast.stmt]]) -> None:
        self._spans: list[tuple[int, int, int]] = []
        self._lines: dict[int, int] | None = None
        if _WORDS.search(text) is None:
            return
        number = 0
        asks = "hasattr" in text
        for node in statements():
            if isinstance(node, ast.Try) and any(catches(handler) for handler in node.handlers):
                number += 1
                self._add(node.body, number)
                for handler in node.handlers:
                    self._add(handler.body, -number)
                if node.orelse:
                    self._add(node.orelse, number)
            elif isinstance(node, (ast.If, ast.Assert)) and _asks(node.test):
                number += 1
                self._add([node], number)
            elif asks and not hasattr(node, "body"):
                if any(n.__class__ is ast.Name and n.id == "hasattr" for n in walk(node)):  # type: ignore[attr-defined]
                    number += 1
                    self._add([node], number)

    def _add(self, body: Iterable[ast.stmt], number: int) -> None:
        for node in body:
            self._spans.append((node.lineno, node.end_lineno or node.lineno, number))

    def at(self, line: int) -> int:
        """The innermost guard of a line."""
        if not self._spans:
            return 0
        if self._lines is None:
            self._lines = {
                each: number
                for first, last, number in self._spans
                for each in range(first, last + 1)
            }
        return self._lines.get(line, 0)


def catches(handler: ast.ExceptHandler) -> bool:
    """Whether a handler is for names that are missing (among others)."""
    if handler.type is None:
        return True
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(
        getattr(kind, "attr", getattr(kind, "id", "")) in _CAUGHT for kind in kinds
    )


def _asks(test: ast.expr) -> bool:
    return any(
        getattr(node, "id", None) in _ASKED or getattr(node, "attr", None) in _ASKED
        or isinstance(node, ast.Call) and any(_is_version(argument) for argument in node.args)
        for node in walk(test)
    )


def _is_version(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
        and _VERSION.fullmatch(node.value) is not None
    )
