"""The migration of a tree from its first run to now: runs add up, findings stay while their line does.

`.migrator/plan.json` is the plan of all that was written so far: each file as it was before the first
run and as the last one left it, edits by lines of the former, findings by lines of both. A run keeps
beside its journal what was there before it, so that undoing it brings that back, too.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from migrator.engine import pins
from migrator.engine.linemap import line_map
from migrator.lines import lines_of
from migrator.model import FileResult, Finding, Plan, Status, Written
from migrator.project import git, gitstate, journal, planfile
from migrator.project.linediff import matcher
from migrator.project.lock import state_folder
from migrator.project.notebook import decode_module
from migrator.project.paths import STATE_FOLDER
from migrator.project.results import Results
from migrator.project.source import SourceError, SourceFile
from migrator.project.tree import Folder, read

PLAN_FILE = journal.PLAN


class Onward:
    """Where lines of a text are in a later one."""

    def __init__(self, old: str, new: str) -> None:
        self._old, self._new = lines_of(old), lines_of(new)
        self._blocks: Sequence[tuple[str, int, int, int, int]]
        if old == new:
            self._blocks = [("equal", 0, len(self._old), 0, len(self._new))]
            return
        self._blocks = matcher(self._old, self._new, autojunk=False).get_opcodes()

    def kept(self, line: int) -> int | None:
        """Where a 1-based line is now, None where it was changed or is gone."""
        for tag, low, high, new_low, _ in self._blocks:
            if tag == "equal" and low < line <= high:
                return new_low + line - low
        return None

    def near(self, line: int, word: str) -> int:
        """Where a line is now; of what came in its place, the nearest line that has the word in it."""
        for tag, low, high, new_low, new_high in self._blocks:
            if low < line <= high:
                if tag == "equal":
                    return new_low + line - low
                if new_high == new_low:
                    return max(min(new_low + 1, len(self._new)), 1)
                about = new_low + (line - 1 - low) * (new_high - new_low) // (high - low)
                named = [n for n in range(new_low, new_high) if word and word in self._new[n]]
                return min(named, key=lambda n: abs(n - about), default=about) + 1
        return max(min(line, len(self._new)), 1)


def head(root: Path) -> str:
    """The commit that a tree stands on, "" where git has none."""
    try:
        repository = git.find(root.resolve())
        return (gitstate.head(repository) or "")[:12] if repository is not None else ""
    except (git.GitError, OSError):
        return ""


def load(root: Path) -> Plan | None:
    """What was written to a tree so far; None where nothing was.

    Raises planfile.PlanError for a file that is damaged.
    """
    path = root / STATE_FOLDER / PLAN_FILE
    return planfile.load_kept(path) if os.path.lexists(path) else None


def keep(plan: Plan, where: Path, run: str = "", base: str = "") -> None:
    """Add a plan that was just written to the tree `where` to what was written there before.

    run: the journal's name of this run. base: the commit that the tree stood on before it.
    Raises OSError, UnsafePath, PlanError.
    """
    made = add(load(where), plan, base)
    with Folder.named(where) as tree, state_folder(tree) as state:
        if run and state.is_file(PLAN_FILE):
            journal.keep_beside(state, run)
        with state.replacing(PLAN_FILE) as stream:
            planfile.write(made, stream)


def add(earlier: Plan | None, new: Plan, base: str = "") -> Plan:
    """The plan of both runs together; `new` was written after `earlier`."""
    done = Written(
        time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), new.tool_version,
        sum(len(f.changes) for f in new.changed), len(new.changed),
    )  # fmt: skip
    if earlier is None:
        files = Results.of(replace(f, findings=_located(f)) for f in new.files)
        return replace(new, files=files, written=(done,), base=base)
    # what this run did not look at (--only-files), or what is no longer there: `standing` tells
    both = Results.by_path(earlier.files)
    for f in new.files:
        known = both.get(f.path) if both.has(f.path) else None
        both.put(_joined(known, f) if known is not None else replace(f, findings=_located(f)))
    support = {**dict(earlier.support_files), **dict(new.support_files)}
    ran = earlier.written if not done.edits else (*earlier.written, done)
    return replace(
        new, files=both.done(), support_files=tuple(sorted(support.items())), written=ran,
        base=earlier.base or base,
    )  # fmt: skip


def _located(result: FileResult) -> tuple[Finding, ...]:
    """The findings of a file that was just written, with their lines in it."""
    if not result.findings:
        return ()
    onward = Onward(result.old_text, _as_written(result))
    return tuple(
        replace(f, now=onward.near(f.line, f.symbol.rpartition(".")[2])) for f in result.findings
    )


def _as_written(result: FileResult) -> str:
    return result.old_text if result.new_text is None else result.new_text


def _joined(earlier: FileResult, new: FileResult) -> FileResult:
    """One file after a later run."""
    if new.status is Status.FAILED:  # it was readable: what was known of it stays
        return replace(earlier, error=new.error)
    original, now = earlier.old_text or new.old_text, _as_written(new)
    back = line_map(original, new.old_text)
    changes = tuple(
        replace(c, line=back.original(c.line), end_line=back.original(c.end_line))
        for c in new.changes
    )
    changed = now != original
    return replace(
        new, status=Status.CHANGED if changed else Status.UNCHANGED, old_text=original,
        old_sha256=earlier.old_sha256, new_text=now if changed else None,
        changes=(*earlier.changes, *changes), support=earlier.support | new.support,
        findings=tuple(replace(f, line=back.original(f.line)) for f in _located(new)),
    )  # fmt: skip


def with_earlier(plan: Plan, root: Path) -> Plan:
    """A new plan for a tree, with what earlier runs found in it and what is still there.

    The code that a finding is about looks otherwise once it was migrated, so that the next run may not
    know it again. It stays until its line is changed.
    """
    try:
        earlier = load(root)
    except planfile.PlanError:
        earlier = None
    if earlier is None:
        return plan
    known = map(_Standing(root).without_listed, earlier.files)
    before = Results.by_path(f for f in known if f.findings)
    files = Results.of(
        _with_findings(before.get(f.path), f)
        if before.has(f.path) and f.status in (Status.CHANGED, Status.UNCHANGED) else f
        for f in (*plan.files, *_left_out(plan, earlier, root))
    )  # fmt: skip
    return replace(plan, files=files)


def _left_out(plan: Plan, earlier: Plan, root: Path) -> list[FileResult]:
    """Files with findings of earlier runs that a new one does not look at: where nothing of TensorFlow 1 is
    left, a Dockerfile says nothing any more."""
    if plan.options.get("only_files"):
        return []
    seen = {f.path for f in plan.files}
    rest = Results.of(f for f in earlier.files if f.findings and f.path not in seen)
    return [
        replace(f, status=Status.UNCHANGED, old_text=text, new_text=None, changes=(), findings=())
        for f in standing(replace(earlier, files=rest), root).files
        if f.findings and (text := f.old_text if f.new_text is None else f.new_text)
    ]


def _with_findings(earlier: FileResult, new: FileResult) -> FileResult:
    """The findings of both, of the same name on the same line the earlier one: it knew the original."""
    moved = Onward(_as_written(earlier), new.old_text)
    found: dict[tuple[int, str], Finding] = {}
    for f in earlier.findings:
        line = moved.kept(f.now) if f.now else None
        if line is not None:
            found[line, _name(f)] = replace(f, line=line, now=0)
    rest = [f for f in new.findings if (f.line, _name(f)) not in found]
    both = sorted((*found.values(), *rest), key=lambda f: (f.line, f.column, f.code))
    return replace(new, findings=tuple(both))


def _name(finding: Finding) -> str:
    return finding.symbol.rpartition(".")[2] or finding.message


def as_written(plan: Plan) -> Plan:
    """The plan of a tree that was just written, with its findings at the lines where they are now."""
    files = Results.of(
        replace(f, old_text=_as_written(f), findings=tuple(
            replace(x, line=x.now) for x in _located(f)
        )) for f in plan.files
    )  # fmt: skip
    return replace(plan, files=files)


def standing(plan: Plan, root: Path) -> Plan:
    """The plan as the tree is now: what was undone, edited or deleted since is no part of it.

    A finding whose line was changed is gone; `now` of the others is where they are today.
    """
    return replace(plan, files=Results.of(filter(None, map(_Standing(root), plan.files))))


def load_standing(path: Path, root: Path) -> Plan:
    """The plan that is kept in a file, as the tree is now. Raises planfile.PlanError."""
    return planfile.load_kept(path, _Standing(root))


class _Standing:
    """What is left of a result in a tree as it is now, None for nothing."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._listed: dict[str, SourceFile] | None = None

    def __call__(self, result: FileResult) -> FileResult | None:
        result = self.without_listed(result)
        if not (result.changes or result.findings or result.error):
            return result
        place = self._root / result.path
        try:
            data, mode = read(self._root, result.path, planfile.MAX_PLAN_BYTES)
            return _today(result, decode_module(data, place, mode).text)
        except SourceError:
            return result if os.path.lexists(place) else None

    def without_listed(self, result: FileResult) -> FileResult:
        """The result without what was told of packages that no file listed, where one lists them now."""
        if any(f.code == pins.BESIDE for f in result.findings):
            if self._listed is None:
                self._listed = pins.listings(self._root)
            left = tuple(f for f in result.findings if not pins.is_listed(f, self._listed))
            return result if left == result.findings else replace(result, findings=left)
        return result


def _today(result: FileResult, text: str) -> FileResult:
    original = result.old_text or text
    onward = Onward(_as_written(result) or text, text)
    findings = []
    for f in result.findings:
        line = f.line if text == original else onward.kept(f.now or f.line)
        if line is not None:
            findings.append(replace(f, now=line))
    changed = text != original
    status = result.status
    if status in (Status.CHANGED, Status.UNCHANGED):
        status = Status.CHANGED if changed else Status.UNCHANGED
    return replace(
        result, status=status, old_text=original, new_text=text if changed else None,
        changes=result.changes if changed else (), findings=tuple(findings),
    )  # fmt: skip

