"""Puts comments back that stood at code which an edit took away."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator

from migrator.analysis.tree_walk import first_line, walk
from migrator.engine.linemap import kept_lines
from migrator.lines import indent_of, lines_of

#: What is said to a tool about the code of its line (or is code, of a notebook), and goes with that.
_DIRECTIVE = re.compile(
    r"#\s*(?:noqa|nosec|type:|pylint:|flake8:|yapf:|fmt:|isort:|pragma:|mypy:|lint:|ipython|%% \[cell )",
    re.IGNORECASE,
)
_MAYBE = re.compile(r"#[^\r\n]*")


def comments_of(text: str, tree: ast.Module) -> list[tuple[int, int, str]]:
    """(line, column in characters, comment) of every comment of a module, in order.

    >>> comments_of("x = '#'  # a\\n", ast.parse("x = '#'  # a"))
    [(1, 9, '# a')]
    """
    if "#" not in text:
        return []
    rows = lines_of(text)
    strings = _strings(tree)
    if strings is None:
        return list(_tokenized(text))
    found = []
    for number, row in enumerate(rows, 1):
        place = row.find("#")
        if place < 0:
            continue
        spans = strings.get(number)
        if spans:
            place = _outside(row, place, spans)
        if place >= 0:
            found.append((number, place, row[place:].rstrip()))
    return found


def _strings(tree: ast.Module) -> dict[int, list[tuple[int, int]]] | None:
    """(first, last column in bytes) that strings take of each line; None where one may have comments
    between its parts."""
    found: dict[int, list[tuple[int, int]]] = {}
    for node in walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)) or (
            isinstance(node, ast.JoinedStr)
        ):
            first, last = node.lineno, node.end_lineno or node.lineno
            start, end = node.col_offset, node.end_col_offset or 0
            if first == last:
                found.setdefault(first, []).append((start, end))
                continue
            value = node.value if isinstance(node, ast.Constant) else None
            if value is None or (b"\n" if isinstance(value, bytes) else "\n") not in value:  # type: ignore[operator]
                return None  # parts that stand on lines of their own
            found.setdefault(first, []).append((start, 1 << 30))
            for line in range(first + 1, last):
                found.setdefault(line, []).append((0, 1 << 30))
            found.setdefault(last, []).append((0, end))
    return found


def _outside(row: str, place: int, spans: list[tuple[int, int]]) -> int:
    """The first number sign of a line that is in no string, -1 if there is none."""
    while place >= 0:
        at = place if row.isascii() else len(row[:place].encode("utf-8", "surrogatepass"))
        inside = [end for start, end in spans if start <= at < end]
        if not inside:
            return place
        place = row.find("#", place + 1)
    return -1


def _tokenized(text: str) -> Iterator[tuple[int, int, str]]:
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.start[1], token.string.rstrip()
    except (tokenize.TokenError, SyntaxError):
        return


def restored(old: str, old_tree: ast.Module, new: str, new_tree: ast.Module) -> str:
    """`new` with the comments of `old` that it has not, each above the code that follows it."""
    maybe = Counter(_MAYBE.findall(old))  # comments, and some that are strings
    maybe.subtract(_MAYBE.findall(new))
    if not any(count > 0 for count in maybe.values()):
        return new
    before = comments_of(old, old_tree)
    left = Counter(comment for _, _, comment in comments_of(new, new_tree))
    missing: list[tuple[int, str]] = []
    for line, _, comment in before:
        if left[comment]:
            left[comment] -= 1
        elif not _DIRECTIVE.match(comment) and not comment.startswith("#!"):
            missing.append((line, comment))
    if missing:
        told = _docstrings(new_tree) - _docstrings(old_tree)
        missing = [(line, comment) for line, comment in missing if not _told(comment, told)]
    if not missing:
        return new
    return _inserted(old, new, new_tree, missing)


def _docstrings(tree: ast.Module) -> frozenset[str]:
    return frozenset(
        node.value.value for node in walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )  # fmt: skip


def _told(comment: str, docstrings: frozenset[str]) -> bool:
    """Whether what a comment says is in a docstring: that of a placeholder describes a parameter."""
    words = " ".join(comment.strip("# \t").split())
    return bool(words) and any(words in " ".join(text.split()) for text in docstrings)


def _inserted(old: str, new: str, tree: ast.Module, missing: list[tuple[int, str]]) -> str:
    old_rows, rows = lines_of(old), lines_of(new, keepends=True)
    starts = _starts(tree, rows)
    following = _anchors(old_rows, lines_of(new))
    newline = "\r\n" if rows and rows[0].endswith("\r\n") else "\n"
    above: dict[int, list[str]] = {}
    for line, comment in missing:
        begins = following(line)
        at = bisect_left(starts, (begins, ""))
        number, indent = starts[at] if at < len(starts) else (len(rows) + 1, "")
        said = next((n for n in range(begins, min(number, len(rows) + 1)) if rows[n - 1].strip()), number)
        row = rows[said - 1] if said < number else ""
        if row.lstrip().startswith("#") and row.startswith(indent):
            number = said  # what is said of that code stays next to it
        above.setdefault(number, []).append(f"{indent}{comment}{newline}")
    parts: list[str] = []
    for number, row in enumerate(rows, 1):
        parts += above.get(number, [])
        parts.append(row)
    if len(rows) + 1 in above:
        if rows and not rows[-1].endswith(("\n", "\r")):
            parts.append(newline)
        parts += above[len(rows) + 1]
    return "".join(parts)


def _starts(tree: ast.Module, rows: list[str]) -> list[tuple[int, str]]:
    """(line, indentation) of every statement that begins its line, in order."""
    found: dict[int, str] = {}
    for node in walk(tree):
        if not isinstance(node, ast.stmt):
            continue
        line = first_line(node)
        row = rows[line - 1]
        indent = row[: len(row) - len(row.lstrip(" \t\f"))]
        if line == node.lineno and len(indent) != node.col_offset and row.isascii():
            continue  # behind a semicolon or a colon
        if line > 1 and rows[line - 2].rstrip("\r\n").endswith("\\"):
            continue
        found.setdefault(line, indent)
    return sorted(found.items())


def _anchors(old: list[str], new: list[str]) -> Callable[[int], int]:
    """What gives, for a line of the old text, the line of the new one that goes on behind it."""
    anchors = [  # what went into a function of its own is not where the text goes on
        (here, there) for here, there in kept_lines(old, new)
        if indent_of(new[there - 1]) <= indent_of(old[here - 1])
    ]  # fmt: skip
    lines = [line for line, _ in anchors]

    def following(line: int) -> int:
        at = bisect_right(lines, line - 1)
        return anchors[at][1] if at < len(anchors) else len(new) + 1

    return following


__all__ = ["comments_of", "restored"]
