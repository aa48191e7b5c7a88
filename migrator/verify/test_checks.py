"""Checks that every unit test that passes on the original passes on the migrated repository."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from migrator.verify.children import Progress, Side
from migrator.verify.compare import listed
from migrator.verify.records import Check, Status
from migrator.workload.spec import Workload

_SHOWN = 30


@dataclass
class Outcomes:
    """What became of the tests of one side: {test id: (outcome, message)}, files that did not load."""

    tests: dict[str, tuple[str, str]] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def passed(self) -> set[str]:
        return {k for k, (outcome, _) in self.tests.items() if outcome == "passed"}

    def absorb(self, other: Outcomes) -> None:
        self.tests.update(other.tests)
        self.errors.update(other.errors)
        self.seconds += other.seconds


def test_files(root: Path, patterns: Sequence[str]) -> list[str]:
    """Files below root that fit any of the globs, relative to it."""
    found = {
        p.relative_to(root).as_posix() for pattern in patterns for p in root.glob(pattern)
        if p.is_file() and not any(part.startswith(".") for part in p.relative_to(root).parts)
    }  # fmt: skip
    return sorted(found)


def _run(
    workload: Workload, side: Side, files: list[str], progress: Progress | None = None
) -> Outcomes:
    found = side.run("verify_tests", workload, {"files": files}, progress)
    if found.error:
        return Outcomes(errors=dict.fromkeys(files, found.error), seconds=found.seconds)
    tests = {k: (v[0], v[1]) for k, v in found.facts["tests"].items()}
    return Outcomes(tests, dict(found.facts["errors"]), found.seconds)


def outcomes(
    workload: Workload, side: Side, files: list[str], progress: Progress | None = None
) -> Outcomes:
    """Runs all files in one process, then those that had trouble each in one of their own.

    Test modules of TF1 programs disturb one another (flags defined twice, state of the default
    graph), and one that crashes takes all others with it.
    """
    together = _run(workload, side, files, progress)
    if len(files) == 1:
        return together
    troubled = [
        f for f in files
        if any(key.partition("::")[0] == f for key in together.errors)
        or any(k.partition("::")[0] == f and o == "failed" for k, (o, _) in together.tests.items())
    ]  # fmt: skip
    for done, path in enumerate(troubled):
        if progress is not None:
            progress(done, len(troubled), f"{path} by itself")
        for known in (together.tests, together.errors):
            for key in [k for k in known if k.partition("::")[0] == path]:
                del known[key]  # type: ignore[attr-defined]
        together.absorb(_run(workload, side, [path]))
    return together


def check(
    workload: Workload, before_side: Side, after_side: Side, progress: Progress | None = None
) -> list[Check]:
    """The original's tests and the migrated ones, by file, class and method name."""
    files = test_files(before_side.root, workload.paths)
    name = "unit tests"
    if not files:
        detail = f"no file fits {', '.join(workload.paths)}"
        return [Check(workload.name, name, Status.NOT_RUN, detail=detail)]
    before = outcomes(workload, before_side, files, progress)
    if not before.passed:
        first = next(iter(before.errors.values()), "no test passes")
        return [
            Check(workload.name, name, Status.NOT_RUN, seconds=before.seconds,
                  detail=f"the original: {first}")
        ]  # fmt: skip
    present = [f for f in files if (after_side.root / f).is_file()]
    after = outcomes(workload, after_side, present, progress) if present else Outcomes()
    broken = sorted(before.passed - after.passed)
    details = [
        f"{len(before.passed) - len(broken)} of {len(before.passed)} tests that pass on the "
        "original pass"
    ]
    failing = sorted(k for k, (o, _) in before.tests.items() if o == "failed")
    if failing:
        details.append(f"{len(failing)} fail on the original: {listed(failing)}")
    unread = sorted(before.errors)
    if unread:
        details.append(f"not loadable on the original: {listed(unread)}")
    details += [_reason(test, after) for test in broken[:_SHOWN]]
    if len(broken) > _SHOWN:
        details.append(f"… and {len(broken) - _SHOWN} more")
    status = Status.DIFFERS if broken else Status.EQUAL
    return [
        Check(workload.name, name, status, where=broken[0] if broken else "",
              detail="\n".join(details), seconds=before.seconds + after.seconds)
    ]  # fmt: skip


def _reason(test: str, after: Outcomes) -> str:
    """Why a test that passed does not pass now."""
    path = test.partition("::")[0]
    if test in after.tests:
        outcome, message = after.tests[test]
        return f"{test}: {outcome}: {message}"
    error = after.errors.get(path, "")
    last = (error.strip().splitlines() or [""])[-1]
    return f"{test}: " + (f"its file does not load: {last}" if last else "is not there any more")
