"""An import whose last use an edit took away goes, too."""

from __future__ import annotations

import ast
import copy
import re
import sys
from collections.abc import Callable

from migrator.analysis.names import canonical
from migrator.analysis.parsed import Parsed
from migrator.analysis.tree_walk import walk
from migrator.lines import lines_of
from migrator.model import Change

#: Modules that do nothing but define: TensorFlow's, Keras' and Python's own, and what bridges Python 2 and 3.
_PLAIN = sys.stdlib_module_names | {"tensorflow", "keras", "six", "past", "future", "__future__"}
_LOOKED_UP = re.compile(r"\b(?:eval|exec|globals|locals|vars|getattr\(sys\.modules)\b|__all__")
CODE = "TF101"


def looked_up(path: str, text: str) -> bool:
    """Whether names of a module may be asked for that it does not read by name: those of a package's
    ``__init__``, or what the module itself looks up when it runs."""
    return path.endswith("__init__.py") or _LOOKED_UP.search(text) is not None


def without_left_over(
    path: str, old: Parsed, new: Parsed, taken: Callable[[], frozenset[str]]
) -> tuple[str, list[Change]]:
    """The new text without imports that nothing uses any more, and what is to be reported of each (by
    lines of `old`). `taken` gives the names that other modules have from this one.

    Only names of statements on a line of their own go, that `old` imported, too, and used.
    """
    if new.text == old.text or looked_up(path, new.text):
        return new.text, []
    imported = {name: node for node in old.tree.body for name in _bound(node)}
    candidates = [
        (node, name) for node in new.tree.body if isinstance(node, (ast.Import, ast.ImportFrom))
        for name in _bound(node) if name in imported and node.lineno == node.end_lineno
    ]
    if candidates:
        used = _used(new.tree)
        candidates = [(node, name) for node, name in candidates if name not in used]
    if not candidates:
        return new.text, []
    was_used, texts, elsewhere = _used(old.tree), _strings(new.tree), taken()
    rows = lines_of(new.text, keepends=True)
    changes: list[Change] = []
    left: dict[int, ast.Import | ast.ImportFrom] = {}  # by line, what is left of a statement
    for node, name in candidates:
        if name in elsewhere or name not in was_used or any(f"{name}." in text for text in texts):
            continue
        row = rows[node.lineno - 1]
        if row.strip() == ast.unparse(left.get(node.lineno, node)):
            was = imported[name]
            less = left[node.lineno] = copy.copy(left.get(node.lineno, node))
            less.names = [alias for alias in less.names if (alias.asname or alias.name) != name]
            rows[node.lineno - 1] = row.replace(row.strip(), ast.unparse(less)) if less.names else ""
            changes.append(Change(CODE, was.lineno, was.end_lineno or was.lineno,
                                  f"nothing uses {name} any more", "tensorflow"))
    return "".join(rows), changes


def _bound(node: ast.stmt) -> list[str]:
    """The names that an import of one plain module, or of names in one, binds."""
    if not isinstance(node, (ast.Import, ast.ImportFrom)):
        return []
    if isinstance(node, ast.Import) and len(node.names) != 1:
        return []
    alias = node.names[0]
    module = alias.name if isinstance(node, ast.Import) else node.module or ""
    top = canonical(module)[0].partition(".")[0]
    relative = isinstance(node, ast.ImportFrom) and node.level
    if top not in _PLAIN or top == "__future__" or relative or alias.name == "*":
        return []
    if isinstance(node, ast.Import) and alias.asname is None and "." in alias.name:
        return []  # it loads a module and binds another
    return [alias.asname or alias.name for alias in node.names]


def _used(tree: ast.Module) -> set[str]:
    return {node.id for node in walk(tree) if isinstance(node, ast.Name)}


def _strings(tree: ast.Module) -> list[str]:
    return [node.value for node in walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)]


__all__ = ["CODE", "looked_up", "without_left_over"]
