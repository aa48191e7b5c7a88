"""What earlier runs made of the files of a tree that are still the same bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from migrator import support
from migrator.analysis.facts_array_results import digest as results_digest
from migrator.analysis.facts_layer_names import layer_namers
from migrator.analysis.facts_zipped import digest as zipped_digest
from migrator.analysis.graph_code import digest as graph_digest
from migrator.analysis.index import ProjectIndex
from migrator.engine.cache import Cache, engine_digest, key, rules_digest, support_digest
from migrator.engine.migrated import Migrated
from migrator.engine.options import Options
from migrator.engine.scanned import Scanned
from migrator.model import FileResult, Status
from migrator.project.notebook import decode_module
from migrator.project.results import Results
from migrator.project.source import SourceError, sha256
from migrator.project.tree import read


class Remembered:
    """The cache, asked about the files `paths` (relative to `root`); without one, about none.

    Reads each file, and once more when its result is given out: the bytes of a whole tree are too
    many to keep. `rules` must be called with the options that decide results before these are asked
    for; it raises PackError.
    """

    def __init__(self, root: Path, cache_dir: Path | None, paths: Iterable[str]) -> None:
        self._root = root
        self._cache = Cache(cache_dir) if cache_dir is not None else None
        self._sha256: dict[str, str] = {}
        self._keys: dict[str, str] = {}  # of the results that were found or kept
        self._base = ""
        if self._cache is None:
            return
        self._cache.prune()
        for path in paths:
            try:
                self._sha256[path] = sha256(read(root, path)[0])
            except SourceError:
                continue  # whoever scans it says why

    def rules(self, options: Options) -> None:
        """Results from here on are those of these options. Raises PackError."""
        if self._cache is not None:
            self._base = key("result", engine_digest(), rules_digest(options), options.digest())

    def scanned(self, path: str) -> Scanned | None:
        """What the first look at a file gave."""
        if self._cache is None or path not in self._sha256:
            return None
        return self._cache.get(Scanned, self._scan_key(path, self._sha256[path]))

    def keep_scanned(self, item: Scanned) -> None:
        """Remember the first look at a file."""
        if self._cache is not None and item.sha256:
            self._cache.put(self._scan_key(item.path, item.sha256), item)

    def result(self, path: str, index: ProjectIndex) -> Migrated | None:
        """What became of a file, with the same rules and options, beside the same modules; what the
        check needs of it is left out."""
        if self._cache is None or path not in self._sha256:
            return None
        name = self._key(path, self._sha256[path], index)
        found = self._cache.get(FileResult, name)
        if found is None:
            return None
        try:
            data, mode = read(self._root, path)
            source = decode_module(data, self._root / path, mode)
        except SourceError:
            return None  # changed since; whoever migrates it says how
        if source.sha256 != found.old_sha256:
            return None
        self._keys[path] = name
        return Migrated(replace(found, old_text=source.text))

    def units(self, path: str) -> Migrated | None:
        """What the check needs of a file whose result came from the cache, where that is there."""
        name = self._keys.get(path)
        if self._cache is None or name is None:
            return None
        return self._cache.get(Migrated, key("units", name))

    def keep_result(self, item: Migrated, index: ProjectIndex) -> None:
        """Remember what became of a file, unless it failed for want of memory or by a defect."""
        result = item.result
        if self._cache is None or not result.old_sha256:
            return
        if result.status is Status.FAILED and not result.findings:
            return
        name = self._keys[result.path] = self._key(result.path, result.old_sha256, index)
        stored = replace(result, old_text="", timings=())
        self._cache.put(name, stored)
        if item.new is not None:
            self._cache.put(key("units", name), replace(item, result=stored))

    def settled(self, results: Results) -> dict[str, FileResult] | None:
        """What the check made of these results, in an earlier run with the same of them."""
        if self._cache is None:
            return None
        found = self._cache.get(dict, self._settled_key())
        if found is None or not all(isinstance(item, FileResult) for item in found.values()):
            return None
        return {
            path: replace(item, old_text=results.get(path).old_text) for path, item in found.items()
        }

    def keep_settled(self, settled: Mapping[str, FileResult]) -> None:
        """Remember what the check made of the results of this run."""
        if self._cache is not None:
            stored = {p: replace(item, old_text="", timings=()) for p, item in settled.items()}
            self._cache.put(self._settled_key(), stored)

    def _settled_key(self) -> str:
        names = sorted(
            f"{path} {sha256} {self._keys.get(path, '')}" for path, sha256 in self._sha256.items()
        )
        return key("settled", self._base, support_digest(), *names)

    def with_support(self, symbols: Iterable[str]) -> frozenset[str]:
        """Those of these symbols that the support package can render."""
        wanted = frozenset(symbols)
        return self._made(frozenset, "supported", wanted, lambda: filter(support.has, wanted))

    def support(
        self, symbols: Iterable[str], reads: frozenset[str] | None = None
    ) -> dict[str, str]:
        """The support package that holds these symbols, and of its classes what the names `reads` ask
        for (None: all of it), by the names of its files."""
        wanted = frozenset(symbols)
        more = () if reads is None else ("reads", *sorted(reads))
        return self._made(dict, "support", wanted, lambda: support.render(wanted, reads), more)

    def _made(
        self, kind: type[Any], what: str, wanted: frozenset[str], make: Callable[[], Any],
        more: Iterable[str] = (),
    ) -> Any:  # fmt: skip
        """What `make` gives, or gave in an earlier run with the same sources."""
        if not wanted:
            return kind()
        if self._cache is None:
            return kind(make())
        name = key(what, support_digest(), *sorted(wanted), *more)
        found = self._cache.get(kind, name)
        if found is None:
            found = kind(make())
            self._cache.put(name, found)
        return found

    def _scan_key(self, path: str, digest: str) -> str:
        return key("scanned", engine_digest(), path, digest)

    def _key(self, path: str, digest: str, index: ProjectIndex) -> str:
        return key(self._base, path, digest, index.digest(path), graph_digest(index, path),
                   zipped_digest(index, path), results_digest(index), *sorted(layer_namers(index)))

