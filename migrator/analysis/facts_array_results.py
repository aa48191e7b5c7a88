"""Which of a method's results are arrays: of NumPy's makers, of runs, or of another method's results."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from migrator.analysis.facts import fact
from migrator.analysis.index import ProjectIndex
from migrator.analysis.names import NameTable
from migrator.analysis.tree_walk import walk

#: A result's place (None: all of them), the method that gives it ("" for an array), its place there.
Source = tuple[int | None, str, int | None]
_MAKERS = frozenset("numpy." + name for name in (
    "array", "asarray", "copy", "stack", "concatenate", "vstack", "hstack", "zeros", "ones", "full", "empty",
    "zeros_like", "ones_like", "clip", "squeeze", "expand_dims"))  # fmt: skip
_RUN = "run"


@fact("array_results", "return", anywhere=True)
def array_results(tree: ast.Module, names: NameTable, module: str) -> dict[str, list[Source]] | None:
    """For each method of the module's classes, by its name, where its results come from."""
    del module
    found: dict[str, set[Source]] = {}
    for holder in walk(tree):
        if isinstance(holder, ast.ClassDef):
            for method in holder.body:
                if isinstance(method, ast.FunctionDef):
                    found.setdefault(method.name, set()).update(_sources(method, names))
    return {name: sorted(sources, key=repr) for name, sources in sorted(found.items()) if sources} or None


def _sources(method: ast.FunctionDef, names: NameTable) -> Iterator[Source]:
    local: dict[str, Source] = {}
    for node in ast.walk(method):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target, made = node.targets[0], _made(node.value, names)
            if made is None:
                continue
            if isinstance(target, ast.Name):
                local[target.id] = made
            elif isinstance(target, (ast.Tuple, ast.List)) and made[1]:
                local.update((part.id, (None, made[1], place)) for place, part in enumerate(target.elts)
                             if isinstance(part, ast.Name))
    for node in ast.walk(method):
        if isinstance(node, ast.Return) and node.value is not None:
            parts = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
            for place, part in enumerate(parts):
                source = local.get(part.id) if isinstance(part, ast.Name) else _made(part, names)
                if source is not None:
                    yield (place if len(parts) > 1 else None, *source[1:])


def _made(value: ast.expr, names: NameTable) -> Source | None:
    """Where the value of a call comes from."""
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
        return None
    if (names.resolve_node(value.func) or "") in _MAKERS:
        return None, "", None
    return None, value.func.attr, None


def gives_array(index: ProjectIndex, method: str, place: int | None) -> bool:
    """Whether a method by this name of some class in the project gives an array at this place."""
    return _gives(_of_project(index), method, place, set())


def _of_project(index: ProjectIndex) -> dict[str, set[Source]]:
    found: dict[str, set[Source]] = {}
    for info in index.modules.values():
        own: Any = info.summary.facts.get("array_results") or {}
        for name, sources in own.items():
            found.setdefault(name, set()).update(map(tuple, sources))
    return found


def _gives(known: dict[str, set[Source]], method: str, place: int | None, seen: set[Any]) -> bool:
    if method == _RUN:
        return True
    if (method, place) in seen:
        return False
    seen.add((method, place))
    for at, other, there in known.get(method, ()):
        if at is not None and at != place:
            continue
        if not other:
            if at == place:
                return True
        elif _gives(known, other, place if at is None and there is None else there, seen):
            return True
    return False


def digest(index: ProjectIndex) -> str:
    """What the answers depend on."""
    return repr(sorted((name, sorted(sources, key=repr)) for name, sources in _of_project(index).items()))
