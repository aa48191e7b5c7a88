"""Which of a method's results are arrays: of NumPy's makers, of runs, or of another method's results."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from migrator.analysis.facts import fact
from migrator.analysis.index import ProjectIndex
from migrator.analysis.names import NameTable

#: A result's place (None: all of them), the method that gives it ("" for an array), its place there.
Source = tuple[int | None, str, int | None]
_MAKERS = frozenset("numpy." + name for name in (
    "array", "asarray", "copy", "stack", "concatenate", "vstack", "hstack", "zeros", "ones", "full", "empty",
    "zeros_like", "ones_like", "clip", "squeeze", "expand_dims"))  # fmt: skip
_RUN = "run"
_RESULTS = 8  # a method that gives more is not looked at
_ANSWER = "array_results"


def _has_class(tree: ast.Module) -> bool:
    return any(isinstance(node, ast.ClassDef) for node in tree.body)


@fact("array_results", "return", when=_has_class, anywhere=True)
def array_results(tree: ast.Module, names: NameTable, module: str) -> dict[str, list[Source]] | None:
    """For each method of the module's classes, by its name, where its results come from."""
    del module
    found: dict[str, set[Source]] = {}
    for holder in tree.body:
        if isinstance(holder, ast.ClassDef):
            for method in holder.body:
                if isinstance(method, ast.FunctionDef):
                    found.setdefault(method.name, set()).update(_sources(method, names))
    return {name: sorted(sources, key=repr) for name, sources in sorted(found.items()) if sources} or None


def _sources(method: ast.FunctionDef, names: NameTable) -> Iterator[Source]:
    nodes = list(ast.walk(method))
    given = [node.value for node in nodes if isinstance(node, ast.Return) and node.value is not None]
    local: dict[str, Source] = {}
    for node in nodes if given else ():
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target, made = node.targets[0], _made(node.value, names)
            if made is None:
                continue
            if isinstance(target, ast.Name):
                local[target.id] = made
            elif isinstance(target, (ast.Tuple, ast.List)) and made[1]:
                local.update((part.id, (None, made[1], place)) for place, part in enumerate(target.elts)
                             if isinstance(part, ast.Name))
    for value in given:
        parts = value.elts if isinstance(value, ast.Tuple) else [value]
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


def gives_array(index: ProjectIndex, method: str, place: int) -> bool:
    """Whether a method by this name of some class in the project gives an array at this place."""
    return (method, place) in _arrays(index)


def digest(index: ProjectIndex) -> str:
    """What the answers depend on."""
    return repr(sorted(_arrays(index)))


def _arrays(index: ProjectIndex) -> frozenset[tuple[str, int]]:
    """The methods, by their names, and those of their first results that are arrays."""
    found = index.answers.get(_ANSWER)
    if found is None:
        known: dict[str, set[Source]] = {}
        for info in index.modules.values():
            own: Any = info.summary.facts.get("array_results") or {}
            for name, sources in own.items():
                known.setdefault(name, set()).update(map(tuple, sources))
        found = index.answers[_ANSWER] = frozenset(
            (name, place) for name in known for place in range(_RESULTS) if _gives(known, name, place, set()))
    assert isinstance(found, frozenset)
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
