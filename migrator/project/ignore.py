"""Patterns in the syntax of .gitignore, matched as git matches them, in linear time.

A pattern becomes expressions that never try a star again once what follows it was found (atomic
groups): the first place where it fits leaves the most to what comes after; and what stands after the
last ``**/`` fits the end of a path or nothing. So no pattern of a hostile tree can make matching go on
without end.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass

MOST_GLOBS = 1_000  # patterns with wildcards of one file; those of git itself have some dozens
_LONGEST = 4_096  # bytes of a path, so no pattern with more fixed characters fits anything
_STAR, _FOLDERS = "*", "**/"
_LETTERS = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_DIGITS = frozenset(b"0123456789")
_GRAPH = frozenset(range(33, 127))
_NAMED = {
    b"alnum": _LETTERS | _DIGITS, b"alpha": _LETTERS, b"blank": frozenset(b" \t"),
    b"cntrl": frozenset((*range(32), 127)), b"digit": _DIGITS, b"graph": _GRAPH,
    b"lower": frozenset(b"abcdefghijklmnopqrstuvwxyz"), b"print": _GRAPH | {32},
    b"punct": _GRAPH - _LETTERS - _DIGITS, b"space": frozenset(b" \t\n\v\f\r"),
    b"upper": frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    b"xdigit": _DIGITS | frozenset(b"abcdefABCDEF"),
}  # fmt: skip


class _Never(ValueError):
    """A pattern that fits nothing, or is none."""


@dataclass(frozen=True, slots=True)
class _Pattern:
    """One line: what it says, whether only of folders, and of names or of whole paths.

    `head` fits what comes before the last ``**/``, `end` the `slashes` + 1 parts after it (all of the
    path where there is no `head`).
    """

    include: bool
    folders_only: bool
    of_names: bool
    literal: bytes | None
    head: re.Pattern[bytes] | None = None
    end: re.Pattern[bytes] | None = None
    slashes: int = 0

    def fits(self, path: bytes, name: bytes, is_folder: bool) -> bool:
        if self.folders_only and not is_folder:
            return False
        seen = name if self.of_names else path
        if self.end is None:
            return seen == self.literal
        if self.head is None:
            return bool(self.end.fullmatch(seen))
        parts = seen.rsplit(b"/", self.slashes + 1)
        above = b"" if len(parts) == self.slashes + 1 else parts.pop(0) + b"/"
        if len(parts) != self.slashes + 1 or not self.end.fullmatch(b"/".join(parts)):
            return False
        return bool(self.head.fullmatch(above))


class Patterns:
    """The patterns of one file or setting, of which the last that fits decides.

    `left_out` counts those beyond MOST_GLOBS, which are not used.
    """

    __slots__ = ("_globs", "_named", "_patterns", "left_out")

    def __init__(self, patterns: list[_Pattern], left_out: int) -> None:
        self._patterns = patterns
        self.left_out = left_out
        self._named: dict[bytes, list[int]] = {}  # by the names that they are
        self._globs: list[int] = []
        for number, pattern in enumerate(patterns):
            if pattern.of_names and pattern.literal is not None:
                self._named.setdefault(pattern.literal, []).append(number)
            else:
                self._globs.append(number)

    @classmethod
    def of(cls, lines: Iterable[str]) -> Patterns:
        """The patterns of lines; what is no pattern to git is none here."""
        found: list[_Pattern] = []
        globs = left_out = 0
        for line in lines:
            try:
                pattern = _parsed(os.fsencode(line))
            except (_Never, ValueError):
                continue
            globs += pattern.literal is None or not pattern.of_names
            if globs > MOST_GLOBS and (pattern.literal is None or not pattern.of_names):
                left_out += 1
                continue
            found.append(pattern)
        return cls(found, left_out)

    @classmethod
    def read(cls, data: bytes) -> Patterns:
        """The patterns of a file like .gitignore."""
        return cls.of(os.fsdecode(data.removeprefix(b"\xef\xbb\xbf")).split("\n"))

    def __len__(self) -> int:
        return len(self._globs)

    def verdict(self, path: str, is_folder: bool) -> bool | None:
        """What is said of a path itself, not of what it lies in: True: ignored, False: taken back in
        by ``!``, None: not mentioned."""
        last = self._last(os.fsencode(path), is_folder)
        return None if last < 0 else self._patterns[last].include

    def covers(self, path: str, is_folder: bool = False) -> bool:
        """Whether a path is meant, by itself or with a folder that it lies in."""
        whole = os.fsencode(path)
        last = self._last(whole, is_folder)
        if last >= 0:
            return self._patterns[last].include
        ends = [at for at, byte in enumerate(whole) if byte == 0x2F]
        above = max((self._last(whole[:end], True) for end in ends), default=-1)
        return above >= 0 and self._patterns[above].include

    def _last(self, path: bytes, is_folder: bool) -> int:
        name = path.rpartition(b"/")[2]
        last = -1
        for number in reversed(self._named.get(name, ())):
            if is_folder or not self._patterns[number].folders_only:
                last = number
                break
        for number in reversed(self._globs):
            if number < last:
                break
            if self._patterns[number].fits(path, name, is_folder):
                return number
        return last


def _parsed(line: bytes) -> _Pattern:
    line = line.rstrip(b"\r\n")
    while line.endswith(b" ") and not line.endswith(b"\\ "):
        line = line[:-1]
    if not line or line.startswith(b"#"):
        raise _Never
    include = not line.startswith(b"!")
    line = line[not include :]
    folders_only = line.endswith(b"/")
    line = line[: len(line) - folders_only]
    of_names = b"/" not in line
    line = line.removeprefix(b"/")
    if not line:
        raise _Never
    if not any(special in line for special in b"*?[\\"):
        return _Pattern(include, folders_only, of_names, line)
    *head, end = _parts(line, of_names)
    text = b""
    for number, part in enumerate(head):
        text += _part(part, last=False) if not number else (
            b"(?>(?:[^/]*/)*?" + _part(part, last=False) + b")" if part else b""
        )  # fmt: skip
    return _Pattern(
        include, folders_only, of_names, None,
        re.compile(text + b"(?:[^/]*/)*+", re.DOTALL) if head else None,
        re.compile(_part(end, last=True), re.DOTALL), end.count(b"/"),
    )  # fmt: skip


def _parts(line: bytes, of_names: bool) -> list[list[bytes | str]]:
    """What stands between ``**/``: expressions for single characters, and stars."""
    tokens = _tokens(line, of_names)
    if sum(isinstance(token, bytes) for token in tokens) > _LONGEST:
        raise _Never
    parts: list[list[bytes | str]] = [[]]
    for token in tokens:
        if token == _FOLDERS:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _part(tokens: list[bytes | str], last: bool) -> bytes:
    runs: list[list[bytes]] = [[]]  # separated by stars
    for token in tokens:
        if isinstance(token, bytes):
            runs[-1].append(token)
        else:
            runs.append([])
    first, *rest = (b"".join(run) for run in runs)
    text = first
    for number, run in enumerate(rest):
        if last and number == len(rest) - 1:
            text += b"[^/]*" + run
        else:
            text += b"(?>[^/]*?" + run + b")"
    return text


def _tokens(line: bytes, of_names: bool) -> list[bytes | str]:
    """Expressions for one character each, and the two kinds of stars."""
    found: list[bytes | str] = []
    at = 0
    while at < len(line):
        char = line[at : at + 1]
        if char == b"*":
            end = at
            while line[end : end + 1] == b"*":
                end += 1
            alone = end - at > 1 and not of_names and (at == 0 or line[at - 1 : at] == b"/")
            if alone and end == len(line):
                found.append(_FOLDERS)  # everything below, whatever its name
                found.append(_STAR)
            elif alone and line[end : end + 1] == b"/":
                found.append(_FOLDERS)
                end += 1
            elif not found or found[-1] != _STAR:
                found.append(_STAR)
            at = end
        elif char == b"?":
            found.append(b"[^/]")
            at += 1
        elif char == b"[":
            members, at = _class(line, at + 1)
            found.append(_set(members - {0x2F}))
        else:
            if char == b"\\":
                at += 1
                char = line[at : at + 1]
                if not char:
                    raise _Never
            found.append(re.escape(char))
            at += 1
    return found


def _class(line: bytes, at: int) -> tuple[frozenset[int], int]:
    """The bytes of a class that begins before `at`, and where it ends."""
    negated = line[at : at + 1] in (b"!", b"^")
    at += negated
    members: set[int] = set()
    previous: int | None = None
    first = True
    while True:
        if at >= len(line):
            raise _Never  # as git has it, an open class fits nothing
        char = line[at]
        if char == 0x5D and not first:
            break
        first = False
        if char == 0x5C:
            at += 1
            if at >= len(line):
                raise _Never
            previous = line[at]
            members.add(previous)
        elif char == 0x2D and previous is not None and at + 1 < len(line) and line[at + 1] != 0x5D:
            at += 1
            if line[at] == 0x5C:
                at += 1
                if at >= len(line):
                    raise _Never
            members.update(range(previous, line[at] + 1))
            previous = None
        elif line[at : at + 2] == b"[:":
            end = line.find(b"]", at + 2)
            if end < 0:
                raise _Never
            if line[end - 1] != 0x3A or end - 1 < at + 2:  # no name: the bracket is a member
                members.add(char)
                previous = char
            else:
                name = line[at + 2 : end - 1]
                if name not in _NAMED:
                    raise _Never
                members |= _NAMED[name]
                previous = None
                at = end
        else:
            members.add(char)
            previous = char
        at += 1
    chosen = frozenset(range(1, 256)) - members if negated else frozenset(members)
    return chosen, at + 1


def _set(members: frozenset[int]) -> bytes:
    if not members:
        raise _Never
    return b"[" + b"".join(b"\\x%02x" % byte for byte in sorted(members)) + b"]"
