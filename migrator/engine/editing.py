"""One file of a repository at a time, as editors have it: its text need not be what is on disk."""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import replace
from pathlib import Path

from migrator import support
from migrator.analysis.facts import load_facts
from migrator.analysis.index import ProjectIndex
from migrator.analysis.module_summary import ModuleSummary
from migrator.analysis.support_places import support_places
from migrator.engine.file_jobs import summary_of, too_large
from migrator.engine.options import Options
from migrator.engine.pipeline import migrate_text
from migrator.engine.plan import summaries, where_used
from migrator.engine.ruleset import load_ruleset
from migrator.engine.scanned import SUPPORT_PACKAGE, imports_tensorflow
from migrator.model import FileResult
from migrator.project.notebook import decode_module
from migrator.project.source import SourceFile


class Project:
    """What is known of a repository's modules, kept while files of it are edited.

    Reads the tree below `root` once; not if files are to be looked at `alone`. Raises PackError for a
    bad rule pack, NotADirectoryError.
    """

    def __init__(self, root: Path, options: Options, alone: bool = False) -> None:
        self.root = root.resolve()
        self.options = options
        self.rules = load_ruleset(options)
        self._facts = load_facts()
        self._summaries: MutableMapping[str, ModuleSummary] = {}
        self._tensorflow = False
        if not alone:
            self._summaries, self._tensorflow = summaries(self.root, options)
        self._folder = None if alone else self.root
        self._index = ProjectIndex.assemble(self._summaries, self._folder)

    def module(self, path: str, data: bytes) -> SourceFile:
        """The module of a file's bytes (a notebook's cells). Raises SourceError."""
        return decode_module(data, self.root / path)

    def result(self, path: str, text: str, sha256: str = "") -> FileResult:
        """What the file `path` (relative to the root) becomes if its text is `text`."""
        if (failure := too_large(path, text, sha256)) is not None:
            return failure
        summary = summary_of(path, text, self._facts)
        known = self._summaries.get(path)
        if known is None or known.sha256 != summary.sha256:
            self._summaries[path] = summary
            self._index = ProjectIndex.assemble(self._summaries, self._folder)
        used = self._tensorflow or imports_tensorflow(text)
        options = where_used(self.options.at(path), used)
        result = migrate_text(path, text, self._index, options, self.rules, sha256)
        return replace(
            result, support=frozenset(symbol for symbol in result.support if support.has(symbol))
        )

    def forget(self, path: str) -> None:
        """A file that is gone."""
        if self._summaries.pop(path, None) is not None:
            self._index = ProjectIndex.assemble(self._summaries, self._folder)

    def missing_support(self, result: FileResult) -> str:
        """Where the support package that a new text imports would lie, if it is not there yet."""
        if not result.support:
            return ""
        folders = {*self._index.roots, result.path.rpartition("/")[0]}
        existing = {folder for folder in folders if (self.root / folder / SUPPORT_PACKAGE).is_dir()}
        places = support_places(self._index, [result.path], existing)
        missing = {places.home, *places.pointers} - existing
        return f"{min(missing)}/{SUPPORT_PACKAGE}".lstrip("/") if missing else ""
