"""The two looks at a file that worker processes take: what is in it, and what it becomes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from migrator.analysis import tree_walk
from migrator.analysis.index import ProjectIndex
from migrator.analysis.module_summary import ModuleSummary
from migrator.analysis.parsed import Kept, Parsed
from migrator.engine import cst_walk
from migrator.engine.cache import engine_digest
from migrator.engine.options import Options
from migrator.engine.pipeline import migrate_text
from migrator.engine.py2 import NotPython2, looks_like_python2, translate
from migrator.engine.registry import load_facts
from migrator.engine.ruleset import RuleSet, load_ruleset
from migrator.engine.scanned import Scanned, imports_tensorflow
from migrator.engine.support_use import used_support
from migrator.model import FileResult, Finding, Status
from migrator.project.marker import is_generated
from migrator.project.notebook import decode_module, is_notebook, marks
from migrator.project.source import SourceError, SourceFile
from migrator.project.tree import read

# A syntax tree takes about 1 kB for each of these: 250,000 fit into a worker's 300 MB. The largest
# module of 20 large packages (benchmarks/fuzz.py) has 65,000.
_SEPARATORS = ",([{=.+-*"
_MOST_PARTS = 250_000
# What one process parses for both looks: its trees take some 30 MB then.
_KEPT_CHARACTERS = 1_000_000

Shipped = tuple[bytes, int] | SourceError  # a file's bytes and mode, or why it cannot be read


class _Job:
    """What worker processes share."""

    root: Path
    options: Options
    rules: RuleSet
    index: ProjectIndex
    facts: dict[str, Callable[..., object]]
    kept: Kept | None = None


def set_up(root: Path, options: Options, index: ProjectIndex | None) -> None:
    """Prepare this process for `scan` (no index), or for `migrate`. Raises PackError."""
    _Job.root = root
    _Job.options = options
    if index is None:
        _Job.facts = load_facts()
    else:
        _Job.rules = load_ruleset(options)
        _Job.index = index


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
    """The first look at a file: what others may ask about it."""
    try:
        source = _read(path, shipped)
    except SourceError as error:
        return Scanned(path, None, failure=_unreadable(path, error))
    if is_generated(source.text):
        return Scanned(path, None, sha256=source.sha256, is_support=True)
    parts = sum(map(source.text.count, _SEPARATORS))
    if parts > _MOST_PARTS:
        failure = _data(path, source.sha256, parts)
        return Scanned(path, None, sha256=source.sha256, failure=failure)
    parsed: Parsed | None
    try:
        parsed = Parsed(source.text)
    except (SyntaxError, ValueError):
        parsed = _translated(source.text)
    except (RecursionError, MemoryError):
        parsed = None  # the summary says why
    if parsed is not None and _Job.kept is not None:
        _Job.kept.keep(path, parsed)
    summary = ModuleSummary.of(path, source.text, _Job.facts, parsed)
    tree_walk.forget()
    return Scanned(
        path, summary, used_support(source.text, parsed), source.sha256,
        tensorflow=imports_tensorflow(source.text),
    )  # fmt: skip


def _translated(text: str) -> Parsed | None:
    """A Python 2 module as the Python 3 that it becomes: other modules ask what is in it."""
    if not looks_like_python2(text):
        return None
    try:
        return Parsed(translate(text)[0])
    except (NotPython2, SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def migrate(path: str, shipped: Shipped | None = None) -> FileResult:
    """The second look at a file: what it becomes."""
    try:
        source = _read(path, shipped)
    except SourceError as error:
        return _unreadable(path, error)
    parsed = _Job.kept.take(path, source.text) if _Job.kept is not None else None
    result = migrate_text(
        path, source.text, _Job.index, _Job.options.at(path), _Job.rules, source.sha256, parsed
    )
    tree_walk.forget()  # or the garbage collector would go through the trees
    cst_walk.forget()
    if is_notebook(path) and result.new_text and marks(result.new_text) != marks(source.text):
        result = _unsplittable(result)
    return result


def died(path: str, why: str) -> FileResult:
    """What `migrate` would say of a file whose worker did not come back."""
    return FileResult(path, Status.FAILED, error=f"{path}:1: {why}")


def died_scanning(path: str, why: str) -> Scanned:
    """What `scan` would say of a file whose worker did not come back."""
    return Scanned(path, None, failure=died(path, why))


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
        "TF001", path, line, 0, error.message,
        "Correct the file and run again; it was left as it is.",
    )  # fmt: skip
    return FileResult(
        path, Status.FAILED, findings=(finding,), error=f"{path}:{line}: {error.message}"
    )
