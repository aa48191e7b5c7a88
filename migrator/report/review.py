"""The side-by-side review page of a plan: every hunk and finding beside its source, with filters.

The page is one file, works without a network, and its policy allows its own script and style only,
by hash: whatever stands in file names, code or findings cannot run.
"""

from __future__ import annotations

import collections
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import markupsafe

from migrator.model import Confidence, FileResult, Finding, Plan, Status
from migrator.project.diff import Hunk, hunks, lines_of
from migrator.project.notebook import displayed, is_notebook
from migrator.project.tree import write_named
from migrator.report import page

PAGE_BYTES = 30_000_000  # of code in one page: more than that, browsers scroll badly
_CONTEXT = 2  # lines around a finding that is in no hunk
_WIDEST = 2_000  # characters of a line that are shown
_START = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,\d+)? @@")
_ORDER = [item.value for item in (Confidence.PROVEN, Confidence.LIKELY, Confidence.REVIEW)]
PERSON = "person"  # how the filter calls what no edit is made for


@dataclass(frozen=True, slots=True)
class Side:
    """One line of one side; `parts` are (text, is what differs)."""

    number: int
    parts: tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True)
class Row:
    """A line before and after; one of them None where a line was added or removed."""

    kind: str  # same | changed
    old: Side | None
    new: Side | None
    findings: tuple[Finding, ...] = ()


@dataclass
class Block:
    """Rows that belong together: a hunk, or the surroundings of findings that no hunk shows.

    `reasons` are (code, confidence, reason). `findings` are all those in its rows.
    """

    rows: list[Row]
    reasons: list[tuple[str, str, str]] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    @property
    def line(self) -> int:
        return next((row.old.number for row in self.rows if row.old is not None), 0)

    @property
    def codes(self) -> list[str]:
        """The codes of its edits and findings."""
        return sorted({code for code, _, _ in self.reasons} | {f.code for f in self.findings})

    @property
    def kinds(self) -> list[str]:
        """What the confidence filter knows it by: the lowest confidence of its edits, `person`."""
        found = [sure for _, sure, _ in self.reasons]
        lowest = [max(found, key=_ORDER.index)] if found else []
        return lowest + ([PERSON] if self.findings else [])


@dataclass
class File:
    """A file of the page: what is shown of it, and how many hunks had no room."""

    path: str
    status: str
    blocks: list[Block]
    added: int = 0
    removed: int = 0
    error: str = ""
    omitted: int = 0

    @property
    def codes(self) -> list[str]:
        return sorted({code for block in self.blocks for code in block.codes})


def visible(text: str) -> str:
    """Text in which nothing hides: control and direction characters are written out."""
    text = text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        f"\u27e8U+{ord(character):04X}\u27e9"
        if character != "\t" and unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")
        else character
        for character in text
    )


def files(plan: Plan, limit: int = PAGE_BYTES) -> list[File]:
    """What the page shows of a plan: files that change, have findings, or failed."""
    found = []
    for result in plan.files:
        if not (result.status is Status.CHANGED or result.findings or result.error):
            continue
        shown = _file(result, limit)
        limit -= sum(len(t) for b in shown.blocks for r in b.rows for s in (r.old, r.new) if s
                     for t, _ in s.parts)  # fmt: skip
        found.append(shown)
    return found


def _file(result: FileResult, limit: int) -> File:
    old = lines_of(result.old_text)
    blocks: list[Block] = []
    shown = File(visible(result.path), result.status.value, blocks, error=visible(result.error))
    by_line: dict[int, list[Finding]] = collections.defaultdict(list)
    for finding in result.findings:
        by_line[max(1, min(finding.line, max(len(old), 1)))].append(finding)
    for hunk in hunks(result) if result.status is Status.CHANGED else []:
        shown.added += sum(line.startswith("+") for line in hunk.lines)
        shown.removed += sum(line.startswith("-") for line in hunk.lines)
        size = sum(map(len, hunk.lines))
        if size > limit:
            shown.omitted += 1
            continue
        limit -= size
        blocks.append(_hunk(hunk, by_line))
    if is_notebook(result.path):
        old = [displayed(line.rstrip("\n")) for line in old]
    blocks += _surroundings(old, by_line)
    blocks.sort(key=lambda block: block.line)
    return shown


def _hunk(hunk: Hunk, by_line: dict[int, list[Finding]]) -> Block:
    match = _START.match(hunk.header)
    assert match is not None
    old_number = int(match[1]) + (match[2] == "0")
    new_number = int(match[3])
    rows: list[Row] = []
    removed: list[tuple[int, str]] = []
    added: list[tuple[int, str]] = []

    def flush() -> None:
        for index in range(max(len(removed), len(added))):
            before = removed[index] if index < len(removed) else None
            after = added[index] if index < len(added) else None
            rows.append(_changed(before, after, by_line))
        removed.clear()
        added.clear()

    for line in hunk.lines:
        mark, text = line[:1], line[1:]
        if mark == "-":
            removed.append((old_number, text))
            old_number += 1
        elif mark == "+":
            added.append((new_number, text))
            new_number += 1
        elif mark == " ":
            flush()
            side = _plain(old_number, text)
            found = tuple(by_line.pop(old_number, ()))
            rows.append(Row("same", side, Side(new_number, side.parts), found))
            old_number, new_number = old_number + 1, new_number + 1
    flush()
    reasons = [(c.code, c.confidence.value, visible(c.reason)) for c in hunk.changes]
    return Block(rows, reasons, [f for row in rows for f in row.findings])


def _changed(
    before: tuple[int, str] | None, after: tuple[int, str] | None,
    by_line: dict[int, list[Finding]],
) -> Row:  # fmt: skip
    found = tuple(by_line.pop(before[0], ())) if before else ()
    if before is None or after is None:
        left = _plain(*before) if before else None
        return Row("changed", left, _plain(*after) if after else None, found)
    left_text, right_text = _clean(before[1]), _clean(after[1])
    start = 0
    shortest = min(len(left_text), len(right_text))
    while start < shortest and left_text[start] == right_text[start]:
        start += 1
    end = 0
    while end < shortest - start and left_text[-1 - end] == right_text[-1 - end]:
        end += 1
    return Row(
        "changed", _marked(before[0], left_text, start, end),
        _marked(after[0], right_text, start, end), found,
    )  # fmt: skip


def _clean(text: str) -> str:
    text = text.rstrip("\r\n")
    return visible(text if len(text) <= _WIDEST else text[:_WIDEST] + " …")


def _plain(number: int, text: str) -> Side:
    return Side(number, ((_clean(text), False),))


def _marked(number: int, text: str, start: int, end: int) -> Side:
    """A line whose middle, between `start` and `end` from its end, is what differs."""
    parts = (
        (text[:start], False),
        (text[start : len(text) - end], True),
        (text[len(text) - end :], False),
    )
    return Side(number, tuple(part for part in parts if part[0]))


def _surroundings(old: Sequence[str], by_line: dict[int, list[Finding]]) -> list[Block]:
    """Blocks for the findings that no hunk shows; those close together share one."""
    blocks: list[Block] = []
    last = -1
    for number in sorted(by_line):
        first = max(1, number - _CONTEXT)
        until = min(len(old), number + _CONTEXT)
        if blocks and first <= last + 1:
            first = last + 1
        else:
            blocks.append(Block([]))
        block = blocks[-1]
        for line in range(first, until + 1):
            side = _plain(line, old[line - 1])
            block.rows.append(Row("same", side, None, ()))
        last = max(last, until)
        block.rows = [
            Row(r.kind, r.old, r.new, tuple(by_line[number]))
            if r.old is not None and r.old.number == number else r
            for r in block.rows
        ]  # fmt: skip
        if not old:  # nothing of the file could be read: the finding stands alone
            block.rows.append(Row("same", None, None, tuple(by_line[number])))
        block.findings += by_line[number]
    by_line.clear()
    return blocks


def html(plan: Plan, title: str) -> str:
    """The page as text."""
    style, script = page.asset("review.css"), page.asset("review.js")
    policy = (
        f"default-src 'none'; style-src {page.policy_hash(style)}; script-src {page.policy_hash(script)}; "
        "base-uri 'none'; form-action 'none'; frame-src 'none'"
    )
    environment = page.environment()
    environment.filters["visible"] = visible
    shown = files(plan)
    kinds = _counts(kind for file in shown for block in file.blocks for kind in block.kinds)
    return environment.get_template("review.html.jinja").render(
        title=visible(title),
        policy=policy,
        style=markupsafe.Markup(style),
        script=markupsafe.Markup(script),
        files=shown,
        rules=_counts(code for file in shown for block in file.blocks for code in block.codes),
        kinds=[(kind, kinds[kind]) for kind in (*_ORDER, PERSON) if kind in kinds],
        support=[(visible(path), text.count("\n")) for path, text in plan.support_files],
        version=plan.tool_version,
    )


def _counts(items: Iterable[str]) -> dict[str, int]:
    return dict(sorted(collections.Counter(items).items()))


def write(plan: Plan, path: Path, title: str, root: Path | None = None) -> None:
    """Write the page, in one piece; through no link of the tree `root`. Raises OSError, UnsafePath."""
    write_named(path, html(plan, title), root)
