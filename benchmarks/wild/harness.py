"""Migrates one wild repository, runs its driver's paths before and after, and says how each came out."""

from __future__ import annotations

import ast
import difflib
import enum
import json
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.wild import kit, python2
from migrator import verify
from migrator.engine.options import Options
from migrator.engine.plan import build_plan
from migrator.model import Finding, Plan, Rung, to_json
from migrator.project.copytree import write_copy
from migrator.verify.records import Check, Status
from migrator.workload.spec import Workload

HERE = Path(__file__).resolve().parent
DRIVERS = HERE / "drivers"
_TIMEOUT = 600.0


class WildError(RuntimeError):
    """A repository that cannot be tried; the message says why and what to do."""


class Verdict(str, enum.Enum):
    """How a path came out. FINDING: it fails or differs, and the migration says so at the place.
    SILENT: it fails or differs, and nothing says so. NO_REFERENCE: the original fails itself."""

    EQUAL = "equal"
    FINDING = "finding"
    SILENT = "silent"
    NO_REFERENCE = "no reference"


@dataclass(frozen=True, slots=True)
class PathResult:
    """One path of one repository. runs: whether the migrated program came to its end. cause: what
    failed or differs. finding: "CODE file:line" under which that stands."""

    path: str
    verdict: Verdict
    runs: bool
    cause: str = ""
    finding: str = ""
    checks: tuple[Check, ...] = ()


@dataclass(frozen=True, slots=True)
class RepositoryResult:
    """All paths of a repository; error: why there are none. findings: how many the migration has."""

    name: str
    commit: str
    paths: tuple[PathResult, ...] = ()
    error: str = ""
    findings: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class Driver:
    """A driver file: its repository's address and commit, and the paths by name."""

    name: str
    file: Path
    url: str
    commit: str
    python2: bool
    paths: dict[str, Any]

    @property
    def folder(self) -> str:
        """owner+name, as the sources are laid out."""
        owner, _, name = self.url.removesuffix(".git").rpartition("/")
        return f"{owner.rpartition('/')[2]}+{name}"


def drivers(names: Sequence[str] = ()) -> list[Driver]:
    """The committed drivers, or those of the given names. Raises WildError for an unknown name."""
    sys.modules.setdefault("kit", kit)
    known = {p.stem: p for p in sorted(DRIVERS.glob("[!_]*.py"))}
    for name in names:
        if name not in known:
            raise WildError(f"no driver {name!r}; there are: {', '.join(known)}")
    found = []
    for name in names or known:
        module = kit.load(str(known[name]))
        found.append(
            Driver(name, known[name], module.REPOSITORY, module.COMMIT,
                   getattr(module, "PYTHON2", False), kit.paths(module))
        )  # fmt: skip
    return found


def clone_commands(found: Sequence[Driver]) -> list[str]:
    """Shell commands that lay out the sources at the commits that the drivers were written for."""
    return [
        f"git clone -q {d.url} {d.folder} && git -C {d.folder} checkout -q {d.commit}" for d in found
    ]


def workloads(driver: Driver, chosen: Sequence[str] = ()) -> list[Workload]:
    """The paths as commands; of those not chosen only the ones that others are given files by."""
    unknown = [n for n in chosen if n not in driver.paths]
    if unknown:
        raise WildError(f"{driver.name} has no path {unknown[0]!r}; there are: "
                        f"{', '.join(driver.paths)}")  # fmt: skip
    found = []
    for name, path in driver.paths.items():
        carried = getattr(path, "carried", False)
        if chosen and name not in chosen and not carried:
            continue
        limits = getattr(path, "settings", {})
        command = shlex.join([str(HERE / "kit.py"), str(driver.file), name])
        found.append(
            Workload(
                name, "command", command=f"{{python}} {command} {{out}}", carried=carried,
                tolerance=limits.get("tolerance", 1e-5), timeout=limits.get("timeout", _TIMEOUT),
            )
        )  # fmt: skip
    return found


def original(driver: Driver, sources: Path) -> Path:
    """The tree to begin with. Raises WildError."""
    places = [sources / driver.folder, sources / driver.folder.partition("+")[2]]
    root = next((p for p in places if p.is_dir()), None)
    if root is None:
        raise WildError(f"{driver.folder} is not in {sources}; {clone_commands([driver])[0]}")
    if (root / ".git").exists():
        head = _git(root, "rev-parse", "HEAD")
        if head != driver.commit:
            raise WildError(f"{root} is at {head[:12]}, the driver is for {driver.commit[:12]}")
    return root


def _git(root: Path, *argv: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(root), *argv], capture_output=True, text=True, check=False
    )
    return done.stdout.strip()


def _is_source(root: Path, written: str) -> bool:
    """Whether what a path wrote is a module of the repository, which the driver made smaller."""
    return written.endswith(".py") and (root / written).is_file()


def run(
    driver: Driver,
    sources: Path,
    work: Path,
    reference: verify.Reference,
    python: str,
    chosen: Sequence[str] = (),
    say: Callable[[str], None] = lambda text: None,
) -> RepositoryResult:
    """Tries one repository. work: a folder for the migrated tree and the results, kept.

    Raises:
      WildError: the sources are not there, or at another commit, or a path is not known.
    """
    started = time.monotonic()
    root = original(driver, sources)
    todo = workloads(driver, chosen)
    folder = work / driver.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    say("migrating")
    plan = build_plan(root.resolve(), Options())
    (folder / "plan.json").write_text(to_json(plan), encoding="utf-8")
    write_copy(plan, folder / "after")
    before = python2.translated(root, folder / "before", reference.python) if driver.python2 else root
    verified = verify.run(
        before, folder / "after", todo, reference, verify.Settings(python=python),
        lambda w, done, total, what: say(f"{w.name} ({done + 1} of {total})"),
    )  # fmt: skip
    (folder / "verify.json").write_text(to_json(verified), encoding="utf-8")
    checks = [c for c in verified.checks if not _is_source(root, c.name)]
    results = [
        judged(driver, name, [c for c in checks if c.workload == name], plan)
        for name in (w.name for w in todo)
        if any(c.workload == name for c in checks)
    ]
    result = RepositoryResult(
        driver.name, driver.commit, tuple(results), "", len(plan.findings),
        round(time.monotonic() - started, 1),
    )  # fmt: skip
    (folder / "result.json").write_text(to_json(result), encoding="utf-8")
    return result


def results(work: Path, found: Sequence[Driver]) -> list[RepositoryResult]:
    """What runs left in `work`, in the order of the drivers; those that were not run are left out."""
    kept = []
    for driver in found:
        file = work / driver.name / "result.json"
        if not file.exists():
            continue
        read = json.loads(file.read_text(encoding="utf-8"))
        paths = tuple(
            PathResult(p["path"], Verdict(p["verdict"]), p["runs"], p["cause"], p["finding"])
            for p in read["paths"]
        )
        kept.append(
            RepositoryResult(read["name"], read["commit"], paths, read["error"], read["findings"],
                             read["seconds"])
        )  # fmt: skip
    return kept


def judged(driver: Driver, name: str, checks: Sequence[Check], plan: Plan) -> PathResult:
    """The verdict about one path, from its checks."""
    bad = [c for c in checks if c.status in (Status.DIFFERS, Status.FAILED)]
    ended = [c for c in checks if c.name == "exit code"]
    runs = bool(ended) and ended[0].status is Status.EQUAL
    if not ended or ended[0].status is Status.NOT_RUN:
        cause = _last_line(checks[0].detail)
        return PathResult(name, Verdict.NO_REFERENCE, False, cause, "", tuple(checks))
    if not bad:
        return PathResult(name, Verdict.EQUAL, runs, "", "", tuple(checks))
    cause = "; ".join(_cause(c) for c in bad[:3]) + (f"; and {len(bad) - 3} more" * (len(bad) > 3))
    found = "" if runs else at_traceback(plan, ended[0].detail)
    found = found or declared(driver.paths[name], plan)
    verdict = Verdict.FINDING if found else Verdict.SILENT
    return PathResult(name, verdict, runs, cause, found, tuple(checks))


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip()[:300] if lines else ""


def _cause(check: Check) -> str:
    if check.status is Status.FAILED and check.name == "exit code":
        first = check.detail.splitlines()[0].removeprefix("after the migration: ")
        return f"{first}: {_last_line(check.detail)}"
    by = "" if check.difference is None else f" by {check.difference:.1e}"
    return f"{check.name} {check.status.value}{by}: {check.detail.splitlines()[0][:300]}"


def declared(path: Any, plan: Plan) -> str:
    """The finding that the driver's path says it stands under, if the plan has it."""
    for code, file, _ in getattr(path, "under", []):
        for finding in plan.findings:
            if finding.code == code and finding.path == file:
                return f"{code} {file}:{finding.line}"
    return ""


def at_traceback(plan: Plan, detail: str) -> str:
    """A finding that asks for a person in a function that the traceback went through."""
    first = detail.splitlines()[0]
    if ", at " not in first:
        return ""
    for frame in first.rpartition(", at ")[2].split(" < "):
        path, _, line = frame.rpartition(":")
        for finding in plan.findings:
            if finding.path == path and _asks(finding) and _same_function(plan, path, int(line), finding):
                return f"{finding.code} {path}:{finding.line}"
    return ""


def _asks(finding: Finding) -> bool:
    """Whether a finding says that a person must act; "runs through compat" does not."""
    return finding.rung is Rung.MANUAL


def _same_function(plan: Plan, path: str, line: int, finding: Finding) -> bool:
    """Whether a line of the migrated file and a finding are in one function of the original, or on
    one statement at its top level."""
    (result,) = (f for f in plan.files if f.path == path)
    low = high = line
    if result.new_text is not None:
        low, high = original_lines(result.old_text, result.new_text, line)
    try:
        tree = ast.parse(result.old_text)
    except SyntaxError:
        return low <= finding.line <= high
    for node in tree.body:
        end = node.end_lineno or node.lineno
        if node.lineno <= finding.line <= end and node.lineno <= high and low <= end:
            return True
    return False


def original_lines(old: str, new: str, line: int) -> tuple[int, int]:
    """The 1-based lines of the old text that a line of the new one came from."""
    matcher = difflib.SequenceMatcher(None, old.splitlines(), new.splitlines(), autojunk=False)
    for _, a, b, c, d in matcher.get_opcodes():
        if c < line <= d:
            if b - a == d - c:
                return a + line - c, a + line - c
            return a + 1, max(a + 1, b)
    return 1, 1
