"""Differences of a plan: for people (hunks with rule codes and reasons) and for `git apply`."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from migrator.model import Change, FileResult, Plan
from migrator.project.linediff import unified
from migrator.project.notebook import decode_module, displayed, encode_module, is_notebook
from migrator.project.source import MAX_BYTES, SourceError
from migrator.project.tree import read

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@")
_NO_NEWLINE = "\\ No newline at end of file"


@dataclass(frozen=True, slots=True)
class Hunk:
    """One hunk: its header, the changes whose lines it covers, and its lines with their marks."""

    header: str
    changes: tuple[Change, ...]
    lines: tuple[str, ...]


def hunks(result: FileResult, context: int = 3) -> list[Hunk]:
    """The hunks of one changed file, line ends left out; of a notebook, as people know its cells."""
    old = lines_of(result.old_text)
    new = lines_of(result.new_text or "")
    found: list[Hunk] = []
    header: str = ""
    lines: list[str] = []
    changes = _Changes(result.changes)
    for line in unified(old, new, context):
        if line.startswith("@@ "):
            if header:
                found.append(_hunk(header, lines, changes))
            header, lines = line, []
        else:
            lines += _body(line)
    if header:
        found.append(_hunk(header, lines, changes))
    if is_notebook(result.path):
        found = [replace(h, lines=tuple(x[:1] + displayed(x[1:]) for x in h.lines)) for h in found]
    return found


def lines_of(text: str) -> list[str]:
    """Lines with their ends, split at line feeds only: as git and editors count."""
    parts = text.split("\n")
    return [part + "\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _body(line: str) -> list[str]:
    return [line[:-1]] if line.endswith("\n") else [line, _NO_NEWLINE]


class _Changes:
    """The changes of a file, asked for from its beginning on."""

    def __init__(self, changes: tuple[Change, ...]) -> None:
        self._waiting = sorted(changes, key=lambda change: change.line, reverse=True)
        self._open: list[Change] = []

    def within(self, first: int, last: int) -> list[Change]:
        """Those that touch these lines; the next call's begin later."""
        while self._waiting and self._waiting[-1].line <= last:
            self._open.append(self._waiting.pop())
        self._open = [change for change in self._open if change.end_line >= first]
        return self._open


def _hunk(header: str, lines: list[str], changes: _Changes) -> Hunk:
    match = _HUNK.match(header)
    assert match is not None
    # The lines that really change, without context: a change beside them is not their reason.
    number = int(match[1])
    touched: set[int] = set()
    for line in lines:
        if line.startswith("-"):
            touched.add(number)
        elif line.startswith("+"):
            touched |= {number - 1, number}
        if line.startswith(("-", " ")):
            number += 1
    first, last = int(match[1]), number - 1
    inside = changes.within(first, last)
    exact = [
        c for c in inside
        if any(n in touched for n in range(max(c.line, first), min(c.end_line, last) + 1))
    ]  # fmt: skip
    unique = {(c.code, c.reason): c for c in reversed(exact or inside)}
    kept = sorted(unique.values(), key=lambda c: (c.line, c.code))
    return Hunk(header, tuple(kept), tuple(lines))


def quoted(path: str) -> str:
    """A path as git writes it in headers: in C quotes where it holds special characters."""
    data = path.encode("utf-8", "surrogateescape")
    if all(0x20 <= byte < 0x7F and byte not in b'"\\' for byte in data):
        return path
    named = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}
    shown = "".join(
        "\\" + named[b] if b in named else chr(b) if 0x20 <= b < 0x7F else f"\\{b:03o}"
        for b in data
    )
    return f'"{shown}"'


def _header(path: str, mode: int | None, gone: bool = False) -> list[str]:
    old, new = quoted(f"a/{path}"), quoted(f"b/{path}")
    # A name with a space needs a tab after it, or patch programs stop reading at the space.
    end = "\t" if " " in path and not old.startswith('"') else ""
    lines = [f"diff --git {old} {new}"]
    if gone:
        return [*lines, f"deleted file mode {mode or 0o100644:o}", f"--- {old}{end}", "+++ /dev/null"]
    if mode is not None:
        lines += [f"new file mode {mode:o}", "--- /dev/null"]
    else:
        lines.append(f"--- {old}{end}")
    return [*lines, f"+++ {new}{end}"]


def _patch(path: str, old: bytes, new: bytes, mode: int | None, gone: bool = False) -> bytes:
    """One file's part of a patch; Latin-1 carries the bytes through difflib unchanged."""
    lines = _header(path, mode, gone)
    body = unified(lines_of(old.decode("latin-1")), lines_of(new.decode("latin-1")))
    data = "".join(line + "\n" for line in lines).encode("utf-8", "surrogateescape")
    for line in body:
        if line.startswith("@@ "):
            data += line.encode("latin-1") + b"\n"
        else:
            data += "\n".join([*_body(line), ""]).encode("latin-1")
    return data


def patch(plan: Plan, root: Path | None = None) -> Iterator[bytes]:
    """A patch that `git apply` takes in the root of the tree, file by file, in the files' bytes.

    Files that cannot be read or encoded any more are left out; `apply` would refuse them too.
    """
    root = root or Path(plan.root)
    for path, text in plan.support_files:
        try:
            old, known = read(root, path)
        except SourceError:
            old, known = None, 0
        if not text and old is None:
            continue
        mode = None if old is not None else stat.S_IFREG | 0o644
        if not text:
            mode = stat.S_IFREG | (0o755 if known & stat.S_IXUSR else 0o644)
        yield _patch(path, old or b"", text.encode(), mode, gone=not text)
    for result in plan.changed:
        try:
            data, mode = read(root, result.path, max(MAX_BYTES, 4 * len(result.old_text)))
            source = decode_module(data, root / result.path, mode)
            if source.sha256 != result.old_sha256 or result.new_text is None:
                continue
            new = encode_module(source, result.new_text, data)
            yield _patch(result.path, data, new, None)
        except SourceError:
            continue
