"""Makes the plan for a whole repository: all files, findings and the support package."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from migrator import __version__
from migrator.analysis.index import ProjectIndex
from migrator.analysis.packed import Summaries
from migrator.engine import ray_pool, workers
from migrator.engine.cache import engine_digest
from migrator.engine.looked import Looked
from migrator.engine.migrated import Migrated
from migrator.engine.options import Options
from migrator.engine.registry import LoadError
from migrator.engine.remembered import Remembered
from migrator.engine.scanned import Scanned
from migrator.engine.support_plan import (
    names_of,
    needed_symbols,
    packaged,
    support_files,
    vendored_files,
)
from migrator.model import FileResult, Finding, Plan, Status
from migrator.project.discover import discover, mentions_tensorflow, survey
from migrator.project.results import Results
from migrator.support import names_read

# What parses and rewrites (file_jobs, ruleset, pins) is imported where it is needed: a run that
# finds everything in the cache starts without it.

Progress = Callable[[int, int, str], None]
# The rules about what has rotted around TensorFlow 1: none of our business where there is none.
_AROUND = frozenset(("PY", "DEP", "PB"))
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
    seen = survey(root)
    paths = sorted({_relative(path, root) for path in seen.files})
    remembered = Remembered(root, options.cache_dir, paths)
    summaries = Summaries()
    scanned = _scan(paths, root, options, remembered, summaries, twice=True)
    index = ProjectIndex.assemble(summaries, root)
    tensorflow = any(item.tensorflow for item in scanned.values())
    options = where_used(options, tensorflow)
    chosen = _chosen(paths, root, options)
    results = Results()
    files = Looked(results)  # for the check, where there is one
    todo: list[str] = []
    for path in chosen:
        item = scanned[path]
        if item.failure is not None:
            results.put(item.failure)
        elif item.is_support:
            results.put(FileResult(path, Status.SKIPPED, item.sha256))
        else:
            todo.append(path)
    for made in _migrate(todo, root, options, index, remembered):
        if index.uses_tensorflow:
            files[made.result.path] = made
        else:
            results.put(made.result)
        if progress is not None:
            progress(len(results), len(chosen), made.result.path)
    used = {path: item.support for path, item in scanned.items()}
    if index.uses_tensorflow:
        settled = remembered.settled(results)
        if settled is None:
            from migrator.engine.checking import check

            settled = check(files, used, root, options, index, remembered)
            remembered.keep_settled(settled)
        del files
        for result in settled.values():
            results.put(result)
    users = dict(used)
    reads = {path: item.reads for path, item in scanned.items()}
    same: dict[frozenset[str], frozenset[str]] = {}  # many use the same of it
    uses_tensorflow = False
    for result in results:
        uses_tensorflow = uses_tensorflow or _uses_tensorflow(result)
        if result.status is not Status.FAILED:
            users[result.path] = same.setdefault(result.support, result.support)
        if result.new_text is not None:
            reads[result.path] = names_read(result.new_text)
    supported = remembered.with_support(names_of(users))
    rendered = remembered.support(
        needed_symbols(users, supported), frozenset[str]().union(*reads.values())
    )
    vendored = vendored_files(_relative(path, root) for path in seen.generated)
    package = packaged(options, lambda: False, vendored)
    if not options.only_files:
        for finding in (f for f in seen.findings if not results.has(f.path)):
            results.put(_left_out(root, finding, seen.places.get(finding.path, finding.path)))
    asked = rendered and (options.support or not vendored)  # a tree that was migrated may be another's
    if not options.only_files and (uses_tensorflow or asked):
        from migrator.engine import pins

        read = (r.new_text or r.old_text for r in results)
        needed = pins.needs(chain(read, rendered.values()))
        lists = pins.listings(root)
        package = packaged(options, lambda: pins.pins_support(lists), vendored)
        if package and rendered:
            needed |= {pins.SUPPORT}
        setups = list(filter(pins.is_setup, chosen))
        for path in setups:
            results.put(pins.setup_module(results.get(path), options, needed))
        listing, listed = pins.plan_pins(lists, options, needed)
        for result in listing:
            results.put(result)
        if not listed and not any(pins.lists_tensorflow(results.get(path)) for path in setups):
            told = pins.unlisted(results, needed, options, lists)
            if told is not None:
                results.put(told)
        if package and rendered and not pins.will_pin_support(lists, results):
            told = pins.unpinned(results)
            if told is not None:
                results.put(told)
        from migrator.engine.compiled_code import compiled_before

        for told in list(compiled_before(results, root, options)):
            results.put(told)
    if not package:
        using = (path for path, symbols in users.items() if symbols)
        support = support_files(root, using, index, rendered, vendored)
    else:
        support = tuple((path, "") for path in vendored if not options.only_files)
    return Plan(
        str(root), results.done(), support, {**options.as_dict(), "tensorflow": tensorflow}, __version__
    )


def _left_out(root: Path, finding: Finding, place: str) -> FileResult:
    """What is said of a file that was not looked at: it failed, if it is one for us."""
    status = Status.FAILED if mentions_tensorflow(root, place) else Status.SKIPPED
    error = f"{finding.path}:1: {finding.message}"
    return FileResult(finding.path, status, findings=(finding,), error=error)


def _scan(
    paths: list[str], root: Path, options: Options, remembered: Remembered, summaries: Summaries,
    twice: bool = False,
) -> dict[str, Scanned]:  # fmt: skip
    """The first look at each file, by path, its summary put into `summaries`; `twice` where
    `_migrate` follows."""
    found: dict[str, Scanned] = {}

    def take(item: Scanned) -> None:
        if item.summary is not None:
            summaries[item.path] = item.summary
        found[item.path] = replace(item, summary=None)

    new = []
    for path in paths:
        known = remembered.scanned(path)
        if known is None:
            new.append(path)
        else:
            take(known)
    if new:
        from migrator.engine import file_jobs

        file_jobs.keep_trees(twice and _in_this_process(options, new))
        for item in _phase(file_jobs.scan, new, root, options, None, file_jobs.died_scanning):
            remembered.keep_scanned(item)
            take(item)
    return found


def _migrate(
    paths: list[str], root: Path, options: Options, index: ProjectIndex, remembered: Remembered
) -> Iterator[Migrated]:
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
    for made in _phase(file_jobs.migrate, new, root, options, index, file_jobs.died):
        result = made.result
        if not errors:
            remembered.keep_result(made, index)
        elif result.path == min(new):  # they concern every file; said on one
            said = (_damaged(result.path, error) for error in errors)
            made = replace(made, result=replace(result, findings=(*said, *result.findings)))
        yield made
    file_jobs.keep_trees(False)


def summaries(root: Path, options: Options) -> tuple[Summaries, bool]:
    """What the index keeps of every readable module below `root`, by relative path; whether any
    of them imports TensorFlow."""
    paths = sorted({_relative(path, root) for path in discover(root)})
    found = Summaries()
    scanned = _scan(paths, root, options, Remembered(root, options.cache_dir, paths), found)
    return found, any(item.tensorflow for item in scanned.values())


def where_used(options: Options, tensorflow: bool) -> Options:
    """The options for a tree that has TensorFlow in it, or none: then what has rotted around
    TensorFlow 1 elsewhere is left alone, unless it is selected."""
    if tensorflow or options.select:
        return options
    return replace(options, ignore=options.ignore | _AROUND)


def _uses_tensorflow(result: FileResult) -> bool:
    """Whether anything in a file was TensorFlow 1's, so that the tree's pins must move."""
    return any(change.code.startswith("TF") for change in result.changes) or any(
        finding.code.startswith("TF") for finding in result.findings
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
