"""Where the support package goes: one folder that holds it, and folders that only lead there.

Whatever a process imports, it must find the same, complete package: the first one on sys.path counts.
What is on sys.path is told by the imports of the project: a script has its own folder there, and the
roots from which it and what it imports get other modules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from migrator.analysis.index import ProjectIndex


@dataclass(frozen=True, slots=True)
class SupportPlaces:
    """`home` is the folder below which the package lies (``""``: the root of the tree), `pointers`
    are those of other folders on sys.path, which get a package that leads to it."""

    home: str
    pointers: tuple[str, ...] = ()


def support_places(
    index: ProjectIndex, users: Iterable[str], existing: Iterable[str] = ()
) -> SupportPlaces:
    """Places such that whatever imports one of the files `users` finds the package.

    `existing`: folders in which an earlier migration put one. The package lies at the one place that
    is enough, else in the folder that all of them are in.
    """
    wanted = [choice for user in sorted(set(users)) for choice in _choices(index, user)]
    chosen = set(existing)
    open_ = [choice for choice in dict.fromkeys(wanted) if not choice & chosen]
    while open_:
        votes = Counter(root for choice in open_ for root in choice)
        best = min(votes, key=lambda root: (-votes[root], root.count("/") + bool(root), root))
        chosen.add(best)
        open_ = [choice for choice in open_ if best not in choice]
    home = _common(sorted(chosen)) if chosen else ""
    return SupportPlaces(home, tuple(sorted(chosen - {home})))


def _choices(index: ProjectIndex, user: str) -> list[frozenset[str]]:
    """For each way in which `user` is imported, the folders that are on sys.path then."""
    info = index.module_at(user)
    if info is None:
        return [frozenset([user.rpartition("/")[0]])]
    found = [frozenset([info.root]) | _needs(index, user)]
    for script in _scripts(index, user):
        found.append(frozenset([script.rpartition("/")[0]]) | _needs(index, script))
    return found


def _scripts(index: ProjectIndex, user: str) -> list[str]:
    """The scripts that import `user`, itself among them if it is one."""
    found, seen, queue = [], {user}, [user]
    while queue:
        path = queue.pop()
        if _is_script(index, path):
            found.append(path)
        for importer in index.importers(path):
            if importer not in seen:
                seen.add(importer)
                queue.append(importer)
    return sorted(found)


def _is_script(index: ProjectIndex, path: str) -> bool:
    folder = path.rpartition("/")[0]
    packaged = index.module_at(f"{folder}/__init__.py" if folder else "__init__.py") is not None
    if index.modules[path].summary.has_main:
        return True
    return not packaged and not index.importers(path)


def _needs(index: ProjectIndex, path: str) -> frozenset[str]:
    """The roots from which a module and all that it imports get modules of the project."""
    key = ("support needs", path)
    if key not in index.answers:
        seen, queue = {path}, [path]
        while queue:
            for target in index.imported(queue.pop()):
                if target not in seen:
                    seen.add(target)
                    queue.append(target)
        index.answers[key] = frozenset[str]().union(*(index.needs(p) for p in seen))
    found: frozenset[str] = index.answers[key]
    return found


def _common(folders: list[str]) -> str:
    """The deepest folder that all of these are in."""
    parts = [folder.split("/") if folder else [] for folder in folders]
    shared = []
    for names in zip(*parts, strict=False):
        if len(set(names)) > 1:
            break
        shared.append(names[0])
    return "/".join(shared)
