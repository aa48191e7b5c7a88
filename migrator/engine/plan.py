"""Makes the plan for a whole repository: all files, findings and the support package."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from migrator import __version__, support
from migrator.analysis.index import ProjectIndex
from migrator.analysis.module_summary import ModuleSummary
from migrator.engine import ray_pool, workers
from migrator.engine.cache import Cache, engine_digest
from migrator.engine.context import SUPPORT_PACKAGE
from migrator.engine.options import Options
from migrator.engine.pins import plan_pins, setup_module
from migrator.engine.pipeline import migrate_text, used_support
from migrator.engine.registry import load_facts
from migrator.engine.ruleset import RuleSet, load_ruleset
from migrator.model import FileResult, Finding, Plan, Status
from migrator.project.discover import discover
from migrator.project.marker import is_generated
from migrator.project.notebook import decode_module, is_notebook, marks
from migrator.project.source import SourceError, SourceFile, read_bytes

Progress = Callable[[int, int, str], None]
# An import of TensorFlow, also in Python 2 and inside of functions.
_IMPORTS = re.compile(r"^[ \t]*(?:import|from)[ \t]+(?:tensorflow|tf_slim|tf1_support)\b", re.MULTILINE)
# The rules about what has rotted around TensorFlow 1: none of our business where there is none.
_AROUND = frozenset(("PY", "DEP", "PB"))
# A syntax tree takes about 1 kB for each of these: 250,000 fit into a worker's 300 MB. The largest
# module of 20 large packages (benchmarks/fuzz.py) has 65,000.
_SEPARATORS = ",([{=.+-*"
_MOST_PARTS = 250_000
_SHIPPED_AT_ONCE = 8  # files in one message to a worker of a cluster


@dataclass(frozen=True)
class _Scanned:
    """One file after the indexing phase."""

    path: str
    summary: ModuleSummary | None
    support: frozenset[str]
    sha256: str
    failure: FileResult | None = None
    is_support: bool = False
    tensorflow: bool = False


class _Job:
    """What worker processes share."""

    root: Path
    options: Options
    rules: RuleSet
    index: ProjectIndex
    cache: Cache | None
    facts: dict[str, Callable[..., object]]


def _set_up(root: Path, options: Options, index: ProjectIndex | None) -> None:
    _Job.root = root
    _Job.options = options
    _Job.facts = load_facts()
    _Job.rules = load_ruleset(options)
    _Job.index = index or ProjectIndex()
    _Job.cache = None
    if options.cache_dir is not None:
        _Job.cache = Cache.of(options.cache_dir, _Job.rules.digest, options.digest())


Shipped = tuple[bytes, int] | SourceError  # a file's bytes and mode, or why it cannot be read


def _ship(root: Path, path: str) -> Shipped:
    """A file for a worker on another machine, which need not see our disk."""
    try:
        return read_bytes(root / path)
    except SourceError as error:
        return error


def _read(path: str, shipped: Shipped | None) -> SourceFile:
    if isinstance(shipped, SourceError):
        raise shipped
    data, mode = shipped or read_bytes(_Job.root / path)
    return decode_module(data, _Job.root / path, mode)


def _set_up_elsewhere(
    root: Path, options: Options, index: ProjectIndex | None, digest: str
) -> None:
    """`_set_up` on a machine whose migrator may be another one."""
    if engine_digest() != digest:
        raise RuntimeError(
            "this machine of the cluster has another migrator installed; install the same one "
            "on all of them"
        )
    sys.setrecursionlimit(max(20_000, sys.getrecursionlimit()))
    _set_up(root, options, index)


def _scan(path: str, shipped: Shipped | None = None) -> _Scanned:
    try:
        source = _read(path, shipped)
    except SourceError as error:
        return _Scanned(path, None, frozenset(), "", _unreadable(path, error))
    if is_generated(source.text):
        return _Scanned(path, None, frozenset(), source.sha256, is_support=True)
    parts = sum(map(source.text.count, _SEPARATORS))
    if parts > _MOST_PARTS:
        return _Scanned(path, None, frozenset(), source.sha256, _data(path, source.sha256, parts))
    summary = ModuleSummary.of(path, source.text, _Job.facts)
    return _Scanned(
        path, summary, used_support(source.text), source.sha256,
        tensorflow=imports_tensorflow(source.text),
    )  # fmt: skip


def _migrate(path: str, shipped: Shipped | None = None) -> FileResult:
    try:
        source = _read(path, shipped)
    except SourceError as error:
        return _unreadable(path, error)
    key = ""
    if _Job.cache is not None:
        key = _Job.cache.key(path, source.sha256, _Job.index.digest(path))
        stored = _Job.cache.get(key, source.text)
        if stored is not None:
            return stored
    result = migrate_text(
        path, source.text, _Job.index, _Job.options.at(path), _Job.rules, source.sha256
    )
    if is_notebook(path) and result.new_text and marks(result.new_text) != marks(source.text):
        result = _unsplittable(result)
    if _Job.cache is not None:
        _Job.cache.put(key, result)
    return result


def _data(path: str, sha256: str, parts: int) -> FileResult:
    """A module that is data: its syntax tree would take more memory than a worker may."""
    finding = Finding(
        "TF001", path, 1, 0,
        f"has about {parts:,} parts, over the limit of {_MOST_PARTS:,}; it was not looked at",
        "Keep data in a data file, or exclude it.",
    )  # fmt: skip
    return FileResult(path, Status.SKIPPED, sha256, findings=(finding,))


def _unsplittable(result: FileResult) -> FileResult:
    """A notebook whose new text has lost its cells stays as it is."""
    finding = Finding(
        "TF000", result.path, 1, 0,
        "the notebook was left as it is: its new code crosses the boundaries of its cells",
        "Put the cells that build and run the graph into one, then migrate again.",
    )  # fmt: skip
    return replace(
        result, status=Status.UNCHANGED, new_text=None, changes=(), support=frozenset(),
        findings=(*result.findings, finding),
    )  # fmt: skip


def _unreadable(path: str, error: SourceError) -> FileResult:
    line = error.line or 1
    finding = Finding(
        "TF001",
        path,
        line,
        0,
        error.message,
        "Correct the file and run again; it was left as it is.",
    )
    return FileResult(
        path, Status.FAILED, findings=(finding,), error=f"{path}:{line}: {error.message}"
    )


def _died(path: str, why: str) -> FileResult:
    return FileResult(path, Status.FAILED, error=f"{path}:1: {why}")


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
    rules = load_ruleset(options)
    left_out: list[Finding] = []
    paths = sorted({_relative(path, root) for path in discover(root, report=left_out.append)})
    scanned = {item.path: item for item in _phase(_scan, paths, root, options, None)}
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
    for result in _phase(_migrate, todo, root, options, index):
        results[result.path] = result
        if progress is not None:
            progress(len(results), len(chosen), result.path)
    for finding in left_out:
        if finding.path not in results and not options.only_files:
            results[finding.path] = FileResult(
                finding.path, Status.SKIPPED, findings=(finding,), error=finding.message
            )
    results = {path: _without_missing(result) for path, result in results.items()}
    if not options.only_files and _uses_tensorflow(results):
        results = {path: setup_module(result, options) for path, result in results.items()}
        results |= {result.path: result for result in plan_pins(root, options)}
    if rules.load_errors:
        _report_load_errors(results, rules)
    files = tuple(results[path] for path in sorted(results))
    users = {path: item.support for path, item in scanned.items()}
    users.update({f.path: f.support for f in files if f.status is not Status.FAILED})
    return Plan(
        str(root),
        files,
        support_files(root, users, index),
        {**options.as_dict(), "tensorflow": tensorflow},
        __version__,
    )


def summaries(root: Path, options: Options) -> tuple[dict[str, ModuleSummary], bool]:
    """What the index keeps of every readable module below `root`, by relative path; whether any
    of them imports TensorFlow."""
    paths = [_relative(path, root) for path in discover(root)]
    scanned = list(_phase(_scan, paths, root, options, None))
    found = {item.path: item.summary for item in scanned if item.summary is not None}
    return found, any(item.tensorflow for item in scanned)


def imports_tensorflow(text: str) -> bool:
    """Whether a module imports TensorFlow anywhere."""
    return _IMPORTS.search(text) is not None


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


def _phase(function, paths, root, options, index):  # type: ignore[no-untyped-def]
    if options.engine == "ray":
        return ray_pool.run(
            function,
            sorted(paths),
            _set_up_elsewhere,
            (root, options, index, engine_digest()),
            _died if function is _migrate else _died_scanning,
            ray_pool.Cluster(options.address, options.jobs),
            load=partial(_ship, root),
            chunk=_SHIPPED_AT_ONCE,
        )
    _set_up(root, options, index)  # before the fork, so that workers share it
    return workers.run(
        function,
        sorted(paths),
        options.jobs,
        _set_up,
        (root, options, index),
        _died if function is _migrate else _died_scanning,
    )


def _died_scanning(path: str, why: str) -> _Scanned:
    return _Scanned(path, None, frozenset(), "", _died(path, why))


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


def _report_load_errors(results: dict[str, FileResult], rules: RuleSet) -> None:
    """A transform module that cannot be imported concerns every file; say it on the first."""
    for error in rules.load_errors:
        path = min(results, default="")
        if not path:
            return
        finding = Finding(
            "TF000",
            path,
            1,
            0,
            f"the transforms of migrator.transforms.{error.module} could not be loaded: "
            f"{error.error}",
            "The installation of migrator is damaged or incomplete; install it again.",
        )
        results[path] = replace(results[path], findings=(finding, *results[path].findings))


def support_files(
    root: Path, users: dict[str, frozenset[str]], index: ProjectIndex
) -> tuple[tuple[str, str], ...]:
    """(path relative to the root, text) of support modules that differ from what is on disk.

    Each import root whose files use the support package gets its own, with the union of their
    symbols.
    """
    by_root: dict[str, set[str]] = {}
    for path, symbols in users.items():
        known = {symbol for symbol in symbols if has_support(symbol)}
        if known:
            by_root.setdefault(index.support_root(path), set()).update(known)
    if not by_root:
        return ()
    found: list[tuple[str, str]] = []
    for base in sorted(by_root):
        rendered = support.render(by_root[base])
        for name, text in sorted(rendered.items()):
            relative = "/".join(part for part in (base, SUPPORT_PACKAGE, name) if part)
            if _on_disk(root / relative) != text:
                found.append((relative, text))
    return tuple(found)


def has_support(symbol: str) -> bool:
    """Whether the support package can render a symbol (or something deeper in one)."""
    return support.has(symbol)


def _without_missing(result: FileResult) -> FileResult:
    """`result` with a finding for each support symbol it uses that there is none of."""
    missing = sorted(symbol for symbol in result.support if not has_support(symbol))
    if not missing:
        return result
    findings = [
        Finding(
            "TF003",
            result.path,
            1,
            0,
            f"the support package has no {symbol}",
            "Write what this file uses it for in TensorFlow 2 by hand.",
            symbol,
        )
        for symbol in missing
    ]
    return replace(result, findings=(*result.findings, *findings))


def _on_disk(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def files_with(plan: Plan, status: Status) -> Iterable[FileResult]:
    """The files of a plan that ended with `status`."""
    return (item for item in plan.files if item.status is status)
