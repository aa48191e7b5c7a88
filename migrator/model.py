"""The records that pass between the rooms of migrator: frozen, and printable as JSON.

Data flows one way: project -> analysis -> plan -> apply -> verify/measure -> report.
Whatever crosses from one room into the next is one of these records.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


class Rung(str, enum.Enum):
    """How high on the fallback ladder a piece of TF1 code landed (best first)."""

    NATIVE = "native"
    SUPPORT = "support"
    COMPAT = "compat"
    MANUAL = "manual"


class Confidence(str, enum.Enum):
    """How sure a rule is that its edit keeps the program's behaviour."""

    PROVEN = "proven"
    LIKELY = "likely"
    REVIEW = "review"


class Status(str, enum.Enum):
    """What became of one file in a plan."""

    CHANGED = "changed"
    UNCHANGED = "unchanged"
    SKIPPED = "skipped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Change:
    """One edit that a rule or transform made.

    `line`/`end_line` are 1-based lines of the *original* file.
    """

    code: str
    line: int
    end_line: int
    reason: str
    symbol: str = ""
    rung: Rung = Rung.NATIVE
    confidence: Confidence = Confidence.PROVEN


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that a person must see: not rewritten, or rewritten to a lower rung.

    `line` is 1-based and `column` 0-based, both in the *original* file; `now` is the 1-based line in
    the file as it was written, 0 where nothing was.
    """

    code: str
    path: str
    line: int
    column: int
    message: str
    advice: str
    symbol: str = ""
    rung: Rung = Rung.MANUAL
    now: int = 0


@dataclass(frozen=True, slots=True)
class FileResult:
    """The plan for one file. `new_text` is None unless status is CHANGED.

    Texts are decoded and use the file's own line ends; `project` keeps what is
    needed to encode them back byte for byte.
    `support` names the support-module symbols the new text uses ("slim.conv2d").
    """

    path: str
    status: Status
    old_sha256: str = ""
    old_text: str = ""
    new_text: str | None = None
    changes: tuple[Change, ...] = ()
    findings: tuple[Finding, ...] = ()
    support: frozenset[str] = frozenset()
    error: str = ""
    seconds: float = 0.0
    timings: tuple[tuple[str, float], ...] = ()  # (rule or transform, seconds), if asked for


class Stored(Sequence[FileResult]):
    """Results that are not in memory all at once."""

    def with_status(self, status: Status) -> Sequence[FileResult]:
        """Those of one status."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Written:
    """One migration that was written: when (UTC), by which version, edits and files that it changed."""

    when: str
    tool_version: str
    edits: int
    files: int


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything a migration would do to a repository; nothing has been written.

    A plan that is kept of what *was* written (`engine.history`) adds up all migrations of a tree:
    `written` are these, `base` the git commit that the first one began with.
    """

    root: str
    files: Sequence[FileResult]  # of a large tree most are on disk (`project.results`): one at a time
    # (path relative to root, text); without a text: a file of a support package that goes
    support_files: tuple[tuple[str, str], ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    tool_version: str = ""
    written: tuple[Written, ...] = ()
    base: str = ""

    @property
    def changed(self) -> Sequence[FileResult]:
        return self._with(Status.CHANGED)

    @property
    def failed(self) -> Sequence[FileResult]:
        return self._with(Status.FAILED)

    def _with(self, status: Status) -> Sequence[FileResult]:
        if isinstance(self.files, Stored):
            return self.files.with_status(status)
        return tuple(f for f in self.files if f.status is status)

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(x for f in self.files for x in f.findings)


def to_jsonable(value: Any) -> Any:
    """Plain JSON types for any record of this module, nested as deep as it goes."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: to_jsonable(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, dict):
        return {str(k): to_jsonable(v) for k, v in value.items()}
    if isinstance(value, (frozenset, set)):
        return sorted(to_jsonable(v) for v in value)
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return [to_jsonable(v) for v in value]
    return value


def to_json(value: Any, indent: int | None = 1) -> str:
    """The JSON text of a record; characters that nobody sees, or that act on a terminal, as escapes."""
    return harmless_json(json.dumps(to_jsonable(value), indent=indent, ensure_ascii=False))


def harmless_json(text: str) -> str:
    """The same JSON without characters that act on a terminal or nobody sees: they stand in strings
    only, where escapes say the same."""
    if text.isascii() and "\x7f" not in text:
        return text
    return _invisible().sub(lambda m: json.dumps(m[0])[1:-1].replace("\x7f", "\\u007f"), text)


@functools.cache
def _invisible() -> re.Pattern[str]:
    kinds = ("Cc", "Cf", "Cs", "Zl", "Zp")
    codes = (*range(0x7F, 0x10000), *range(0x11000, 0x1E000), *range(0xE0000, 0xE0080))
    found = (chr(code) for code in codes if unicodedata.category(chr(code)) in kinds)
    return re.compile(f"[\x7f{''.join(map(re.escape, found))}]")
