"""Makes the plan for a whole repository: all files, findings and the support package."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from migrator import __version__
from migrator.analysis.index import ProjectIndex
from migrator.analysis.module_summary import ModuleSummary
from migrator.analysis.support_places import support_places
from migrator.engine import ray_pool, workers
from migrator.engine.cache import engine_digest
from migrator.engine.linemap import LineMap
from migrator.engine.options import Options
from migrator.engine.registry import LoadError
from migrator.engine.remembered import Remembered
from migrator.engine.scanned import SUPPORT_PACKAGE, Scanned
from migrator.model import FileResult, Finding, Plan, Status
from migrator.project.discover import discover
from migrator.project.marker import GENERATED_MARKER
from migrator.project.tree import text_of

# What parses and rewrites (file_jobs, ruleset, pins) is imported where it is needed: a run that
# finds everything in the cache starts without it.

Progress = Callable[[int, int, str], None]
# The rules about what has rotted around TensorFlow 1: none of our business where there is none.
_AROUND = frozenset(("PY", "DEP", "PB"))
# The support package of a folder on sys.path that is not the one which holds it.
_POINTER = '''{marker} - leads to the package itself, for programs that have this folder on sys.path.
"""The support package of this repository; it lies in {up}."""

from os.path import abspath, dirname, join, normpath

__path__ = [normpath(join(dirname(abspath(__file__)), "{up}"))]
'''
_SHIPPED_AT_ONCE = 8  # files in one message to a worker of a cluster


def build_plan(root: Path, options: Options, progress: Progress | None = None) -> Plan:
    """What a migration of the tree below `root` would do; nothing is written.

    `progress(done, total, path)` is called after each file. Files come out sorted by path, the
    same whatever the number of processes. Raises FileNotFoundError or NotADirectoryError for a
    bad root, PackError for a bad rule pack, and RayError for a cluster that cannot be used;
    trouble with single files is in the plan.
    """
    root = Path(root).resolve()
    if not root.exists():
        raise FileNotFoundError(f"{root} does not exist")
    if not root.is_dir():
        raise NotADirectoryError(f"{root} is not a directory")
    with _engine(options):
        return _build(root, options, progress)


def _engine(options: Options) -> AbstractContextManager[None]:
    """A connection to the Ray cluster for both phases, where one is asked for."""
    if options.engine != "ray":
        return nullcontext()
    return ray_pool.connected(ray_pool.Cluster(options.address, options.jobs))


def _build(root: Path, options: Options, progress: Progress | None) -> Plan:
    left_out: list[Finding] = []
    paths = sorted({_relative(path, root) for path in discover(root, report=left_out.append)})
    remembered = Remembered(root, options.cache_dir, paths)
    scanned = _scan(paths, root, options, remembered, twice=True)
    readable = {
        path: item.summary for path, item in scanned.items() if item.summary is not None
    }
    index = ProjectIndex.assemble(readable, root)
    tensorflow = any(item.tensorflow for item in scanned.values())
    options = where_used(options, tensorflow)
    chosen = _chosen(paths, root, options)
    results: dict[str, FileResult] = {}
    todo: list[str] = []
    for path in chosen:
        item = scanned[path]
        if item.failure is not None:
            results[path] = item.failure
        elif item.is_support:
            results[path] = FileResult(path, Status.SKIPPED, item.sha256)
        else:
            todo.append(path)
    for result in _migrate(todo, root, options, index, remembered):
        results[result.path] = result
        if progress is not None:
            progress(len(results), len(chosen), result.path)
    for finding in left_out:
        if finding.path not in results and not options.only_files:
            results[finding.path] = FileResult(
                finding.path, Status.SKIPPED, findings=(finding,), error=finding.message
            )
    users = {path: item.support for path, item in scanned.items()}
    users |= {f.path: f.support for f in results.values() if f.status is not Status.FAILED}
    supported = remembered.with_support(symbol for used in users.values() for symbol in used)
    results = {path: _without_missing(item, supported) for path, item in results.items()}
    if not options.only_files and _uses_tensorflow(results):
        from migrator.engine.pins import plan_pins, setup_module

        results = {path: setup_module(result, options) for path, result in results.items()}
        results |= {result.path: result for result in plan_pins(root, options)}
    files = tuple(results[path] for path in sorted(results))
    inits = (f"{SUPPORT_PACKAGE}/__init__.py", f"/{SUPPORT_PACKAGE}/__init__.py")
    existing = {
        path.removesuffix(inits[0]).rstrip("/") for path, item in scanned.items()
        if item.is_support and (path == inits[0] or path.endswith(inits[1]))
    }
    return Plan(
        str(root),
        files,
        support_files(root, users, index, supported, remembered.support, existing),
        {**options.as_dict(), "tensorflow": tensorflow},
        __version__,
    )


def _scan(
    paths: list[str], root: Path, options: Options, remembered: Remembered, twice: bool = False
) -> dict[str, Scanned]:
    """The first look at each file, by path; `twice` where `_migrate` follows."""
    found = {path: item for path in paths if (item := remembered.scanned(path)) is not None}
    new = [path for path in paths if path not in found]
    if new:
        from migrator.engine import file_jobs

        file_jobs.keep_trees(twice and _in_this_process(options, new))
        for item in _phase(file_jobs.scan, new, root, options, None, file_jobs.died_scanning):
            found[item.path] = item
            remembered.keep_scanned(item)
    return found


def _migrate(
    paths: list[str], root: Path, options: Options, index: ProjectIndex, remembered: Remembered
) -> Iterator[FileResult]:
    """What each file becomes, in any order. Raises PackError."""
    remembered.rules(options)
    new = []
    for path in paths:
        result = remembered.result(path, index)
        if result is None:
            new.append(path)
        else:
            yield result
    if paths and not new:
        return
    from migrator.engine import file_jobs
    from migrator.engine.ruleset import load_ruleset

    errors = load_ruleset(options).load_errors
    for result in _phase(file_jobs.migrate, new, root, options, index, file_jobs.died):
        if not errors:
            remembered.keep_result(result, index)
        elif result.path == min(new):  # they concern every file; said on one
            said = (_damaged(result.path, error) for error in errors)
            result = replace(result, findings=(*said, *result.findings))
        yield result
    file_jobs.keep_trees(False)


def summaries(root: Path, options: Options) -> tuple[dict[str, ModuleSummary], bool]:
    """What the index keeps of every readable module below `root`, by relative path; whether any
    of them imports TensorFlow."""
    paths = sorted({_relative(path, root) for path in discover(root)})
    scanned = _scan(paths, root, options, Remembered(root, options.cache_dir, paths)).values()
    found = {item.path: item.summary for item in scanned if item.summary is not None}
    return found, any(item.tensorflow for item in scanned)


def where_used(options: Options, tensorflow: bool) -> Options:
    """The options for a tree that has TensorFlow in it, or none: then what has rotted around
    TensorFlow 1 elsewhere is left alone, unless it is selected."""
    if tensorflow or options.select:
        return options
    return replace(options, ignore=options.ignore | _AROUND)


def _uses_tensorflow(results: dict[str, FileResult]) -> bool:
    """Whether anything in the tree was TensorFlow 1's, so that its pins must move."""
    return any(
        any(change.code.startswith("TF") for change in result.changes)
        or any(finding.code.startswith("TF") for finding in result.findings)
        for result in results.values()
    )


def _in_this_process(options: Options, paths: list[str]) -> bool:
    return options.engine != "ray" and workers.worker_count(options.jobs, len(paths)) == 1


def _phase(
    function: Callable[..., Any],
    paths: list[str],
    root: Path,
    options: Options,
    index: ProjectIndex | None,
    died: Callable[[str, str], Any],
) -> Iterator[Any]:
    from migrator.engine import file_jobs

    if options.engine == "ray":
        return ray_pool.run(
            function,
            sorted(paths),
            file_jobs.set_up_elsewhere,
            (root, options, index, engine_digest()),
            died,
            ray_pool.Cluster(options.address, options.jobs),
            load=partial(file_jobs.ship, root),
            chunk=_SHIPPED_AT_ONCE,
        )
    file_jobs.set_up(root, options, index)  # before the fork, so that workers share it
    arguments = (root, options, index)
    return workers.run(
        function, sorted(paths), options.jobs, file_jobs.set_up, arguments, died
    )


def _relative(path: Path, root: Path) -> str:
    path = Path(path)
    if path.is_absolute():
        path = path.relative_to(root)
    return path.as_posix()


def _chosen(paths: list[str], root: Path, options: Options) -> list[str]:
    if not options.only_files:
        return paths
    wanted = {
        _relative(path if path.is_absolute() else root / path, root)
        for path in options.only_files
    }
    return [path for path in paths if path in wanted]


def _damaged(path: str, error: LoadError) -> Finding:
    """A transform module that cannot be imported."""
    return Finding(
        "TF000", path, 1, 0,
        f"the transforms of migrator.transforms.{error.module} could not be loaded: "
        f"{error.error}",
        "The installation of migrator is damaged or incomplete; install it again.",
    )  # fmt: skip


def support_files(
    root: Path,
    users: Mapping[str, frozenset[str]],
    index: ProjectIndex,
    supported: frozenset[str],
    render: Callable[[Iterable[str]], Mapping[str, str]],
    existing: Iterable[str] = (),
) -> tuple[tuple[str, str], ...]:
    """(path relative to the root, text) of support modules that differ from what is on disk.

    One package has all the `supported` symbols that any file uses; other folders from which modules
    are imported get one that leads to it (`analysis.support_places`). `existing`: folders that hold
    a package already.
    """
    known = {path: symbols & supported for path, symbols in users.items()}
    needed = frozenset[str]().union(*known.values()) if known else frozenset()
    if not needed:
        return ()
    places = support_places(index, (path for path, symbols in known.items() if symbols), existing)
    texts = {_joined(places.home, SUPPORT_PACKAGE, n): text for n, text in render(needed).items()}
    for folder in places.pointers:
        up = os.path.relpath(places.home or ".", _joined(folder, SUPPORT_PACKAGE)).replace(os.sep, "/")
        texts[_joined(folder, SUPPORT_PACKAGE, "__init__.py")] = _POINTER.format(
            marker=GENERATED_MARKER, up=_joined(up, SUPPORT_PACKAGE)
        )
    return tuple((path, text) for path, text in sorted(texts.items()) if text_of(root, path) != text)


def _joined(*parts: str) -> str:
    return "/".join(part for part in parts if part)


def _without_missing(result: FileResult, supported: frozenset[str]) -> FileResult:
    """`result` with a finding for each support symbol it uses that there is none of, at the line that
    uses it; what a finding says already is not said twice."""
    missing = [
        symbol for symbol in sorted(result.support - supported)
        if not any(f.symbol.endswith("." + symbol.partition(".")[2]) for f in result.findings)
    ]  # fmt: skip
    if not missing:
        return result
    text = result.old_text if result.new_text is None else result.new_text
    back = LineMap(result.old_text, text)
    findings = [
        Finding(
            "TF003",
            result.path,
            back.original(_line_of(symbol, text)),
            0,
            f"the support package has no {symbol}",
            "Write what this file uses it for in TensorFlow 2 by hand.",
            symbol,
        )
        for symbol in missing
    ]
    return replace(result, findings=(*result.findings, *findings))


def _line_of(symbol: str, text: str) -> int:
    """The first line that has a symbol, or as much of its end as stands anywhere (imported, renamed)."""
    lines = text.splitlines()
    while symbol:
        found = [n for n, line in enumerate(lines, 1) if symbol in line]
        if found:
            return found[0]
        symbol = symbol.partition(".")[2]
    return 1
