"""Which modules of a project build one graph together, that of a session which they share.

TF 1 had a default graph from the start: a library could make its session in one module, build in
others, and run anywhere; an object could make its own and run what it was given. No text of one
file tells what such a session runs, so nothing of it can be made native; it works as long as the
whole process builds graphs, which importing the module that makes the session sees to. Every
module that (with what it imports) runs that one first is therefore graph code as a whole.
"""

from __future__ import annotations

from migrator.analysis.index import ModuleInfo, ProjectIndex, absolute_name

_KEY = "shared_graphs"
_FACT = "shared_sessions"
#: How many re-exports (``from .session import get_session``) are followed.
_DEPTH = 8


def session_homes(index: ProjectIndex) -> frozenset[str]:
    """Paths of the modules that make a session which another module runs."""
    return _answer(index)[0]


def builds_shared_graph(index: ProjectIndex, path: str) -> bool:
    """Whether the module at `path` only ever runs where the process builds one graph."""
    return path in _answer(index)[1]


def _answer(index: ProjectIndex) -> tuple[frozenset[str], frozenset[str]]:
    known = index.answers.get(_KEY)
    if known is None:
        homes = _homes(index)
        known = index.answers[_KEY] = homes, _reached(index, homes) if homes else homes
    found: tuple[frozenset[str], frozenset[str]] = known
    return found


def _homes(index: ProjectIndex) -> frozenset[str]:
    facts = {
        path: info.summary.facts[_FACT]
        for path, info in index.modules.items() if _FACT in info.summary.facts
    }
    makers = {path: set(found["makes"]) for path, found in facts.items() if found["makes"]}
    homes = set()
    if makers:
        for path, found in facts.items():
            for dotted in found["uses"]:
                home = _origin(index, index.modules[path], dotted, makers)
                if home and home != path:
                    homes.add(home)
    classes = {path: set(found["classes"]) for path, found in facts.items() if found["classes"]}
    for path, found in facts.items():
        for name, known in found["classes"].items():
            for attribute in known["runs"]:
                homes.add(_keeper(index, classes, path, name, attribute))
    return frozenset(homes - {""})


def _keeper(
    index: ProjectIndex, classes: dict[str, set[str]], path: str, name: str, attribute: str
) -> str:
    """The path of the module in which a class, or one that it extends, makes the session of an
    attribute; "" if it is handed one."""
    pending = [(path, name)]
    for path, name in pending:  # grows on the way
        known = index.modules[path].summary.facts[_FACT]["classes"][name]
        if attribute in known["keeps"]:
            return path
        for base in known["bases"]:
            home = path if base in classes[path] else _origin(
                index, index.modules[path], base, classes)
            found = home, base.rpartition(".")[2]
            if home and found not in pending and len(pending) < _DEPTH:
                pending.append(found)
    return ""


def _origin(
    index: ProjectIndex, info: ModuleInfo, dotted: str, makers: dict[str, set[str]]
) -> str:
    """The path of the module of `makers` that defines what `info` calls `dotted`, "" if none."""
    for _ in range(_DEPTH):
        absolute = absolute_name(dotted, info)
        hit = index.resolve(absolute, info.path) if absolute else None
        if hit is None:
            return ""
        info, name = hit
        if name in makers.get(info.path, ()):
            return info.path
        exported = [t for t in info.summary.imports if t.rpartition(".")[2] == name]
        if not exported:
            return _star(index, info, name, makers)
        dotted = exported[-1]
    return ""


def _star(index: ProjectIndex, info: ModuleInfo, name: str, makers: dict[str, set[str]]) -> str:
    """The module from which ``from module import *`` of `info` may have brought `name`."""
    return next((p for p in index.imported(info.path) if name in makers.get(p, ())), "")


def _reached(index: ProjectIndex, homes: frozenset[str]) -> frozenset[str]:
    """The homes, all that cannot be imported without one, and what only those import."""
    runs_first = {path: _runs_first(index, info) for path, info in index.modules.items()}
    found = set(homes)
    grown = True
    while grown:
        grown = False
        for path, first in runs_first.items():
            if path not in found and (
                not found.isdisjoint(first)
                or (importers := index.importers(path)) and found.issuperset(importers)
            ):
                found.add(path)
                grown = True
    return frozenset(found)


def _runs_first(index: ProjectIndex, info: ModuleInfo) -> set[str]:
    """Modules that run whenever this one does: what it imports, and the packages of all these."""
    found = set(index.imported(info.path))
    for path in (info.path, *found.copy()):
        name = index.modules[path].name
        while "." in name:
            name = name.rpartition(".")[0]
            package = index.find(name, info.path)
            if package is not None and package.is_package:
                found.add(package.path)
    return found - {info.path}
