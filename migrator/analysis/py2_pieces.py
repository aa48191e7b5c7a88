"""The pieces of a module of Python 2 in which its translation may change something.

fissix takes several times as long for a module as all the rest of its migration. Of what Python 3 can
read, most says the same in both: only functions and statements with something of `_TOUCHED` are translated,
and whole modules where something is asked of all of them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from migrator.analysis.tree_walk import first_line

_SPACE = r"[\s\\]*"


def _words(words: str, behind: str, before: str = r"\w") -> dict[str, re.Pattern[str]]:
    """Each word with what finds it: `behind` it, and nothing of `before` in front of it."""
    return {word: re.compile(rf"{word}(?<![{before}]{word}){behind}") for word in words.split()}


# What a fixer acts on for itself, wherever it stands; too much is only slow.
_TOUCHED = {
    **_words(
        "long unicode unichr basestring StandardError xrange raw_input execfile has_key itertools imap izip "
        "ifilter izip_longest ifilterfalse xreadlines throw im_func im_self im_class exc_type exc_value "
        "exc_traceback iterkeys iteritems itervalues viewkeys viewitems viewvalues __metaclass__ "
        "__nonzero__", r"\b"),
    **_words("map filter zip apply range buffer", _SPACE + r"\(", r".\w"),
    **_words("keys items values", rf"{_SPACE}\({_SPACE}[)#]"),
    **_words("types", _SPACE + r"\."),
    **_words("raise", _SPACE + r"\("),
    **_words("isinstance", rf"(?s:.{{0,999}}?),{_SPACE}\("),
    **_words("u' U' u\" U\"", ""),
    r"\u": re.compile(r"\\u"),
    r"\U": re.compile(r"\\U"),
}  # fmt: skip
# What a fixer asks of the whole module, or adds imports for.
_WHOLE = {
    **_words("exitfunc exec future_builtins unicode_literals", r"\b"),
    **_words("reduce intern reload", _SPACE + r"\(", r".\w"),
    "next": re.compile(rf"(?:\.|\bdef\b|\bglobal\b.*){_SPACE}\bnext\b"),
}
_OF_CLASSES = re.compile(r"\b__(?:metaclass|nonzero)__\b")
# ``for i in range(n):`` is no list in either Python.
_LOOP = re.compile(
    r"\bfor [\w, ()]* in range\(((?:[^()\n#]|\((?:[^()\n#]|\([^()\n#]*\))*\))*)\)(?=[\])}:]| for\b)"
)
_OPENING = "if 1:\n"  # makes an indented piece a module


def _has(text: str, words: dict[str, re.Pattern[str]]) -> bool:
    return any(word in text and found.search(text) for word, found in words.items())


def _is_touched(text: str) -> bool:
    return _has(_LOOP.sub(r"\1", text) if "range" in text else text, _TOUCHED)


def in_pieces(source: str, translated: Callable[[str], str]) -> str:
    """`source`, which Python 3 can parse, with what is `translated` of it."""
    if _has(source, _WHOLE):
        return translated(source)
    if not _is_touched(source):
        return source
    lines = source.splitlines(keepends=True)
    if len(lines) != source.count("\n"):  # form feeds and the like, which ast does not count
        return translated(source)
    made: list[str] = []
    done = 0
    for start, end, indented in _pieces(ast.parse(source), lines):
        opening = _OPENING if indented else ""
        made += lines[done:start]
        made.append(translated(opening + "".join(lines[start:end]))[len(opening) :])
        done = end
    return "".join((*made, *lines[done:]))


def _pieces(tree: ast.Module, lines: list[str]) -> Iterator[tuple[int, int, bool]]:
    """(start, end, is it indented?) of the lines of touched statements, of a class those of its own."""
    for start, end, node in _apart(tree.body):
        text = "".join(lines[start:end])
        if not _is_touched(text):
            continue
        own = node.body if isinstance(node, ast.ClassDef) and not _OF_CLASSES.search(text) else []
        inner = _apart(own)
        if not inner or inner[0][0] <= start or _is_touched("".join(lines[start : inner[0][0]])):
            yield start, end, False
            continue
        for first, last, _ in inner:
            if _is_touched("".join(lines[first:last])):
                yield first, last, True


def _apart(block: list[ast.stmt]) -> list[tuple[int, int, ast.stmt | None]]:
    """(start, end) of a block's statements, those that share a line being one; the statement, if it is."""
    found: list[tuple[int, int, ast.stmt | None]] = []
    for statement in block:
        start, end = first_line(statement) - 1, statement.end_lineno or statement.lineno
        if found and start < found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1]), None
        else:
            found.append((start, end, statement))
    return found
