"""Lines that stand below what follows an opening bracket go where an edit took the bracket."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from migrator.analysis.parsed import Parsed
from migrator.analysis.tree_walk import walk
from migrator.engine.linemap import line_map
from migrator.lines import indent_of, lines_of

_WIDEST = 100  # a line that was shorter does not become longer than that


@dataclass(frozen=True, slots=True)
class _Bracket:
    """An opening bracket: its line (1-based), its column in characters, and whether text follows it."""

    line: int
    column: int
    followed: bool


def aligned(old: Parsed, new: Parsed) -> str:
    """The new text, in which continuation lines that were aligned with a bracket still are.

    >>> old = Parsed("y = tf.log(x +\\n           1)\\n")
    >>> print(aligned(old, Parsed("y = tf.math.log(x +\\n           1)\\n")), end="")
    y = tf.math.log(x +
                    1)
    """
    before, after = lines_of(old.text), lines_of(new.text)
    spans = [span for span in _spans(new.tree) if span[1] <= len(after)]
    if not spans:
        return new.text
    original = line_map(old.text, new.text).original
    spans = [(first, last) for first, last in spans
             if any(after[n - 1] != before[original(n) - 1] for n in range(first, last + 1))]
    if not spans:
        return new.text
    homes = {line: span for span in _spans(old.tree) for line in range(span[0], span[1] + 1)}
    moves: dict[int, int] = {}
    for first, last in spans:
        home = homes.get(original(first))
        if home is None:
            continue
        was = dict(_brackets(before, *home))
        moves |= _moves(list(_brackets(after, first, last)), was, before, after, original)
    if not moves:
        return new.text
    lines = lines_of(new.text, keepends=True)
    for number, move in moves.items():
        line = lines[number - 1]
        lines[number - 1] = " " * move + line if move > 0 else line[-move:]
    return "".join(lines)


def _spans(tree: ast.Module) -> Iterator[tuple[int, int]]:
    """(first, last line) of statements, and of headers of compound ones, that have several lines."""
    for node in walk(tree):
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            last = body[0].lineno - 1 if body else node.end_lineno or node.lineno
            if last > node.lineno:
                yield node.lineno, last


def _brackets(rows: Sequence[str], first: int, last: int) -> Iterator[tuple[int, _Bracket]]:
    """(line, innermost bracket that is open where it begins) of the lines of a statement."""
    stack: list[_Bracket] = []
    fragment = "\n".join(rows[first - 1 : last]) + "\n"
    try:
        for token in tokenize.generate_tokens(io.StringIO(fragment).readline):
            line, column = token.start[0] + first - 1, token.start[1]
            row = rows[line - 1] if line <= last else ""
            if stack and line > stack[-1].line and not row[:column].strip() and token.string.strip():
                yield line, stack[-1]
            if token.type != tokenize.OP:
                continue
            if token.string in "([{":
                rest = row[column + 1 :].partition("#")[0]
                stack.append(_Bracket(line, column, bool(rest.strip())))
            elif token.string in ")]}" and stack:
                stack.pop()
    except (tokenize.TokenError, SyntaxError):
        return


def _moves(
    brackets: Sequence[tuple[int, _Bracket]], was: dict[int, _Bracket], before: Sequence[str],
    after: Sequence[str], original: Callable[[int], int],
) -> dict[int, int]:
    """By how many columns lines of one statement move to the right."""
    moves: dict[int, int] = {}
    chosen: dict[_Bracket, int] = {}
    for line, bracket in brackets:
        row, old_row = after[line - 1], before[original(line) - 1]
        around = moves.get(bracket.line, 0)
        other = was.get(original(line))
        indent = indent_of(row)
        if (
            other is not None and other.line == original(bracket.line) and other.followed
            and bracket.followed and indent == indent_of(old_row) == other.column + 1
            and "\t" not in row[:indent] + after[bracket.line - 1][: indent_of(after[bracket.line - 1])]
        ):
            if bracket not in chosen:
                move = bracket.column + 1 + around - indent
                lines = [n for n, same in brackets if same == bracket]
                wide = any(len(after[n - 1]) <= _WIDEST < len(after[n - 1]) + move for n in lines)
                chosen[bracket] = 0 if wide else move
            moves[line] = chosen[bracket]
        else:
            moves[line] = max(around, -indent)
    return {line: move for line, move in moves.items() if move}
