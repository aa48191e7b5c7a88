"""Checks without any description: every module imports as before, every script still has its help."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from migrator.verify.children import Found, Progress, Side
from migrator.verify.compare import listed
from migrator.verify.model_checks import failure
from migrator.verify.records import Check, Status
from migrator.workload.spec import Workload

SECONDS = 60.0  # for one module or script
_SHOWN = 30
_OPTION = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*")


def roots(path: str) -> list[str]:
    """Folders from which a module may be imported: the repository first, then each one above it."""
    parents = [p.as_posix() for p in PurePosixPath(path).parents]
    return ["" if p == "." else p for p in reversed(parents)]


def _run(
    side: Side, workload: Workload, jobs: Sequence[Mapping[str, Any]], progress: Progress | None
) -> Found:
    return side.run("verify_modules", workload, {"jobs": list(jobs), "seconds": SECONDS}, progress)


def imports(
    workload: Workload, before_side: Side, after_side: Side, progress: Progress | None = None
) -> list[Check]:
    """Modules that import on the original import after the migration, from the same folder or from their own
    where that is no package, and define functions and classes of the same names with the same parameters."""
    files = list(workload.paths)
    before = _run(before_side, workload, [{"file": f, "roots": roots(f)} for f in files], progress)
    if before.error:
        return [failure(workload, "modules", before, None)]
    old = dict(zip(files, before.facts["results"], strict=True))
    working = [f for f in files if old[f]["state"] == "ok"]
    after = Found(facts={"results": []})
    if working:
        jobs = [{"file": f, "roots": [old[f]["root"], *_own(f, before_side)]} for f in working]
        after = _run(after_side, workload, jobs, progress)
        if after.error:
            return [failure(workload, "modules", before, after)]
    new = dict(zip(working, after.facts["results"], strict=True))
    tried, lacking = _tried(working, new)
    broken = [f for f in tried if new[f]["state"] != "ok"]
    details = [f"{len(tried) - len(broken)} of {len(tried)} modules that import before import after"]
    details += [f"{f}: {new[f]['error']}{_at(new[f])}" for f in broken[:_SHOWN]]
    if len(broken) > _SHOWN:
        details.append(f"… and {len(broken) - _SHOWN} more")
    details += [
        f"{f}: from {new[f]['root']} only, where its programs start: the support package lies there"
        for f in tried if new[f]["state"] == "ok" and new[f]["root"] != old[f]["root"]
    ]  # fmt: skip
    seconds = before.seconds + after.seconds
    status = Status.DIFFERS if broken else Status.EQUAL if tried else Status.NOT_RUN
    details += _interfaces(old, new, [f for f in tried if f not in broken])
    checks = [
        Check(workload.name, "modules", status, where=broken[0] if broken else "",
              detail="\n".join(details), seconds=seconds)
    ]  # fmt: skip
    failing = [f for f in files if f not in working]
    if failing:
        many = "1 module does" if len(failing) == 1 else f"{len(failing)} modules do"
        lines = [f"{many} not import on the original"]
        lines += [f"{f}: {old[f]['error']}{_at(old[f])}" for f in failing[:_SHOWN]]
        checks.append(
            Check(workload.name, "modules of the original", Status.NOT_RUN, detail="\n".join(lines),
                  left=False)
        )  # fmt: skip
    return [*checks, *_packages(workload, lacking, after_side)]


def _tried(
    working: Sequence[str], new: Mapping[str, Mapping[str, Any]]
) -> tuple[list[str], dict[str, str]]:
    """(modules or scripts that could be tried after the migration, others -> the package that is lacking)."""
    lacking = {f: new[f]["lacks"] for f in working if new[f].get("lacks")}
    return [f for f in working if f not in lacking], lacking


def _packages(workload: Workload, lacking: Mapping[str, str], side: Side) -> list[Check]:
    """What could not be tried because the migrated side's Python has not what the original's has: no fault of
    the migration, and nothing that it was shown to do either. lacking: module or script -> package."""
    if not lacking:
        return []
    names = sorted(set(lacking.values()))
    many = f"{len(lacking)} of them need" if len(lacking) > 1 else "1 of them needs"
    lines = [f"{many} packages that {side.python} has not: {' '.join(names)}", *(
        f"{file}: {name}" for file, name in list(lacking.items())[:_SHOWN]
    )]  # fmt: skip
    return [Check(workload.name, "packages", Status.NOT_RUN, where=names[0], detail="\n".join(lines))]


def _own(path: str, side: Side) -> list[str]:
    """The folder of a module where it is no package: what starts there imports its neighbours from there, and
    a module above that imports this one as part of a package is looked at itself."""
    folder = PurePosixPath(path).parent.as_posix()
    return [] if folder == "." or (side.root / folder / "__init__.py").exists() else [folder]


def _at(result: Mapping[str, Any]) -> str:
    return f", at {' < '.join(reversed(result['at']))}" if result.get("at") else ""


def _interfaces(
    old: Mapping[str, Any], new: Mapping[str, Any], files: Sequence[str]
) -> list[str]:
    """What programs outside of the repository have to call in another way, line by line. That is
    no fault: a step that was a session's is a function of its inputs now."""
    count, changed = 0, []
    for file in files:
        for name, parameters in old[file]["names"].items():
            count += 1
            found = new[file]["names"].get(name)
            if found is None:
                changed.append(f"  {file}: {name}({parameters}) is not there any more")
            elif found != parameters:
                changed.append(f"  {file}: {name}({parameters}) is now {name}({found})")
    if not changed:
        return [f"all {count} functions, classes and methods in them take what they took"]
    head = f"{len(changed)} of {count} functions, classes and methods in them are called in another way:"
    more = [f"  … and {len(changed) - _SHOWN} more"] if len(changed) > _SHOWN else []
    return [head, *changed[:_SHOWN], *more]


def helps(
    workload: Workload, before_side: Side, after_side: Side, progress: Progress | None = None
) -> list[Check]:
    """`--help` of every script: the same exit code, and no option lost."""
    files = list(workload.paths)
    jobs = [{"file": f, "help": True} for f in files]
    before = _run(before_side, workload, jobs, progress)
    if before.error:
        return [failure(workload, "scripts", before, None)]
    old = dict(zip(files, before.facts["results"], strict=True))
    working = [f for f in files if _options(old[f])]
    if not working:
        lines = ["no script says its options on the original"]
        lines += [f"{f}: {_why(old[f])}" for f in files[:_SHOWN]]
        return [
            Check(workload.name, "scripts", Status.NOT_RUN, seconds=before.seconds,
                  detail="\n".join(lines), left=False)
        ]  # fmt: skip
    after = _run(after_side, workload, [{"file": f, "help": True} for f in working], progress)
    if after.error:
        return [failure(workload, "scripts", before, after)]
    new = dict(zip(working, after.facts["results"], strict=True))
    tried, lacking = _tried(working, new)
    wrong = {}
    for file in tried:
        lost = sorted(_options(old[file]) - _options(new[file]))
        if not _options(new[file]):
            wrong[file] = _why(new[file])
        elif lost:
            wrong[file] = f"lost {listed(lost)}"
        elif old[file]["code"] != new[file]["code"]:
            wrong[file] = f"ends with {new[file]['code']}, not {old[file]['code']}"
    details = [f"{len(tried) - len(wrong)} of {len(tried)} scripts have the options that they had"]
    details += [f"{f}: {why}" for f, why in list(wrong.items())[:_SHOWN]]
    silent = [f for f in files if f not in working]
    details += [f"not compared, no options on the original: {f}: {_why(old[f])}" for f in silent[:_SHOWN]]
    status = Status.DIFFERS if wrong else Status.EQUAL if tried else Status.NOT_RUN
    return [
        Check(workload.name, "scripts", status, where=next(iter(wrong), ""), detail="\n".join(details),
              seconds=before.seconds + after.seconds),
        *_packages(workload, lacking, after_side),
    ]  # fmt: skip


def _options(result: Mapping[str, Any]) -> set[str]:
    """The options that a script's help names; none where it crashed."""
    if result["state"] != "ok":
        return set()
    return set(_OPTION.findall(result.get("printed", "")))


def _why(result: Mapping[str, Any]) -> str:
    if result["state"] != "ok":
        return f"{result['error']}{_at(result)}"
    lines = [x for x in result.get("printed", "").splitlines() if x.strip()]
    return f"exit code {result['code']}: {lines[-1].strip()[:200]}" if lines else "prints nothing"
