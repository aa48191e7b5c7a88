"""Checks of command workloads: programs run on both sides, and what they print and write compared."""

from __future__ import annotations

import dataclasses
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

import numpy as np

from migrator.verify import compare, printed, written
from migrator.verify.records import Check, Status
from migrator.verify.workspace import SHAKE, Ran, WorkingCopy
from migrator.verify.written import Content
from migrator.workload.spec import Workload

_NOUNS = {
    "checkpoint": "variable", "events": "tag", "records": "feature", "graph": "constant",
    "saved_model": "tensor", "arrays": "array", "json": "value", "pickle": "value", "hdf5": "data set",
}  # fmt: skip
# How full a queue was when a summary asked: threads fill it.
_OF_THREADS = re.compile(r"/fraction_(?:of_\d+|over_\d+_of_\d+)_full$")
# An 8-bit pixel may be rounded to its neighbour.
_PIXEL = 1.01 / 255
PRINTED = "printed"


@dataclass(frozen=True, slots=True)
class Left:
    """What a run left: its text and the contents of its files."""

    ran: Ran
    files: Mapping[str, Content]


@dataclass
class _Open:
    """A workload with checks that are not equal, to be looked at again beside a shaken run."""

    workload: Workload
    before: Left
    after: Left
    checks: list[Check]


class Commands:
    """Runs the command workloads of one verification, one after the other, in two working copies."""

    def __init__(self, copies: tuple[WorkingCopy, WorkingCopy], scratch: Path) -> None:
        self.copies, self.scratch = copies, scratch
        self.history: list[Workload] = []
        self.open: list[_Open] = []

    def check(self, workload: Workload) -> list[Check]:
        """Runs the command on both sides and compares each thing that it leaves.

        A workload that is `carried` runs on the original only, and gives no check unless it fails.
        """
        old, new = self.copies
        before = old.run(workload)
        self.history.append(workload)
        if before.error:
            return [
                Check(workload.name, "exit code", Status.NOT_RUN, seconds=before.seconds,
                      detail=f"the original: {before.error}")
            ]  # fmt: skip
        if workload.carried:
            self._carry(before)
            return []
        after = new.run(workload)
        seconds = before.seconds + after.seconds
        if after.error:
            place = f", at {' < '.join(reversed(after.frames))}" if after.frames else ""
            return [
                Check(workload.name, "exit code", Status.FAILED, seconds=seconds,
                      where=(after.frames or ("",))[-1],
                      detail=f"after the migration: {_headed(after.error, place)}")
            ]  # fmt: skip
        left = self._left(old, before, workload), self._left(new, after, workload)
        checks = [
            Check(workload.name, "exit code", Status.EQUAL, detail="both programs ended with 0",
                  seconds=seconds)
        ]  # fmt: skip
        found = self._compared(workload, *left)
        if any(c.status is Status.DIFFERS for c in found):
            self.open.append(_Open(workload, *left, found))
        return checks + found + _traces(workload, after)

    def settle(self, checks: Sequence[Check]) -> list[Check]:
        """The same checks, where those that differ are allowed what rounding does to the original.

        Runs all commands on the original once or twice more, with random numbers and restored
        weights changed by rounding (SHAKE), if there is something to settle.
        """
        candidates = [
            o for o in self.open
            if any(c.status is Status.DIFFERS and c.difference is not None for c in o.checks)
        ]  # fmt: skip
        if not candidates:
            return list(checks)
        shaken: dict[int, list[Left]] = {i: [] for i in range(len(candidates))}
        settled: dict[tuple[str, str], Check] = {}
        # What an optimizer makes of gradients that are nearly zero jumps; twice tells more than once.
        for seed in (1, 2):
            self._shake(seed, candidates, shaken)
            for i, case in enumerate(candidates):
                for c in self._compared(case.workload, case.before, case.after, shaken[i]):
                    settled[c.workload, c.name] = c
            if not any(_near(c) for c in settled.values()):
                break
        return [
            settled.get((c.workload, c.name), c) if c.status is Status.DIFFERS else c
            for c in checks
        ]

    def _shake(self, seed: int, cases: Sequence[_Open], shaken: dict[int, list[Left]]) -> None:
        """Runs all commands on the original once more, with rounding added; adds what they left."""
        env = {"MIGRATOR_VERIFY_SHAKE": str(SHAKE), "MIGRATOR_VERIFY_SHAKE_SEED": str(seed)}
        copy = WorkingCopy(self.copies[0].side, self.scratch / f"shaken{seed}", env)
        last = max(self.history.index(o.workload) for o in cases)
        for workload in self.history[: last + 1]:
            ran = copy.run(workload)
            for i, case in enumerate(cases):
                if case.workload is workload and not ran.error:
                    shaken[i].append(self._left(copy, ran, workload))
        shutil.rmtree(copy.folder, ignore_errors=True)

    def _carry(self, ran: Ran) -> None:
        for name in ran.written:
            source, target = (copy.path(name) for copy in self.copies)
            if source.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target)

    def _left(self, copy: WorkingCopy, ran: Ran, workload: Workload) -> Left:
        if workload.artifacts:
            chosen = [
                n for n in ran.written if n.startswith("{out}/")
                and any(_fits(n[len("{out}/") :], p) for p in workload.artifacts)
            ]  # fmt: skip
            ran = dataclasses.replace(ran, written=tuple(chosen))
        # Both kinds of everything are read by TF 2.
        return Left(ran, written.read(copy, ran, workload, self.copies[1].side))

    def _compared(
        self, workload: Workload, before: Left, after: Left, shaken: Sequence[Left] = ()
    ) -> list[Check]:
        checks = []
        if not workload.artifacts:
            folders = [str(c.folder) for c in self.copies]
            folders += [str(self.scratch / f"shaken{seed}") for seed in (1, 2)]
            checks += _printed(workload, before.ran, after.ran, [x.ran for x in shaken], folders)
        again = [(x, written.paired(before.files, x.files)) for x in shaken]
        for name, other in written.paired(before.files, after.files).items():
            moved = [x.files[there] for x, names in again if (there := names[name]) is not None]
            new = after.files[other] if other else None
            checks.append(_file(workload, name, before.files[name], new, moved))
        for pattern in workload.artifacts:
            if not any(_fits(n.removeprefix("{out}/"), pattern) for n in before.ran.written):
                checks.append(
                    Check(workload.name, pattern, Status.NOT_RUN,
                          detail=f"the original wrote no file {pattern}")
                )  # fmt: skip
        return checks


def _near(check: Check) -> bool:
    """Whether a difference is small enough for rounding to be behind it."""
    return (
        check.status is Status.DIFFERS and check.difference is not None
        and check.difference <= 2 * compare.CHAOS
    )  # fmt: skip


def _headed(error: str, place: str) -> str:
    """The error with the places in its first line."""
    first, _, rest = error.partition("\n")
    return f"{first}{place}\n{rest}"


def _fits(name: str, pattern: str) -> bool:
    """Whether a glob of `artifacts` fits; "*" stays within a folder, as in Path.glob."""
    parts, wanted = name.split("/"), pattern.split("/")
    if "**" in wanted:
        return fnmatch(name, pattern.replace("**/", "*"))
    return len(parts) == len(wanted) and all(map(fnmatch, parts, wanted))


def _file(
    workload: Workload, name: str, before: Content, after: Content | None, shaken: Sequence[Content]
) -> Check:
    shown = name.removeprefix("{out}/")
    title = f"checkpoint {shown.removesuffix('.index')}" if before.kind == "checkpoint" else shown
    title = f"events in {shown}" if before.kind == "events" else title
    if after is None:
        return Check(
            workload.name, title, Status.DIFFERS, where=shown,
            detail="the migrated program does not write it",
        )  # fmt: skip
    for label, content, status in (
        ("original", before, Status.NOT_RUN), ("migrated program", after, Status.FAILED)
    ):  # fmt: skip
        if content.error:
            detail = f"what the {label} wrote cannot be read: {content.error}"
            return Check(workload.name, title, status, detail=detail)
    if before.kind == "bytes" or before.kind != after.kind:
        same = before.kind == after.kind and before.digest == after.digest
        return Check(
            workload.name, title, Status.EQUAL if same else Status.DIFFERS,
            detail="compared byte for byte",
        )  # fmt: skip
    if before.kind == "text":
        return _texts(
            workload, title, printed.lines(before.text), printed.lines(after.text),
            [printed.lines(x.text) for x in shaken],
        )  # fmt: skip
    if before.kind == "image":
        return _images(workload, title, before, after, shaken)
    renamed = compare.renamed(before.arrays, after.arrays) if before.kind == "events" else {}
    checked = compare.arrays(
        workload.name, title, _steady(before),
        {renamed.get(k, k): v for k, v in after.arrays.items()}, workload.tolerance,
        _NOUNS[before.kind], [x.arrays for x in shaken],
    )  # fmt: skip
    if renamed:
        said = compare.listed(f"{old} is now {new}" for new, old in renamed.items())
        checked = dataclasses.replace(checked, detail=f"{checked.detail}; {said}")
    suffix = " (by TF1 name)" if before.kind == "checkpoint" else ""
    return dataclasses.replace(checked, detail=checked.detail + suffix)


def _steady(content: Content) -> dict[str, object]:
    """The arrays of a file without values that differ from run to run."""
    return {k: v for k, v in content.arrays.items()
            if content.kind != "events" or not _OF_THREADS.search(k)}


def _images(
    workload: Workload, title: str, before: Content, after: Content, shaken: Sequence[Content]
) -> Check:
    def scaled(content: Content) -> dict[str, object]:
        # offset by half a level, so that black and white pictures are no whole numbers
        return {k: (v + 0.5) / 255 for k, v in content.arrays.items()}

    return compare.arrays(
        workload.name, title, scaled(before), scaled(after), max(workload.tolerance, _PIXEL),
        "image", [scaled(x) for x in shaken],
    )  # fmt: skip


def _printed(
    workload: Workload, before: Ran, after: Ran, shaken: Sequence[Ran], folders: list[str]
) -> list[Check]:
    """What both printed, and the numbers that both logged."""
    runs = (before, after, *shaken)
    out = [printed.lines(r.stdout, folders) for r in runs]
    checks = []
    if out[0] or out[1]:
        checks.append(_texts(workload, PRINTED, out[0], out[1], out[2:]))
    logs = [printed.logged(r.stderr, folders) for r in runs]
    common = {x.words for x in logs[0]} & {x.words for x in logs[1]}
    kept = [[x for x in log if x.words in common and x.numbers] for log in logs]
    if kept[0]:
        checks.append(
            _texts(workload, "logged", kept[0], kept[1], kept[2:], lines_count=False)
        )
    return checks


def _texts(
    workload: Workload, title: str, before: Sequence[printed.Line], after: Sequence[printed.Line],
    shaken: Sequence[Sequence[printed.Line]], lines_count: bool = True,
) -> Check:  # fmt: skip
    """Lines and the numbers in them; a line that only one side has is a difference, unless it is a
    new one of the migrated program's, or lines do not count."""
    found = printed.compare(before, after)
    gaps = {k: n.difference for k, n in found.numbers.items()}
    allowed = {k: 0.0 if n.exact else workload.tolerance for k, n in found.numbers.items()}
    if shaken:
        moved = dict.fromkeys(gaps, 0.0)
        for run in shaken:
            again = printed.compare(before, run).numbers
            for k in gaps:
                moved[k] = max(moved[k], again[k].difference if k in again else np.inf)
        loose = compare.tolerances(moved, workload.tolerance)
        allowed.update({k: v for k, v in loose.items() if moved[k] or not found.numbers[k].exact})
    bad = [k for k in gaps if not gaps[k] <= allowed[k]]
    chaotic = sum(np.isinf(v) for v in allowed.values())
    words = {x.words for x in before}
    more = [x.text for x in after if x.words in words and x.text in found.added]
    details = [
        f"{len(before) - len(found.lost)} of {len(before)} lines, {len(gaps) - chaotic} numbers"
    ]
    if found.lost and lines_count:
        details.append(f"only in the original: {printed.said(found.lost)}")
    if more and lines_count:
        details.append(f"more of them after the migration: {printed.said(more)}")
    elif found.added and lines_count:
        details.append(f"new after the migration: {printed.said(found.added)}")
    for key in bad[:3]:
        number = found.numbers[key]
        details.append(f"{number.before:g} became {number.after:g} in {number.line.strip()[:80]!r}")
    if len(bad) > 3:
        details.append(f"{len(bad)} numbers differ")
    if chaotic:
        details.append(f"{chaotic} numbers are left to rounding in the original itself")
    compared = [k for k in gaps if np.isfinite(allowed[k])]
    where = max(compared, key=lambda k: (k in bad, gaps[k]), default=None)
    lines_differ = lines_count and bool(found.lost or more)
    status = Status.DIFFERS if bad or lines_differ else Status.EQUAL
    worst = gaps[where] if where is not None else None
    return Check(
        workload.name, title, status, worst if worst is None or np.isfinite(worst) else None,
        allowed[where] if where is not None else workload.tolerance,
        found.numbers[where].line.strip()[:60] if where is not None and bad else "",
        "; ".join(details),
    )  # fmt: skip


def _traces(workload: Workload, after: Ran) -> list[Check]:
    """One trace for each signature of each tf.function of the migrated program."""
    counted = list(after.traces)
    if not counted:
        return []
    bad = [c for c in counted if c["traces"] > c["signatures"]]
    shown = bad or counted
    detail = "; ".join(
        f"{c['name']} ({c['file']}:{c['line']}): {c['traces']} traces, {c['signatures']} signatures"
        for c in shown[:5]
    )
    return [
        Check(workload.name, "traces", Status.DIFFERS if bad else Status.EQUAL,
              where=bad[0]["name"] if bad else "", detail=detail)
    ]  # fmt: skip
