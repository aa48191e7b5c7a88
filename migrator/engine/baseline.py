"""What is known and accepted of a repository for now, so that only what is new counts.

An entry is a finding or an edit, known by its rule, symbol, text and the source line that it is about;
line numbers may move. A file whose edits are all known is left as it is.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from migrator.engine.partial import needed_support
from migrator.model import FileResult, Plan, Status
from migrator.project.diff import lines_of
from migrator.project.results import Results
from migrator.project.source import SourceError
from migrator.project.tree import read_named

FORMAT, VERSION = "migrator-baseline", 1
MAX_BYTES = 256 << 20


class BaselineError(ValueError):
    """A baseline file that cannot be used; the message starts with its path."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """How often each entry is known, by path."""

    files: dict[str, Counter[str]]


@dataclass(frozen=True, slots=True)
class Known:
    """A plan without what a baseline knows: `hidden` entries were taken out of it, `gone` ones are
    in the baseline only (somebody has dealt with them)."""

    plan: Plan
    hidden: int
    gone: int


def of(plan: Plan, earlier: Baseline | None = None) -> Baseline:
    """All that is in a plan; of files that are not in it, what `earlier` says."""
    files = dict(earlier.files) if earlier else {}
    for result in plan.files:
        entries = Counter(_entries(result))
        files.pop(result.path, None)
        if entries:
            files[result.path] = entries
    return Baseline(files)


def dump(baseline: Baseline) -> str:
    """The file's text: sorted, one entry a line, so that its diffs can be read."""
    record = {
        "format": FORMAT, "version": VERSION,
        "files": {path: dict(sorted(entries.items()))
                  for path, entries in sorted(baseline.files.items())},
    }  # fmt: skip
    return json.dumps(record, indent=1, ensure_ascii=True) + "\n"


def load(path: Path) -> Baseline:
    """Read a baseline. Raises BaselineError for whatever `dump` would not have written."""
    try:
        raw: Any = json.loads(read_named(path, MAX_BYTES)[0])
    except SourceError as error:
        raise BaselineError(str(error)) from error
    except (ValueError, RecursionError) as error:
        raise BaselineError(f"{path}: is not a baseline: {error}") from error
    if not isinstance(raw, dict) or raw.get("format") != FORMAT:
        raise BaselineError(f"{path}: is not a baseline; make one with --write-baseline")
    if raw.get("version") != VERSION:
        raise BaselineError(f"{path}: was written by another version; make it again")
    files = raw.get("files")
    if not isinstance(files, dict):
        raise BaselineError(f"{path}: files must be an object")
    found: dict[str, Counter[str]] = {}
    for name, entries in files.items():
        if not isinstance(entries, dict) or not all(
            isinstance(number, int) and not isinstance(number, bool) and number > 0
            for number in entries.values()
        ):
            raise BaselineError(f"{path}: files[{ascii(name)[:60]}]: must be numbers by entry")
        found[name] = Counter(entries)
    return Baseline(found)


def without(plan: Plan, baseline: Baseline) -> Known:
    """The plan without what the baseline knows."""
    files = Results()
    users: list[str] = []
    hidden = gone = 0
    for result in plan.files:
        known = baseline.files.get(result.path, Counter())
        kept, taken = _without(result, known)
        files.put(kept)
        if kept.status is Status.CHANGED and kept.support:
            users.append(kept.path)
        hidden += taken
        gone += sum((known - Counter(_entries(result))).values())
    support = needed_support(plan, users)
    return Known(replace(plan, files=files.done(), support_files=support), hidden, gone)


def _without(result: FileResult, known: Counter[str]) -> tuple[FileResult, int]:
    left = Counter(known)
    hidden = 0
    lines = lines_of(result.old_text)

    def take(key: str) -> bool:
        nonlocal hidden
        if left[key] <= 0:
            return False
        left[key] -= 1
        hidden += 1
        return True

    findings = tuple(
        f for f in result.findings
        if not take(_entry("finding", f.code, f.symbol, f.message, f.line, lines))
    )  # fmt: skip
    result = replace(result, findings=findings)
    if result.status is Status.FAILED and take(_entry("failed", "", "", result.error, 0, lines)):
        return replace(result, status=Status.SKIPPED, error=""), hidden
    if result.status is not Status.CHANGED:
        return result, hidden
    new = [
        c for c in result.changes
        if not take(_entry("edit", c.code, c.symbol, c.reason, c.line, lines))
    ]  # fmt: skip
    if new or not result.changes:
        return result, hidden - (len(result.changes) - len(new))
    return replace(
        result, status=Status.SKIPPED, new_text=None, changes=(), support=frozenset()
    ), hidden  # fmt: skip


def _entries(result: FileResult) -> list[str]:
    lines = lines_of(result.old_text)
    found = [
        _entry("finding", f.code, f.symbol, f.message, f.line, lines) for f in result.findings
    ]
    if result.status is Status.FAILED:
        found.append(_entry("failed", "", "", result.error, 0, lines))
    if result.status is Status.CHANGED:
        found += [_entry("edit", c.code, c.symbol, c.reason, c.line, lines) for c in result.changes]
    return found


def _entry(kind: str, code: str, symbol: str, text: str, line: int, lines: list[str]) -> str:
    source = lines[line - 1].strip() if 0 < line <= len(lines) else ""
    digest = hashlib.sha256(f"{text}\n{source}".encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return " ".join(part for part in (kind, code, symbol, digest) if part)
