"""The modules of a repository by what imports them: which function or class a name in a file means."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from migrator.project.discover import discover
from migrator.project.source import SourceError
from migrator.project.tree import read


@dataclass(frozen=True, slots=True)
class Module:
    """A file of the repository, and the folder that the import of it begins in."""

    path: str
    top: str

    @property
    def dotted(self) -> str:
        """What it is imported as from there."""
        inner = PurePosixPath(self.path).relative_to(self.top).with_suffix("")
        return ".".join(part for part in inner.parts if part != "__init__")

    @property
    def roots(self) -> tuple[str, ...]:
        """The folders that must be on sys.path, relative to the repository."""
        return tuple(dict.fromkeys((".", self.top)))


Meaning = tuple[Module, str]  # a module, and the name in it, "" for itself


class Modules:
    """All modules of a repository that can be parsed, by path."""

    def __init__(self, trees: dict[str, ast.Module]) -> None:
        self.trees = trees
        self._known: dict[str, dict[str, Meaning]] = {}

    @staticmethod
    def of(root: Path) -> Modules:
        """Those below a folder. Runs nothing."""
        root = root.resolve()
        trees: dict[str, ast.Module] = {}
        for file in discover(root, suffixes=(".py",)):
            path = file.relative_to(root).as_posix()
            try:
                trees[path] = ast.parse(read(root, path)[0])
            except (SourceError, SyntaxError, ValueError, RecursionError, MemoryError):
                continue
        return Modules(trees)

    def by_depth(self) -> list[str]:
        """All paths, those at the top first."""
        return sorted(self.trees, key=lambda p: (p.count("/"), p))

    def names(self, path: str) -> dict[str, Meaning]:
        """What the names of a file mean that come from the repository: imports, functions, classes."""
        if path not in self._known:
            found = self._imports(path)
            for node in self.trees[path].body:
                if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                    found.setdefault(node.name, (self.itself(path), node.name))
            self._known[path] = found
        return self._known[path]

    def itself(self, path: str) -> Module:
        """A file as what imports its neighbours: a script from its own folder, else from the top."""
        here = str(PurePosixPath(path).parent)
        for node in ast.walk(self.trees[path]):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else (
                [node.module] if isinstance(node, ast.ImportFrom) and node.module and not node.level else [])
            for name in names:
                found = self._module(name, here)
                if found is not None:
                    return Module(path, found.top)
        return Module(path, ".")

    def definition(self, meaning: Meaning) -> ast.FunctionDef | ast.ClassDef | None:
        """The function or class that a name means; of "Class.method" the method."""
        body: list[ast.stmt] = self.trees[meaning[0].path].body
        found: ast.FunctionDef | ast.ClassDef | None = None
        for part in meaning[1].split("."):
            named = (n for n in body if isinstance(n, (ast.FunctionDef, ast.ClassDef)) and n.name == part)
            found = next(named, None)
            body = found.body if isinstance(found, ast.ClassDef) else []
        return found

    def _imports(self, path: str) -> dict[str, Meaning]:
        here = str(PurePosixPath(path).parent)
        found: dict[str, Meaning] = {}
        for node in ast.walk(self.trees[path]):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    module = self._module(alias.name, here)
                    if module and (alias.asname or "." not in alias.name):
                        found[alias.asname or alias.name] = (module, "")
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                for alias in node.names:
                    if module := self._module(f"{node.module}.{alias.name}", here):
                        found[alias.asname or alias.name] = (module, "")
                    elif module := self._module(node.module, here):
                        found[alias.asname or alias.name] = (module, alias.name)
        return found

    def _module(self, dotted: str, here: str) -> Module | None:
        inner = dotted.replace(".", "/")
        for top in (".", here):
            for end in (".py", "/__init__.py"):
                path = str(PurePosixPath(top) / (inner + end))
                if path in self.trees:
                    return Module(path, top)
        return None


def own(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope without those of the functions and classes in it."""
    waiting = list(ast.iter_child_nodes(scope))
    while waiting:
        node = waiting.pop(0)
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Lambda)):
            yield node
            waiting += ast.iter_child_nodes(node)


def called(func: ast.expr, names: dict[str, Meaning]) -> Meaning | None:
    """What of the repository a call is of, where that is a name or an attribute of a module."""
    if isinstance(func, ast.Name):
        found = names.get(func.id)
        return found if found and found[1] else None
    if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name):
        found = names.get(func.value.id)
        return (found[0], func.attr) if found and not found[1] else None
    return None
