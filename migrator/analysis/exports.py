"""What other modules can get from a module that is not its own: ``tf`` from ``from layers import *``.

A module's imports are part of its outside: other modules read them by name, by star or as attributes.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from migrator.analysis.parsed import Parsed

_BUILTINS = frozenset(dir(builtins))
_THROUGH = re.compile(r"(?<![\w.])([A-Za-z_]\w*)\.([A-Za-z_]\w*)\.[A-Za-z_]")


@dataclass(frozen=True, slots=True)
class Exports:
    """The names of a module that stand for things from elsewhere.

    `brings`: name -> the dotted path that an import or an alias at module level binds it to
    (relative imports keep their dots). `stars`: the modules that it star-imports, in order.
    `loose`: names that it reads and does not bind, where there are stars that may bring them.
    `through`: what it reads members of as attributes of what it imports (``ops.tf``).
    """

    brings: Mapping[str, str] = field(default_factory=dict)
    stars: tuple[str, ...] = ()
    loose: frozenset[str] = frozenset()
    through: frozenset[str] = frozenset()


def exports(module: Parsed) -> Exports:
    """The exports of a parsed module."""
    paths: dict[str, list[str]] = {}
    stars: list[str] = []
    others: set[str] = set()
    for statement in _statements(module.tree.body):
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                name = alias.asname or alias.name.partition(".")[0]
                paths.setdefault(name, []).append(alias.name if alias.asname else name)
        elif isinstance(statement, ast.ImportFrom):
            base = "." * statement.level + (statement.module or "")
            joint = "" if base.endswith(".") or not base else "."
            for alias in statement.names:
                if alias.name == "*":
                    stars.append(base)
                else:
                    paths.setdefault(alias.asname or alias.name, []).append(base + joint + alias.name)
        elif isinstance(statement, ast.Assign):
            _assigned(statement, paths, others)
        elif isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            others.add(statement.name)
    brings = {name: _of_several(found) for name, found in paths.items() if name not in others}
    if not brings and not stars:
        return Exports()
    through = frozenset(
        f"{brings[name]}.{member}" for name, member in _THROUGH.findall(module.text) if name in brings
    )
    return Exports(brings, tuple(stars), _loose(module) if stars else frozenset(), through)


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that bind names of the module, in order; functions are not entered."""
    for statement in body:
        yield statement
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        for name in ("body", "handlers", "orelse", "finalbody"):
            block = getattr(statement, name, None)
            if isinstance(block, list):
                yield from _statements(block)


def _assigned(statement: ast.Assign, paths: dict[str, list[str]], others: set[str]) -> None:
    """``slim = tf.contrib.slim`` is what its value is; any other assignment hides an import."""
    value: ast.expr = statement.value
    parts: list[str] = []
    while isinstance(value, ast.Attribute):
        parts.append(value.attr)
        value = value.value
    if parts and isinstance(value, ast.Name) and value.id in paths:
        path = ".".join([_of_several(paths[value.id]), *reversed(parts)])
        for target in statement.targets:
            if isinstance(target, ast.Name):
                paths.setdefault(target.id, []).append(path)
        return
    if isinstance(statement.value, ast.Constant) and statement.value.value is None:
        return  # ``tf = None`` where an import fails
    for target in statement.targets:
        others.update(node.id for node in ast.walk(target) if isinstance(node, ast.Name))


def _of_several(paths: list[str]) -> str:
    """The one that counts of what a name is bound to in several places: the project's own, which
    nobody may take for another one's, then TensorFlow, else the first."""
    own = next((path for path in paths if path.startswith(".")), None)
    return own or next((path for path in paths if path.startswith("tensorflow")), paths[0])


def _loose(module: Parsed) -> frozenset[str]:
    names = module.names
    found = set()
    for reference in names.references:
        if reference.root not in _BUILTINS and names.find(reference.root, reference.scope) is None:
            found.add(reference.root)
    return frozenset(found)
