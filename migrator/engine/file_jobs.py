"""The two looks at a file that worker processes take: what is in it, and what it becomes."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

from migrator.analysis import tree_walk
from migrator.analysis.api import Api
from migrator.analysis.facts import load_facts
from migrator.analysis.index import ProjectIndex
from migrator.analysis.module_summary import ModuleSummary
from migrator.analysis.parsed import Kept, Parsed
from migrator.analysis.py2_syntax import NotPython2, looks_like_python2, translate
from migrator.check import files as check
from migrator.check.places import Snapshot
from migrator.engine import cst_walk, standalone_keras
from migrator.engine.cache import engine_digest
from migrator.engine.migrated import Attempt, Held, Migrated
from migrator.engine.options import Options
from migrator.engine.pipeline import migrate_text
from migrator.engine.ruleset import RuleSet, load_ruleset
from migrator.engine.scanned import SUPPORT_PACKAGE, Scanned, imports_tensorflow
from migrator.engine.support_use import used_support
from migrator.model import FileResult, Finding, Status
from migrator.project.discover import WORDS
from migrator.project.marker import is_generated
from migrator.project.notebook import decode_module, is_notebook, marks
from migrator.project.source import MAX_BYTES, SourceError, SourceFile
from migrator.project.tree import read
from migrator.support import names_read

# A syntax tree takes about 1 kB for each of these: 250,000 fit into a worker's 300 MB. The largest
# module of 20 large packages (benchmarks/fuzz.py) has 65,000.
_SEPARATORS = ",([{=.+-*"
_MOST_PARTS = 250_000
# What one process parses for both looks: its trees take some 80 MB then.
_KEPT_CHARACTERS = 2_500_000

Shipped = tuple[bytes, int] | SourceError  # a file's bytes and mode, or why it cannot be read


class _Job:
    """What worker processes share."""

    root: Path
    options: Options
    rules: RuleSet
    index: ProjectIndex
    facts: dict[str, Callable[..., object]]
    kept: Kept | None = None
    world: check.World | None = None


def set_up(root: Path, options: Options, index: ProjectIndex | None) -> None:
    """Prepare this process for `scan` (no index), or for `migrate`. Raises PackError."""
    _Job.root = root
    _Job.options = options
    if index is None:
        _Job.facts = load_facts()
    else:
        _Job.rules = load_ruleset(options)
        _Job.index = index
        _Job.world = world_of(index, _Job.rules) if index.uses_tensorflow else None


def world_of(index: ProjectIndex, rules: RuleSet) -> check.World:
    """What the check needs to know besides the files."""
    return check.World(
        snapshot(rules.tf1), snapshot(rules.tf2), frozenset(standalone_keras.known()),
        index.tops | {"tensorflow", "keras", SUPPORT_PACKAGE},
    )  # fmt: skip


@cache
def snapshot(api: Api) -> Snapshot:
    """The places of an API snapshot, found once for each process."""
    return Snapshot(api)


def keep_trees(wanted: bool) -> None:
    """Whether this process takes both looks, so that `migrate` may have the trees of `scan`."""
    _Job.kept = Kept(_KEPT_CHARACTERS) if wanted else None


def set_up_elsewhere(
    root: Path, options: Options, index: ProjectIndex | None, digest: str
) -> None:
    """`set_up` on a machine whose migrator may be another one."""
    if engine_digest() != digest:
        raise RuntimeError(
            "this machine of the cluster has another migrator installed; install the same one "
            "on all of them"
        )
    sys.setrecursionlimit(max(20_000, sys.getrecursionlimit()))
    set_up(root, options, index)


def ship(root: Path, path: str) -> Shipped:
    """A file for a worker on another machine, which need not see our disk."""
    try:
        return read(root, path)
    except SourceError as error:
        return error


def _read(path: str, shipped: Shipped | None) -> SourceFile:
    if isinstance(shipped, SourceError):
        raise shipped
    data, mode = shipped or read(_Job.root, path)
    return decode_module(data, _Job.root / path, mode)


def scan(path: str, shipped: Shipped | None = None) -> Scanned:
    """The first look at a file: what others may ask about it. What goes wrong there is the file's own."""
    try:
        return _scan(path, shipped)
    except Exception as error:
        return died_scanning(path, _why(error))


def _why(error: Exception) -> str:
    """What is said of a file that we could not cope with."""
    if isinstance(error, (RecursionError, MemoryError)):
        return "statements or expressions are nested too deeply; split them up"
    return f"internal error, {type(error).__name__}: {error}"


def _scan(path: str, shipped: Shipped | None) -> Scanned:
    try:
        source = _read(path, shipped)
    except SourceError as error:
        return Scanned(path, None, failure=_unreadable(path, error))
    if is_generated(source.text):
        return Scanned(path, None, sha256=source.sha256, is_support=True)
    if (failure := too_large(path, source.text, source.sha256)) is not None:
        reads = names_read(source.text)
        return Scanned(path, None, sha256=source.sha256, failure=failure, reads=reads)
    parsed: Parsed | None
    try:
        parsed = Parsed(source.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        parsed = None  # the summary says why
    if parsed is not None and _Job.kept is not None:
        _Job.kept.keep(path, parsed)
    summary = summary_of(path, source.text, _Job.facts, parsed)
    tree_walk.forget()
    return Scanned(
        path, summary, used_support(source.text, parsed), source.sha256,
        tensorflow=imports_tensorflow(source.text), reads=names_read(source.text),
    )  # fmt: skip


def summary_of(
    path: str, text: str, facts: dict[str, Callable[..., object]], parsed: Parsed | None = None
) -> ModuleSummary:
    """What the index keeps of a module; of one of Python 2, what it is once it is translated."""
    if parsed is None and looks_like_python2(text):
        try:
            translated = Parsed(translate(text)[0])
        except (NotPython2, SyntaxError, ValueError, RecursionError, MemoryError):
            return ModuleSummary.of(path, text, facts)
        found = ModuleSummary.of(path, translated.text, facts, translated)
        sha256 = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        return replace(found, sha256=sha256, python2="Python 2 syntax", python3=False)
    return ModuleSummary.of(path, text, facts, parsed)


def migrate(path: str, shipped: Shipped | None = None) -> Migrated:
    """The second look at a file: what it becomes."""
    return migrate_without(path, Held(), shipped)


def migrate_without(path: str, held: Held, shipped: Shipped | None = None) -> Migrated:
    """`migrate`, but for what is held."""
    try:
        source = _read(path, shipped)
    except SourceError as error:
        return Migrated(_unreadable(path, error))
    parsed = _Job.kept.take(path, source.text) if _Job.kept is not None else None
    attempt = Attempt(held)
    result = migrate_text(
        path, source.text, _Job.index, _Job.options.at(path), _Job.rules, source.sha256, parsed,
        attempt,
    )  # fmt: skip
    if is_notebook(path) and result.new_text and marks(result.new_text) != marks(source.text):
        result = _unsplittable(result)
    try:
        made = _with_units(result, attempt)
    except Exception as error:
        made = died(path, _why(error))
    tree_walk.forget()  # or the garbage collector would go through the trees
    cst_walk.forget()
    return made


def _with_units(result: FileResult, attempt: Attempt) -> Migrated:
    """What the check needs of a file, where others may see it or it may see others."""
    index, path, world = _Job.index, result.path, _Job.world
    if world is None or attempt.before is None or result.status is Status.FAILED:
        return Migrated(result)
    after = attempt.after if result.status is Status.CHANGED else None
    if after is None and not (
        index.imported(path) or index.importers(path) or imports_tensorflow(result.old_text)
    ):
        return Migrated(result)
    old, new = check.units(path, attempt.before, after, index.module_at(path), world)
    return Migrated(result, old, new, tuple(attempt.edits))


def died(path: str, why: str) -> Migrated:
    """What `migrate` would say of a file whose worker did not come back."""
    return Migrated(_dead(path, why))


def _dead(path: str, why: str) -> FileResult:
    return FileResult(path, Status.FAILED, error=f"{path}:1: {why}")


def died_scanning(path: str, why: str) -> Scanned:
    """What `scan` would say of a file whose worker did not come back."""
    return Scanned(path, None, failure=_dead(path, why))


def too_large(path: str, text: str, sha256: str = "") -> FileResult | None:
    """What is said of a text that is not looked at: one over the limit for files, or data, whose syntax
    tree would take more memory than a worker may. One that has to do with TensorFlow failed."""
    if len(text) > MAX_BYTES:
        size = f"has {len(text):,} characters, over the limit of {MAX_BYTES:,}"
    elif (parts := sum(map(text.count, _SEPARATORS))) > _MOST_PARTS:
        size = f"has about {parts:,} parts, over the limit of {_MOST_PARTS:,}"
    else:
        return None
    status = Status.FAILED if any(word in text for word in WORDS) else Status.SKIPPED
    finding = Finding(
        "TF001", path, 1, 0, f"{size}; it was not looked at",
        "Keep data in a data file, or exclude it.",
    )  # fmt: skip
    error = f"{path}:1: {finding.message}"
    return FileResult(path, status, sha256, findings=(finding,), error=error)


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
        "TF001", path, line, 0, error.message,
        "Correct the file and run again; it was left as it is.",
    )  # fmt: skip
    return FileResult(
        path, Status.FAILED, findings=(finding,), error=f"{path}:{line}: {error.message}"
    )
