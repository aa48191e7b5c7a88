"""The lines of a text as Python's parser counts them."""

from __future__ import annotations

import re

#: What `str.splitlines` takes for the end of a line, and Python's parser does not.
_OTHER_ENDS = "\v\f\x1c\x1d\x1e\x85\u2028\u2029"
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")


def lines_of(text: str, keepends: bool = False) -> list[str]:
    """`str.splitlines`, but for form feeds and the like, which end no line of a program.

    >>> lines_of("a\\fb\\r\\nc\\n")
    ['a\\x0cb', 'c']
    """
    if not any(end in text for end in _OTHER_ENDS):
        return text.splitlines(keepends)
    found = _LINE.findall(text)
    return found if keepends else [line.rstrip("\r\n") for line in found]


def indentation(line: str) -> str:
    """The white space by which a line is indented; a form feed begins it anew."""
    return line[: indent_of(line)].rpartition("\f")[2]


def moved(line: str, old: str, new: str) -> str:
    """A line of a block that moves from indentation `old` to `new`, without its form feed if it does."""
    if old == new and line.startswith(old):
        return line
    line = line[indent_of(line) - len(indentation(line)) :]
    return new + line[len(old) :] if line.startswith(old) else new + line.lstrip()


def indent_of(line: str) -> int:
    """How many characters of white space a line begins with; all of a blank one."""
    return len(line) - len(line.lstrip())
