"""Blank lines where a statement went are closed to those that stood on one side of it."""

from __future__ import annotations

import ast
from bisect import bisect_left

from migrator.analysis.parsed import Parsed
from migrator.analysis.tree_walk import walk
from migrator.engine.linemap import kept_lines
from migrator.lines import lines_of


def closed(old: Parsed, new: Parsed) -> str:
    """The new text without the blank lines that only code which is gone kept apart.

    >>> old = Parsed("for x in y:\\n    a = 1\\n\\n    f(x)\\n")
    >>> print(closed(old, Parsed("for x in y:\\n\\n    f(x)\\n")), end="")
    for x in y:
        f(x)
    """
    after = lines_of(new.text)
    runs = list(_runs(after))
    if not runs:
        return new.text
    before = lines_of(old.text)
    kept = kept_lines(before, after)
    places = [there for _, there in kept]
    inside = _in_strings(new.tree)
    gone: set[int] = set()
    for first, last in runs:
        at = bisect_left(places, first)
        if first in inside or not 0 < at < len(kept):
            continue
        (above, over), (below, _) = kept[at - 1], kept[at]
        between = before[above : below - 1]
        if not any(row.strip() for row in between):
            continue  # as it was
        opens = after[first - 2].rstrip().endswith(":")
        if opens and over != first - 1:
            continue
        wanted = _first(between) if opens else max(_longest(between), 1 if after[last][0] in " \t" else 2)
        gone.update(range(first + wanted, last + 1))
    if not gone:
        return new.text
    rows = lines_of(new.text, keepends=True)
    return "".join(row for number, row in enumerate(rows, 1) if number not in gone)


def _runs(rows: list[str]) -> list[tuple[int, int]]:
    """(first, last line) of blank lines between others, where there may be one too many."""
    found: list[tuple[int, int]] = []
    first = 0
    for number, row in enumerate(rows, 1):
        if not row.strip():
            first = first or number
        elif first:
            opens = first > 1 and rows[first - 2].rstrip().endswith(":")
            if first > 1 and (opens or number - first > (1 if row[0] in " \t" else 2)):
                found.append((first, number - 1))
            first = 0
    return found


def _longest(rows: list[str]) -> int:
    longest = run = 0
    for row in rows:
        run = 0 if row.strip() else run + 1
        longest = max(longest, run)
    return longest


def _first(rows: list[str]) -> int:
    return next((count for count, row in enumerate(rows) if row.strip()), len(rows))


def _in_strings(tree: ast.Module) -> set[int]:
    """Lines that lie inside of strings of several lines."""
    return {
        line for node in walk(tree)
        if isinstance(node, (ast.Constant, ast.JoinedStr)) and node.end_lineno
        for line in range(node.lineno + 1, node.end_lineno + 1)
    }  # fmt: skip
