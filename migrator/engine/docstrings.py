"""The lines of a docstring move with the function or class that has moved."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.analysis.parsed import Parsed
from migrator.analysis.tree_walk import walk
from migrator.lines import indent_of, lines_of


def moved_along(old: Parsed, new: Parsed) -> str:
    """The new text, in which docstrings stand to their first line as they did in the old one.

    >>> old = Parsed('if x:\\n    def f():\\n        \"\"\"What f does:\\n        all.\"\"\"\\n')
    >>> print(moved_along(old, Parsed('def f():\\n    \"\"\"What f does:\\n        all.\"\"\"\\n')), end="")
    def f():
        \"\"\"What f does:
        all.\"\"\"
    """
    if '"""' not in new.text and "'''" not in new.text:
        return new.text
    after = lines_of(new.text, keepends=True)
    before = lines_of(old.text)
    known: dict[str, set[str]] = {}
    for value, first, _ in _docstrings(old.tree):
        row = before[first - 1]
        known.setdefault(value, set()).add(row[: indent_of(row)])
    for value, first, last in _docstrings(new.tree):
        indents = known.get(value, set())
        here = after[first - 1][: indent_of(after[first - 1])]
        if len(indents) != 1 or here in indents:
            continue
        (was,) = indents
        rows = after[first:last]
        if all(row.startswith(was) for row in rows if row.strip()):
            after[first:last] = [here + row[len(was) :] if row.strip() else row for row in rows]
    return "".join(after)


def _docstrings(tree: ast.Module) -> Iterator[tuple[str, int, int]]:
    """(text, first line, last line) of those with several lines that functions and classes have."""
    for node in walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(
                    first.value.value, str) and (first.end_lineno or 0) > first.lineno:
                yield first.value.value, first.lineno, first.end_lineno or 0
