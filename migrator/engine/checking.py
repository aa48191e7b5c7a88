"""Has the planned files checked, takes back what fails, and reports what stays wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from migrator.analysis.index import ProjectIndex
from migrator.check.files import World
from migrator.check.package import package
from migrator.check.places import Places
from migrator.check.reach import Graphs
from migrator.check.records import Fault, Kind, Reach
from migrator.check.verdict import Project
from migrator.engine import file_jobs
from migrator.engine.linemap import line_map
from migrator.engine.looked import Looked
from migrator.engine.migrated import NOTHING_HELD, Held, Migrated
from migrator.engine.options import Options
from migrator.engine.plan import names_of, needed_symbols
from migrator.engine.registry import successor, together
from migrator.engine.remembered import Remembered
from migrator.engine.ruleset import load_ruleset
from migrator.engine.suppress import find_suppressions
from migrator.model import Change, FileResult, Finding, Rung, Status

CODE = "TF007"
_MOST_STEPS = 200  # edits that are taken back, one after the other
_MOST_LINES = 5  # of faults that one finding tells
_MOST_TRIES = 8  # ways to migrate one file that are tried for one fault
#: Faults that nothing but an edit of their own line makes.
_AT_THE_LINE = frozenset((Kind.CALL, Kind.REFERENCE, Kind.MEANING, Kind.GUARD))

#: The files of the support package for what files use of it.
Rendered = Callable[[Mapping[str, frozenset[str]]], Mapping[str, str]]
Again = Callable[[str, Held], Migrated]


def check(
    files: Looked,
    used: Mapping[str, frozenset[str]],
    root: Path,
    options: Options,
    index: ProjectIndex,
    remembered: Remembered,
) -> dict[str, FileResult]:
    """The results that the check of a planned tree changes; what it took back is missing there.

    `used` is what files use of the support package before the migration.
    """

    def rendered(uses: Mapping[str, frozenset[str]]) -> Mapping[str, str]:
        users = {**used, **uses}
        supported = remembered.with_support(names_of(users))
        return remembered.support(needed_symbols(users, supported))

    file_jobs.set_up(root, options, index)
    for path in files.unknown():
        known = remembered.units(path)
        if known is not None:
            files.look(path, known)
    world = file_jobs.world_of(index, load_ruleset(options))
    return Checked(files, index, world, rendered, file_jobs.migrate_without).settle()


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What was done about a fault, which is at this line of the original."""

    what: str
    home: str  # the file that it was in
    fault: Fault
    line: int


class Checked:
    """The plan of a project on its way through the check.

    `again` migrates one file anew without what is held.
    """

    def __init__(
        self,
        files: Looked,
        index: ProjectIndex,
        world: World,
        rendered: Rendered,
        again: Again,
    ) -> None:
        self.files = files
        self.index = index
        self.world = world
        self._rendered = rendered
        self._again = again
        self._held: dict[str, Held] = {}
        self._before: Places | None = None
        self._found: dict[str, list[Fault]] = {}

    def settle(self) -> dict[str, FileResult]:
        """The results that the check changed."""
        taken_back: list[TakenBack] = []
        hopeless: set[tuple[object, ...]] = set()
        faults = self._faults()
        for _ in range(_MOST_STEPS):
            step = next(
                (found for fault in faults if (found := self._step(fault, faults, hopeless))), None
            )
            if step is None:
                break
            path, item, held, what = step
            lines = [_original(self.files[fault.path].result, fault) for fault in faults]
            self.files[path], self._held[path] = item, held
            left = self._faults() if self._follow(path, held) else self._faults(path)
            still = {_key(fault) for fault in left}
            gone = [
                (fault, line) for fault, line in zip(faults, lines, strict=True)
                if _key(fault) not in still
            ]
            if not self._succeeded(path):
                taken_back += [TakenBack(what, path, *pair) for pair in gone]
            faults = left
        return dict(self._reported(faults, taken_back))

    def _step(
        self, fault: Fault, faults: list[Fault], hopeless: set[tuple[object, ...]]
    ) -> tuple[str, Migrated, Held, str] | None:
        """One file without some of its edits, so that `fault` goes and none comes."""
        if _key(fault) in hopeless or not self._edited(fault):
            return None
        for path in dict.fromkeys((*fault.culprits, fault.path)):
            item = self.files.get(path)
            if item is not None and item.result.status is Status.CHANGED:
                found = self._without(path, fault, faults)
                if found is not None:
                    return path, *found
        hopeless.add(_key(fault))
        return None

    def _edited(self, fault: Fault) -> bool:
        """Whether an edit may have made a fault that nobody told of."""
        result = self.files[fault.path].result
        if _told(result, _original(result, fault), fault):
            return False
        if fault.kind in (Kind.REFERENCE, Kind.MEANING) and not fault.name.startswith("tf1_support."):
            last = fault.name.partition("(")[0].rpartition(".")[2]
            return bool(fault.culprits) or not re.search(rf"\b{last}\b", result.old_text)
        return True

    # -- looking

    def _faults(self, changed: str = "", instead: Migrated | None = None) -> list[Fault]:
        """All faults of the files, those of most of which are known where only one `changed`; `instead`
        is what is tried in its place."""
        others = {changed: instead} if instead is not None else {}
        old, new = self.files.sides(others)
        support = package(self._rendered(self.files.supports(others)))
        if self._before is None:
            self._before = Places(self.index, old, None, self.world.tf1, self.world.keras)
        after = Places(self.index, new, support, self.world.tf2, self.world.keras)
        project = Project(old, new, self._before, after)
        again = {changed, *self.index.importers(changed)} if changed else None
        looked_at = {path: list(project.of_file(path)) for path in new if again is None or path in again}
        found = {path: faults for path, faults in {**self._found, **looked_at}.items() if faults}
        if instead is None:
            self._found = found
        every = [fault for path in new for fault in found.get(path, ())]
        return [f for f in (*every, *project.attributes()) if f.kind is not Kind.UNUSED]

    # -- taking back

    def _without(
        self, path: str, fault: Fault, faults: list[Fault]
    ) -> tuple[Migrated, Held, str] | None:
        """The file without some of its edits, if `fault` goes and none comes."""
        known = {_key(other) for other in faults}
        gone = _key(fault)
        for held, what in self._attempts(path, fault):
            item = self._again(path, held)
            if item.result.status is Status.FAILED or item.new is None:
                continue
            if any((f.kind, path, f.name or f.message) == gone for f in item.new.flaws):
                continue
            now = {_key(other) for other in self._faults(path, item)}
            if gone not in now and now <= known:
                return item, held, what
        return None

    def _attempts(self, path: str, fault: Fault) -> list[tuple[Held, str]]:
        """Ways to migrate a file with less, the likeliest first, and what each is called."""
        item = self.files[path]
        held = self._held.get(path, NOTHING_HELD)
        tries: dict[Held, str] = {}
        symbol = fault.name.partition("(")[0]
        if symbol.startswith("tf1_support.") and symbol not in held.symbols:
            one = replace(held, symbols=held.symbols | {symbol})
            tries[one] = f"the use of {symbol.partition('.')[2]}"
        line = _original(item.result, fault) if path == fault.path else 0
        edits = [edit for edit in item.edits if edit.transform not in held.transforms]
        edits.sort(key=lambda edit: (-_covering(edit.changes, line), -len(edit.changes)))
        if fault.kind in _AT_THE_LINE and line:
            edits = [edit for edit in edits if _covering(edit.changes, line)]
        names = list(dict.fromkeys(edit.transform for edit in edits))
        for name in names:
            one = replace(held, transforms=held.transforms | {name})
            tries.setdefault(one, f"the rewrite '{name}'")
        structural = {change.code for edit in item.edits for change in edit.changes}
        codes = {
            (line, change.code) for change in item.result.changes
            if change.line <= line <= change.end_line and change.code not in structural
        }
        if codes:
            written = ", ".join(sorted(code for _, code in codes))
            one = replace(held, codes=held.codes | codes)
            tries.setdefault(one, f"the edit {written} of line {line}")
        if len(names) > 1:
            every = replace(held, transforms=held.transforms | frozenset(names))
            tries.setdefault(every, "the rewrites of this file")
        return list(tries.items())[:_MOST_TRIES]

    def _follow(self, path: str, held: Held) -> bool:
        """Takes back from the modules that import a file, or that it imports, and on from these, what
        counts on that which was taken back from it; whether there was any."""
        names = frozenset[str]().union(*map(together, held.transforms))
        followed, todo = {path}, [path]
        while todo and names:
            here = todo.pop()
            for other in sorted({*self.index.importers(here), *self.index.imported(here)} - followed):
                item = self.files.get(other)
                kept = self._held.get(other, NOTHING_HELD)
                if item is None or not names.intersection(e.transform for e in item.edits):
                    continue
                less = replace(kept, transforms=kept.transforms | names)
                again = self._again(other, less)
                if again.new is not None:
                    self.files[other], self._held[other] = again, less
                    followed.add(other)
                    todo.append(other)
        return len(followed) > 1

    def _succeeded(self, path: str) -> bool:
        """Whether other transforms brought to TensorFlow 2 what all that is held would have."""
        held = self._held[path]
        used = {edit.transform for edit in self.files[path].edits}
        return not held.symbols and not held.codes and all(
            successor(name) in used for name in held.transforms)

    # -- reporting

    def _reported(
        self, faults: list[Fault], taken_back: list[TakenBack]
    ) -> Iterator[tuple[str, FileResult]]:
        added: dict[str, list[Finding]] = {}
        left = {_key(fault) for fault in faults}
        groups: dict[tuple[str, ...], list[TakenBack]] = {}
        for item in taken_back:
            if _key(item.fault) not in left:
                key = (item.fault.path, item.home, item.what)
                groups.setdefault(key, []).append(item)
        for (path, *_), items in groups.items():
            added.setdefault(path, []).append(_finding_of(items))
        for fault in faults:
            result = self.files[fault.path].result
            line = _original(result, fault)
            if not _told(result, line, fault):
                finding = Finding(
                    CODE, fault.path, line, 0, fault.message, _ADVICE[fault.kind], fault.name
                )
                added.setdefault(fault.path, []).append(finding)
        doubted = self._doubted()
        for path in sorted({*self._held, *added, *doubted}):
            result = self.files[path].result
            findings = _unsuppressed(result, added.get(path, []))
            kept = doubted.get(path, result.findings)
            merged = sorted({*kept, *findings}, key=lambda f: (f.line, f.column, f.code, f.message))
            yield path, replace(result, findings=tuple(merged))

    def _doubted(self) -> dict[str, list[Finding]]:
        """The findings of files that promise a TF 1 graph where nothing shows that there is one, with
        what a person must do instead."""
        promising = self.files.promising()
        if not promising:
            return {}
        _, new = self.files.sides({})
        places = Places(self.index, new, None, self.world.tf2, self.world.keras)
        graphs = Graphs(new, places.targets, self.index.importers)
        found: dict[str, list[Finding]] = {}
        for path in promising:
            item = self.files[path]
            lines = _lines_of_originals(item.result)
            reach = item.new.reach if item.new is not None else None
            needs = reach.needs if reach is not None else frozenset()
            runs = needs | _run_lines(reach) if reach is not None else needs
            findings = [
                _unproven(finding)
                if finding.rung is Rung.COMPAT and finding.code in _PROMISES and any(
                    line in (needs if finding.code == "TF005" else runs)
                    and not graphs.shown(path, line)
                    for line in lines.get(finding.line, ())
                )
                else finding
                for finding in item.result.findings
            ]
            if findings != list(item.result.findings):
                found[path] = findings
        return found


def _finding_of(items: list[TakenBack]) -> Finding:
    """What is said of one thing that was taken back for what is wrong with it in one file."""
    first = items[0]
    where = f" of {first.home}" if first.home != first.fault.path else ""
    message = f"{first.what}{where} was taken back: with it, {first.fault.message}"
    others = sorted({item.line for item in items} - {first.line})
    if others:
        more = f" and {len(others) - _MOST_LINES} more" if len(others) > _MOST_LINES else ""
        shown = ", ".join(map(str, others[:_MOST_LINES]))
        message += f" (other faults at line{'s' * (len(others) > 1)} {shown}{more})"
    advice = (
        "The check of the output found this. What was taken back stays on the rung below "
        "(see the other findings); migrate it by hand, and report it if you can share it."
    )
    return Finding(
        CODE, first.fault.path, first.line, 0, message, advice, first.fault.name, Rung.COMPAT
    )


def _covering(changes: Iterable[Change], line: int) -> int:
    return sum(1 for change in changes if change.line <= line <= change.end_line)


def _key(fault: Fault) -> tuple[object, ...]:
    return fault.kind, fault.path, fault.name or fault.message


def _original(result: FileResult, fault: Fault) -> int:
    """The line of a fault in the original file."""
    if fault.old or result.new_text is None:
        return fault.line
    return line_map(result.old_text, result.new_text).original(fault.line)


def _told(result: FileResult, line: int, fault: Fault) -> bool:
    """Whether a finding of that line says already what a fault would."""
    words = {word for word in re.split(r"\W+", fault.name) if len(word) > 2} - _GENERAL
    return any(
        finding.line == line and finding.code != CODE
        and (finding.rung is Rung.MANUAL or fault.kind is Kind.REFERENCE)
        and (not words or any(word in finding.symbol or word in finding.message for word in words))
        for finding in result.findings
    )


def _unsuppressed(result: FileResult, findings: list[Finding]) -> list[Finding]:
    suppressions = find_suppressions(result.old_text)
    return [f for f in findings if not (suppressions and suppressions.covers(f.code, f.line))]


def _lines_of_originals(result: FileResult) -> dict[int, list[int]]:
    """The lines of the new text that stand for each line of the old one."""
    text = result.new_text if result.new_text is not None else result.old_text
    mapped = line_map(result.old_text, text)
    found: dict[int, list[int]] = {}
    for line in range(1, text.count("\n") + 2):
        found.setdefault(mapped.original(line), []).append(line)
    return found


def _run_lines(reach: Reach) -> set[int]:
    """The lines that run something in a session."""
    return {line for name in ("run", "eval", "partial_run") for _, line in reach.calls.get(name, ())}


def _unproven(finding: Finding) -> Finding:
    """A finding that promised what is not shown."""
    message = finding.message.replace(
        "; tf.compat.v1 keeps it running", "; tf.compat.v1 has it, for graphs only"
    )
    advice = finding.advice.removeprefix("It stays TF1 and runs through compat; to make it native: ")
    return replace(
        finding, message=message, rung=Rung.MANUAL,
        advice="Nothing shows that it runs in a graph: enter one around it and all that it uses "
        f"(with tf.Graph().as_default():), or make it native: {advice}",
    )  # fmt: skip


_GENERAL = frozenset(("tensorflow", "tf1_support", "contrib", "compat", "python", "keras"))
#: Findings which say that what is kept runs: of sessions, and of names that only a graph has.
_PROMISES = frozenset(("TF005", "TF390"))
_BY_HAND = "The check of the output found this; correct it by hand after the migration."
_ADVICE = {
    Kind.UNBOUND: f"{_BY_HAND} Bind the name before it is read.",
    Kind.REFERENCE: f"{_BY_HAND} Look for the successor of the name, or define it.",
    Kind.CALL: f"{_BY_HAND} Give the arguments that the function takes now.",
    Kind.MEANING: f"{_BY_HAND} Wrap the function, so that its callers' arguments mean what they did.",
    Kind.ATTRIBUTE: f"{_BY_HAND} Set the attribute where it was set before, or read what took its place.",
    Kind.DELETED: f"{_BY_HAND} Write it again where it belongs, if it had an effect.",
    Kind.GUARD: f"{_BY_HAND} Keep the branch that TensorFlow 2 needs.",
    Kind.UNUSED: _BY_HAND,
    Kind.CLAIM: _BY_HAND,
}

__all__ = ["CODE", "Checked"]
