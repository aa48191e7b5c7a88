"""Which modules of a project build one graph together, that of a session which they share.

TF 1 had a default graph from the start: a library could make its session in one module, build in
others, and run anywhere; an object could make its own and run what it was given. No text of one
file tells what such a session runs, so nothing of it can be made native; it works as long as the
whole process builds graphs, which importing the module that makes the session sees to. Every
module that (with what it imports) runs that one first is therefore graph code as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from migrator.analysis.index import ModuleInfo, ProjectIndex, absolute_name

#: By path, what a module defines: sessions and functions that give them, or classes.
Defined = Mapping[str, Mapping[str, Any]]

_FACT = "shared_sessions"
#: How many re-exports (``from .session import get_session``) are followed.
_DEPTH = 8


@dataclass(frozen=True, slots=True)
class _Answer:
    """What is asked of a project for each of its files. `users` has for each home the modules that
    need its session, which may be more than those that can be native instead (`free`)."""

    makers: Defined
    users: Mapping[str, frozenset[str]]
    homes: frozenset[str]
    graphs: frozenset[str]


def session_homes(index: ProjectIndex) -> frozenset[str]:
    """Paths of the modules that make a session which other code builds for."""
    return _answer(index).homes


def builds_shared_graph(index: ProjectIndex, path: str) -> bool:
    """Whether the module at `path` only ever runs where the process builds one graph."""
    return path in _answer(index).graphs


def may_share_graph(index: ProjectIndex, path: str) -> bool:
    """`builds_shared_graph` before anything was freed."""
    answer = _answer(index)
    return path in (_reached(index, frozenset(answer.users)) if answer.users else ())


def users_of_homes(index: ProjectIndex) -> Mapping[str, frozenset[str]]:
    """Home of a session that is kept by an object -> modules whose objects run what they were
    given, the home itself among them; homes of sessions that functions give are left out."""
    answer = _answer(index)
    return {
        home: users for home, users in answer.users.items() if home not in answer.makers
    }


def free(index: ProjectIndex, homes: frozenset[str]) -> None:
    """From now on, the modules of these homes are none that share a graph: what their sessions run
    is native as a whole. Homes whose modules other homes need as well stay."""
    answer = _answer(index)
    while True:
        left = frozenset(answer.users) - homes
        graphs = _reached(index, left) if left else left
        torn = {home for home in homes if not graphs.isdisjoint(answer.users[home] | {home})}
        if not torn:
            break
        homes -= torn
    index.answers[_FACT] = _Answer(answer.makers, answer.users, left, graphs)


def gives_session(index: ProjectIndex, path: str, name: str) -> bool:
    """Whether what the module at `path` calls `name` (dotted, as it resolves it) is a function
    that returns a new session, or a name for one, on the default graph."""
    makers = _answer(index).makers
    info = index.modules.get(path)
    if info is None or not makers:
        return False
    return name in makers.get(path, ()) or bool(_origin(index, info, name, makers))


def _answer(index: ProjectIndex) -> _Answer:
    known = index.answers.get(_FACT)
    if known is None:
        facts = {
            path: info.summary.facts[_FACT]
            for path, info in index.modules.items() if _FACT in info.summary.facts
        }
        makers = {path: found["makes"] for path, found in facts.items() if found["makes"]}
        users = _homes(index, facts, makers)
        homes = frozenset(users)
        known = _Answer(makers, users, homes, _reached(index, homes) if homes else homes)
        index.answers[_FACT] = known
    assert isinstance(known, _Answer)
    return known


def _homes(
    index: ProjectIndex, facts: Mapping[str, Any], makers: Defined
) -> dict[str, frozenset[str]]:
    """Home of a session -> paths of the modules that use it."""
    users: dict[str, set[str]] = {}
    if makers:
        for path, found in facts.items():
            for dotted, beyond in found["uses"].items():
                home = _origin(index, index.modules[path], dotted, makers)
                if home and home != path and (beyond or _lasts(makers[home], dotted)):
                    users.setdefault(home, set()).add(path)
    classes = {path: found["classes"] for path, found in facts.items() if found["classes"]}
    for path, found in facts.items():
        for name, known in found["classes"].items():
            for attribute in known["runs"]:
                home = _keeper(index, classes, path, name, attribute)
                if home:
                    users.setdefault(home, set()).add(path)
    return {home: frozenset(paths) for home, paths in users.items()}


def _lasts(makes: Mapping[str, bool], dotted: str) -> bool:
    """Whether a session is more than the local of whoever asks for a new one."""
    return makes.get(dotted.rpartition(".")[2], True)


def _keeper(
    index: ProjectIndex, classes: Defined, path: str, name: str, attribute: str
) -> str:
    """The path of the module in which a class, or one that it extends, makes the session of an
    attribute; "" if it is handed one."""
    pending = [(path, name)]
    for path, name in pending:  # grows on the way
        known = classes[path][name]
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
    index: ProjectIndex, info: ModuleInfo, dotted: str, makers: Defined
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


def _star(index: ProjectIndex, info: ModuleInfo, name: str, makers: Defined) -> str:
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
