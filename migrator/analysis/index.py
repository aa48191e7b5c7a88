"""What a project's modules are called, what they define, and who imports whom."""

from __future__ import annotations

import ast
import hashlib
import sys
from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from migrator.analysis import libraries
from migrator.analysis.module_summary import ModuleSummary
from migrator.analysis.packed import Summaries, unpacked
from migrator.analysis.python2 import runs_on_python2
from migrator.project.source import SourceError
from migrator.project.tree import read, text_of

__all__ = ["ModuleInfo", "ModuleSummary", "ProjectIndex"]


@dataclass(frozen=True, slots=True)
class ModuleInfo:
    """One module of the project.

    `path` is relative to the project root, ``/``-separated; `name` is dotted and absolute below
    `root`, the import root (a directory relative to the project root, ``""`` for itself).
    """

    path: str
    name: str
    root: str
    is_package: bool
    kept: ModuleSummary | bytes
    sha256: str

    @property
    def summary(self) -> ModuleSummary:
        """What is known of the module."""
        return unpacked(self.kept)


@dataclass
class ProjectIndex:
    """All modules of one project; `folder` is the project root on disk (None in tests)."""

    modules: dict[str, ModuleInfo] = field(default_factory=dict)
    folder: Path | None = None
    #: Answers about the project that a transform keeps from file to file, by a key of its own.
    answers: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)
    _by_name: dict[str, list[ModuleInfo]] = field(default_factory=dict)
    _importers: dict[str, set[str]] = field(default_factory=dict)
    _imports: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _needs: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @classmethod
    def assemble(
        cls, summaries: Mapping[str, ModuleSummary], folder: Path | None = None
    ) -> ProjectIndex:
        """Name the modules (see `_infer_roots`) and link their imports."""
        index = cls(folder=folder)
        roots, index._needs = _infer_roots(summaries)
        for path in sorted(summaries):
            root = roots[path]
            name, is_package = module_name(path, root)
            kept = summaries.kept(path) if isinstance(summaries, Summaries) else summaries[path]
            info = ModuleInfo(path, name, root, is_package, kept, summaries[path].sha256)
            index.modules[path] = info
            index._by_name.setdefault(name, []).append(info)
        own = _own_name(summaries, index.tops)
        for info in [info for info in index.modules.values() if own and not info.root]:
            index._by_name.setdefault(f"{own}.{info.name}".rstrip("."), []).append(info)
        for info in index.modules.values():
            targets = index._imported_modules(info)
            index._imports[info.path] = tuple(sorted({target.path for target in targets}))
            for target in targets:
                index._importers.setdefault(target.path, set()).add(info.path)
        return index

    @property
    def roots(self) -> tuple[str, ...]:
        """The import roots, sorted."""
        return tuple(sorted({info.root for info in self.modules.values()}))

    @cached_property
    def tops(self) -> frozenset[str]:
        """The first parts of the names of all modules."""
        return frozenset(info.name.partition(".")[0] for info in self.modules.values())

    @cached_property
    def uses_tensorflow(self) -> bool:
        """Whether any module imports TensorFlow, or what stands in its place after a migration."""
        return any(
            target.startswith(("tensorflow", "tf_slim", "tf1_support", "keras"))
            for info in self.modules.values()
            for target in info.summary.imports
        )

    @cached_property
    def holds_both_versions(self) -> bool:
        """Whether the project asks TensorFlow's own switch for the version, or, once migrated, its
        successor: it then has code for TF 1 and for TF 2 side by side."""
        switches = ("tensorflow.python.tf2", "tf1_support.tf2")
        return any(
            target.startswith(switches)
            for info in self.modules.values()
            for target in info.summary.imports
        )

    @cached_property
    def is_migrated(self) -> bool:
        """Whether the project has the support package already."""
        return any(
            target.startswith("tf1_support")
            for info in self.modules.values()
            for target in info.summary.imports
        )

    def module_at(self, path: str) -> ModuleInfo | None:
        """The module of a file path relative to the project root."""
        return self.modules.get(path)

    def find(self, dotted: str, importer: str = "") -> ModuleInfo | None:
        """The module called `dotted`, the nearest to the file `importer` if several are."""
        found = self._by_name.get(dotted)
        if not found:
            return None
        return max(found, key=lambda info: (_shared(info.path, importer), info.path))

    def all_called(self, dotted: str) -> Sequence[ModuleInfo]:
        """All modules of that name: several where folders are import roots of their own."""
        return self._by_name.get(dotted, ())

    def resolve(self, dotted: str, importer: str = "") -> tuple[ModuleInfo, str] | None:
        """(module, rest) for the longest prefix of `dotted` that is a module of the project."""
        parts = dotted.split(".")
        for length in range(len(parts), 0, -1):
            found = self.find(".".join(parts[:length]), importer)
            if found is not None:
                return found, ".".join(parts[length:])
        return self._beside(parts, importer)

    def definition(self, dotted: str, importer: str = "") -> tuple[ModuleInfo, str] | None:
        """(module, name in it) of what defines `dotted`: a package hands on what its modules define
        (``from .layers import dense``). What leaves the project is found where it leaves it."""
        key = ("definition", dotted, importer.rpartition("/")[0])
        if key not in self.answers:
            self.answers[key] = None  # guards against modules that import each other
            self.answers[key] = self._defined(self.resolve(dotted, importer))
        found: tuple[ModuleInfo, str] | None = self.answers[key]
        return found

    def _defined(self, hit: tuple[ModuleInfo, str] | None) -> tuple[ModuleInfo, str] | None:
        if hit is None or not hit[1]:
            return hit
        module, rest = hit
        name, dot, members = rest.partition(".")
        summary = module.summary
        if _defines(summary, name):
            return hit
        brought = summary.exports.brings.get(name)
        if brought is not None:
            absolute = absolute_name(f"{brought}{dot}{members}", module)
            return (self.definition(absolute, module.path) if absolute else None) or hit
        for star in reversed(summary.exports.stars):
            absolute = absolute_name(star, module)
            found = self.definition(f"{absolute}.{rest}", module.path) if absolute else None
            if found is not None and _defines(found[0].summary, found[1].partition(".")[0]):
                return found
        return hit

    def importers(self, path: str) -> tuple[str, ...]:
        """Paths of the files that import the module at `path`."""
        return tuple(sorted(self._importers.get(path, ())))

    def imported(self, path: str) -> tuple[str, ...]:
        """Paths of the project's modules that the file at `path` imports."""
        return self._imports.get(path, ())

    def reached(self, path: str) -> set[str]:
        """The file at `path` and all of the project that it imports, also through others."""
        seen, queue = {path}, [path]
        while queue:
            for target in self.imported(queue.pop()):
                if target not in seen:
                    seen.add(target)
                    queue.append(target)
        return seen

    def fact(self, module: str, name: str, importer: str = "") -> Any:
        """The fact `name` (see `analysis.facts.fact`) of a module by dotted name or path."""
        info = self.modules.get(module) or self.find(module, importer)
        return info.summary.facts.get(name) if info is not None else None

    def tree(self, path: str) -> ast.Module | None:
        """The `ast` of another file of the project, None if it cannot be read or parsed."""
        if self.folder is None or path not in self.modules:
            return None
        if self.modules[path].summary.python2:
            return _parsed(self.text(path) or "")
        return _tree_of(self.folder, path, self.modules[path].sha256)

    def text(self, path: str) -> str | None:
        """Any file of the project as text, None where there is none; a Python 2 module translated."""
        text = text_of(self.folder, path) if self.folder is not None else None
        if text and path in self.modules and self.modules[path].summary.python2:
            return _as_python3(text)
        return text

    def needs(self, path: str) -> frozenset[str]:
        """The folders that must be on sys.path for the absolute imports of the file at `path`."""
        return self._needs.get(path, frozenset())

    def digest(self, path: str) -> str:
        """A hash of all of the project that a migration of the file at `path` may look at."""
        info = self.modules.get(path)
        if info is None:
            return ""
        seen = self.reached(path)
        seen.update(self.importers(path))
        if not seen.isdisjoint(self._graph_loaders):
            seen |= self._graph_loaders
        parts = [
            f"{self.modules[p].name}:{self.modules[p].root}:{self.modules[p].sha256}"
            for p in sorted(seen)
        ]
        from migrator.analysis.reexports import taken  # which asks this module

        own = [info.name, f"both={self.holds_both_versions}", f"2={runs_on_python2(self, path)}",
               f"has_key={self.has_own_has_key}"]
        own += sorted(taken(self, path))
        held = text_of(self.folder, path) if self.folder is not None else None
        if held and "keras" in held:  # the names of layers and metrics that any module reads
            own.append(self._whole)
        return hashlib.sha256("\n".join([*own, *parts]).encode()).hexdigest()

    @cached_property
    def has_own_has_key(self) -> bool:
        """Whether a class of the project has a method that Python 3's dicts lost."""
        return any("own_has_key" in info.summary.facts for info in self.modules.values())

    @cached_property
    def _whole(self) -> str:
        """What all modules hold, as one hash."""
        held = sorted(f"{path}:{info.sha256}" for path, info in self.modules.items())
        return hashlib.sha256("\n".join(held).encode()).hexdigest()

    @cached_property
    def _graph_loaders(self) -> frozenset[str]:
        """Modules that load graphs for others (`facts_loaded_graphs`), and those others."""
        homes = {p for p, info in self.modules.items() if "loaded_graphs" in info.summary.facts}
        return frozenset(homes.union(*map(self.importers, homes)) if homes else homes)

    def _imported_modules(self, info: ModuleInfo) -> list[ModuleInfo]:
        found = []
        for target in info.summary.imports:
            dotted = absolute_name(target, info)
            if dotted is None:
                continue
            hit = self.resolve(dotted, info.path)
            if hit is not None and hit[0].path != info.path:
                found.append(hit[0])
        return found

    def _beside(self, parts: list[str], importer: str) -> tuple[ModuleInfo, str] | None:
        """(module, rest) of the package's own folder that Python 2 found by a name without dots ahead."""
        folder = importer.rpartition("/")[0]
        if importer not in self.modules or not _looks_beside(importer, self.modules[importer].summary,
                                                             self.modules):
            return None
        for length in range(len(parts), 0, -1):
            place = "/".join([folder, *parts[:length]])
            for path in (f"{place}.py", f"{place}/__init__.py"):
                if path in self.modules:
                    return self.modules[path], ".".join(parts[length:])
        return None


def _looks_beside(path: str, summary: ModuleSummary, modules: Container[str]) -> bool:
    """Whether Python 2 looked for what a module imports in the module's own folder first."""
    return f"{path.rpartition('/')[0]}/__init__.py" in modules and not summary.python3 and (
        "__future__.absolute_import" not in summary.imports)


def _defines(summary: ModuleSummary, name: str) -> bool:
    return name in summary.functions or name in summary.classes


def absolute_name(target: str, info: ModuleInfo) -> str | None:
    """What `info` imports as `target`, without the dots of a relative import; None if these lead
    out of the project."""
    if not target.startswith("."):
        return target
    package = info.name if info.is_package else info.name.rpartition(".")[0]
    level = len(target) - len(target.lstrip("."))
    parts = package.split(".") if package else []
    if level - 1 > len(parts):
        return None
    kept = parts[: len(parts) - (level - 1)]
    rest = target[level:]
    return ".".join(kept + ([rest] if rest else [])) or None


def _shared(path: str, importer: str) -> int:
    count = 0
    for left, right in zip(path.split("/"), importer.split("/"), strict=False):
        if left != right:
            break
        count += 1
    return count


def module_name(path: str, root: str) -> tuple[str, bool]:
    """(dotted name, is it a package?) of the file `path` as imported from `root`."""
    relative = path[len(root) + 1 :] if root else path
    stem = relative[:-3] if relative.endswith(".py") else relative
    parts = stem.split("/")
    if parts[-1] == "__init__":
        return ".".join(parts[:-1]), True
    return ".".join(parts), False


def _infer_roots(
    summaries: Mapping[str, ModuleSummary],
) -> tuple[dict[str, str], dict[str, frozenset[str]]]:
    """(the import root of every file, the roots that each file's own imports give evidence for).

    An absolute import that, read as a path below some directory, is a file of the project is
    evidence for that directory. A file takes the root with the most evidence for itself, else
    that of its neighbours in the same directory; without any: a file of a package the parent
    of the topmost package, a script its own directory.
    """
    by_tail: dict[str, list[str]] = {}
    for path in summaries:
        parts = _dotted_parts(path)
        for start in range(len(parts)):
            by_tail.setdefault(".".join(parts[start:]), []).append(path)
    votes: dict[str, Counter[str]] = {}
    near: dict[str, Counter[str]] = {}
    needs: dict[str, set[str]] = {}

    def vote(importer: str, path: str, root: str) -> None:
        needs.setdefault(importer, set()).add(root)
        votes.setdefault(path, Counter())[root] += 1
        near.setdefault(path.rpartition("/")[0], Counter())[root] += 1

    beside: list[tuple[str, str, str]] = []  # what Python 2 may have found in the importer's own package
    for importer, summary in summaries.items():
        folder = importer.rpartition("/")[0]
        inside = _looks_beside(importer, summary, summaries)
        for target in summary.imports:
            if target.startswith("."):
                continue
            hit = _longest(target, by_tail, importer)
            if hit is None:
                continue
            dotted, path = hit
            depth = len(_dotted_parts(path)) - dotted.count(".") - 1
            root = "/".join(path.split("/")[:depth])
            if inside and root == folder:
                beside.append((importer, path, root))
            else:
                vote(importer, path, root)
    elsewhere = {folder for folder, roots in near.items() if folder not in roots}
    for importer, path, root in beside:
        if root not in elsewhere or summaries[importer].has_main:  # else it is a package to all others
            vote(importer, path, root)
    packages = {path.rpartition("/")[0] for path in summaries if path.endswith("__init__.py")}
    roots: dict[str, str] = {}
    for path in summaries:
        folder = path.rpartition("/")[0]
        evidence = votes.get(path) or (near.get(folder) if folder in packages else None)
        if evidence:
            roots[path] = min(evidence, key=lambda root: (-evidence[root], root))
            continue
        top = folder
        while top in packages:
            top = top.rpartition("/")[0] if "/" in top else ""
            if not top:
                break
        roots[path] = top if folder in packages else folder
    return roots, {path: frozenset(found) for path, found in needs.items()}


def _own_name(summaries: Mapping[str, ModuleSummary], tops: frozenset[str]) -> str:
    """What the project's own folder is called as a package, where its files import each other below
    a name that nothing in it has, whatever the folder is called here; empty if none does."""
    if "__init__.py" not in summaries:
        return ""
    others = sys.stdlib_module_names | libraries.tops() | {"tensorflow", "keras", "tf_slim", "tf1_support"}
    inside = {path.removesuffix(".py").partition("/")[0] for path in summaries}
    asked: dict[str, set[str]] = {}
    for summary in summaries.values():
        for target in summary.imports:
            head, _, rest = target.partition(".")
            if head and rest and head not in tops and head not in others:
                asked.setdefault(head, set()).add(rest.partition(".")[0])
    # a folder or two may have been renamed since
    found = [head for head, names in asked.items()
             if len(names & inside) > 1 and 4 * len(names - inside) <= len(names)]
    return found[0] if len(found) == 1 else ""


def _dotted_parts(path: str) -> list[str]:
    parts = path[:-3].split("/") if path.endswith(".py") else path.split("/")
    return parts[:-1] if parts[-1] == "__init__" else parts


def _longest(
    target: str, by_tail: Mapping[str, list[str]], importer: str
) -> tuple[str, str] | None:
    parts = target.split(".")
    for length in range(len(parts), 0, -1):
        dotted = ".".join(parts[:length])
        paths = [path for path in by_tail.get(dotted, ()) if path != importer]
        if not paths:
            continue
        # `import utils` must not take some/deep/package/utils.py for evidence: only files that
        # sit beside or above the importer can be meant by a single short name.
        best = max(paths, key=lambda path: (_shared(path, importer), -path.count("/"), path))
        if length == 1 and not _reachable(best, importer, dotted):
            continue
        return dotted, best
    return None


def _reachable(path: str, importer: str, dotted: str) -> bool:
    """Whether the directory that holds the top of `dotted` is an ancestor of the importer's."""
    depth = len(_dotted_parts(path)) - dotted.count(".") - 1
    root = "/".join(path.split("/")[:depth])
    folder = importer.rpartition("/")[0]
    return not root or folder == root or folder.startswith(root + "/")


@lru_cache(maxsize=64)
def _tree_of(folder: Path, path: str, sha256: str) -> ast.Module | None:
    try:
        return _parsed(read(folder, path)[0])
    except SourceError:
        return None


def _as_python3(text: str) -> str:
    """A module of Python 2 translated, where it must be to be parsed."""
    from migrator.analysis.py2_syntax import NotPython2, translate

    if _parsed(text) is not None:
        return text
    try:
        return translate(text)[0]
    except NotPython2:  # it is not what it was a moment ago
        return text


def _parsed(text: str | bytes) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def summaries_from_texts(texts: Mapping[str, str]) -> dict[str, ModuleSummary]:
    """Summaries of in-memory files, for tests and notebooks."""
    return {path: ModuleSummary.of(path, text) for path, text in texts.items()}
