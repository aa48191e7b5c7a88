"""The section on what changed: files, rules, diffs with reasons, and the work that remains."""

from __future__ import annotations

import collections
import difflib
import re
from typing import Any

from migrator.project.notebook import cell_of, displayed, is_notebook
from migrator.report import text
from migrator.report.model import FileDiff, Hunk, Remaining, Section, Statement, Table

DIFF_BYTES = 1_200_000  # of diff text in one page; what is over it is counted, not shown
_HEADER = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
RUNG_ORDER = {"manual": 0, "compat": 1, "support": 2, "native": 3}


def file_diff(entry: dict[str, Any], budget: int) -> FileDiff:
    """The diff of one plan entry, each hunk with the rules whose lines it touches.

    budget: bytes of diff lines that may still be shown.
    """
    old = entry["old_text"].splitlines()
    new = (entry["new_text"] or "").splitlines()
    hunks: list[Hunk] = []
    added = removed = omitted = 0
    current: list[tuple[str, str]] = []
    header, first, last = "", 0, 0

    def close() -> None:
        nonlocal omitted, budget
        if not header:
            return
        size = sum(len(line) for _, line in current)
        if size > budget:
            omitted += 1
            return
        budget -= size
        reasons = dict.fromkeys(
            (c["code"], c["reason"])
            for c in entry["changes"] if c["line"] <= last and c["end_line"] >= first
        )  # fmt: skip
        hunks.append(Hunk(header, tuple(reasons), tuple(current)))

    book = is_notebook(entry["path"])
    for line in difflib.unified_diff(old, new, lineterm="", n=3):
        if line.startswith(("---", "+++")) and not header:
            continue
        found = _HEADER.match(line)
        if found:
            close()
            header, current = line, []
            first = int(found[1])
            last = first + int(found[2] or 1) - 1
            continue
        mark, content = line[:1], line[1:]
        added += mark == "+"
        removed += mark == "-"
        current.append((mark, displayed(content) if book else content))
    close()
    codes = tuple(sorted({c["code"] for c in entry["changes"]}))
    return FileDiff(entry["path"], added, removed, codes, tuple(hunks), omitted)


def _place(entry: dict[str, Any], finding: dict[str, Any]) -> str:
    """``path:line``; in a notebook the cell and the line in it."""
    path, line = finding["path"], finding["line"]
    cell = cell_of(entry.get("old_text", ""), line) if is_notebook(path) else None
    return f"{path}:{line}" if cell is None else f"{path}[cell {cell[0]}]:{cell[1]}"


def remaining(plan: dict[str, Any]) -> tuple[Remaining, ...]:
    """Findings of a plan, those a person must act on first."""
    found = [
        Remaining(
            f["code"], _place(entry, f), f["message"], f["advice"], f.get("rung", "manual")
        )
        for entry in plan["files"] for f in entry["findings"]
    ]  # fmt: skip
    found += [
        Remaining("TF001", entry["path"], entry["error"], "Mend the file and migrate again.", "manual")
        for entry in plan["files"] if entry["status"] == "failed"
    ]  # fmt: skip
    return tuple(sorted(found, key=lambda r: (RUNG_ORDER.get(r.rung, 0), r.code, r.place)))


def section(plan: dict[str, Any]) -> tuple[Section, Section, tuple[Statement, ...]]:
    """(what changed, what remains, findings for the top of the report)."""
    changed = [f for f in plan["files"] if f["status"] == "changed"]
    rules: collections.Counter[str] = collections.Counter()
    files_of: dict[str, set[str]] = collections.defaultdict(set)
    why: dict[str, str] = {}
    rungs: collections.Counter[str] = collections.Counter()
    for entry in changed:
        for c in entry["changes"]:
            rules[c["code"]] += 1
            files_of[c["code"]].add(entry["path"])
            why.setdefault(c["code"], c["reason"])
            rungs[c.get("rung", "native")] += 1
    rest = remaining(plan)
    budget, diffs = DIFF_BYTES, []
    for entry in sorted(changed, key=lambda f: f["path"]):
        diff = file_diff(entry, max(budget, 0))
        budget -= sum(len(line) for h in diff.hunks for _, line in h.lines)
        diffs.append(diff)
    support = plan.get("support_files", [])
    summary = Table(
        "Files",
        ("", "files"),
        (
            ("changed", f"{len(changed):,}"),
            ("unchanged", f"{sum(f['status'] == 'unchanged' for f in plan['files']):,}"),
            ("could not be read", f"{sum(f['status'] == 'failed' for f in plan['files']):,}"),
            ("support module files added", f"{len(support):,}"),
        ),
        frozenset({1}),
    )
    by_rule = Table(
        "Rules",
        ("rule", "edits", "files", "why"),
        tuple((c, f"{n:,}", f"{len(files_of[c]):,}", why[c]) for c, n in rules.most_common()),
        frozenset({1, 2}),
    )
    person = [r for r in rest if r.rung == "manual"]
    native = rungs["native"] + rungs["support"]
    findings = [
        Statement(
            "neutral",
            f"{text.plural(sum(rules.values()), 'edit')} by {text.plural(len(rules), 'rule')} in "
            f"{text.plural(len(changed), 'file')}; {text.percent(native, sum(rungs.values()))} of them "
            "to native TensorFlow 2 code.",
        ),
        Statement("open", f"{text.plural(len(person), 'place')} still "
                          f"{'needs' if len(person) == 1 else 'need'} a person.")
        if person else Statement("good", "Nothing is left for a person to change."),
    ]  # fmt: skip
    what = Section(
        "changes", "What changed",
        "Every hunk names the rules that made it and why.",
        tables=(summary, by_rule), diffs=tuple(diffs),
    )  # fmt: skip
    todo = Section(
        "remaining", "What a person must still do",
        "" if rest else "Nothing: every reference to TensorFlow 1 was rewritten.",
        remaining=rest,
    )  # fmt: skip
    return what, todo, tuple(findings)
