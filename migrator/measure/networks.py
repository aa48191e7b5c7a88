"""Functions that build a network, told by how the repository calls them: with placeholders, whose types and
shapes stand there, and constants."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from migrator.project.discover import discover
from migrator.project.source import SourceError
from migrator.project.tree import read
from migrator.workload.models import DTYPES, GUESS
from migrator.workload.spec import Input, Workload

_MOST = 6  # functions
GUESSED = " (sizes guessed)"


@dataclass(frozen=True, slots=True)
class _Module:
    """A file of the repository, and the folder that the import of it begins in."""

    path: str
    top: str


class _Finder:
    def __init__(self, trees: dict[str, ast.Module]) -> None:
        self.trees = trees

    def of_module(self, path: str) -> Iterator[Workload]:
        """The calls in a file."""
        tree = self.trees[path]
        names = self._imports(path)
        for node in tree.body:
            if isinstance(node, ast.FunctionDef):
                names.setdefault(node.name, (_Module(path, "."), node.name))
        functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
        for scope in (tree, *functions):
            nodes = list(_own(scope))
            given = {
                n.targets[0].id: told for n in nodes
                if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name)
                and (told := _placeholder(n.value)) is not None
            }  # fmt: skip
            for call in nodes if given else []:
                if isinstance(call, ast.Call) and (called := _called(call.func, names)):
                    workload = self._workload(call, *called, given)
                    if workload is not None:
                        yield workload

    def _imports(self, path: str) -> dict[str, tuple[_Module, str]]:
        """{local name: (module of the repository, name in it or "")}."""
        here = str(PurePosixPath(path).parent)
        found: dict[str, tuple[_Module, str]] = {}
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

    def _module(self, dotted: str, here: str) -> _Module | None:
        inner = dotted.replace(".", "/")
        for top in (".", here):
            for end in (".py", "/__init__.py"):
                path = str(PurePosixPath(top) / (inner + end))
                if path in self.trees:
                    return _Module(path, top)
        return None

    def _workload(
        self, call: ast.Call, module: _Module, name: str, given: dict[str, Input]
    ) -> Workload | None:
        """The call as a workload; None where it takes anything but placeholders and constants."""
        body = self.trees[module.path].body
        node = next((n for n in body if isinstance(n, ast.FunctionDef) and n.name == name), None)
        if node is None or not any(isinstance(n, ast.Return) and n.value for n in _own(node)):
            return None
        parameters = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
        if len(call.args) > len(parameters) or node.args.posonlyargs:
            return None
        pairs = [*zip(parameters, call.args, strict=False), *((k.arg, k.value) for k in call.keywords)]
        inputs: list[Input] = []
        kwargs: dict[str, Any] = {}
        for parameter, value in pairs:
            if parameter is None or isinstance(value, ast.Starred):
                return None
            if isinstance(value, ast.Name) and value.id in given:
                inputs.append(replace(given[value.id], name=parameter))
                continue
            try:
                kwargs[parameter] = ast.literal_eval(value)
            except (ValueError, TypeError, SyntaxError):
                return None
        # TOML, in which it is written down, has neither null nor tuples
        if not inputs or not all(type(v) in (bool, int, float, str) for v in kwargs.values()):
            return None
        inner = PurePosixPath(module.path).relative_to(module.top).with_suffix("")
        dotted = ".".join(p for p in inner.parts if p != "__init__")
        title = f"{dotted}.{name}" + GUESSED * any(GUESS in i.shape for i in inputs)
        return Workload(title, "function", call=f"{dotted}:{name}", inputs=tuple(inputs), kwargs=kwargs,
                        roots=tuple(dict.fromkeys((".", module.top))))  # fmt: skip


def find(root: Path) -> list[Workload]:
    """Calls of functions of the repository whose arguments are placeholders and constants, each function
    once. Runs nothing."""
    root = root.resolve()
    trees: dict[str, ast.Module] = {}
    for file in discover(root, suffixes=(".py",)):
        path = file.relative_to(root).as_posix()
        try:
            trees[path] = ast.parse(read(root, path)[0])
        except (SourceError, SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    finder = _Finder(trees)
    found: dict[str, Workload] = {}
    for path in sorted(trees, key=lambda p: (p.count("/"), p)):
        for workload in finder.of_module(path):
            found.setdefault(workload.call, workload)
    return list(found.values())[:_MOST]


def _own(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope without those of the functions and classes in it."""
    waiting = list(ast.iter_child_nodes(scope))
    while waiting:
        node = waiting.pop(0)
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Lambda)):
            yield node
            waiting += ast.iter_child_nodes(node)


def _called(func: ast.expr, names: dict[str, tuple[_Module, str]]) -> tuple[_Module, str] | None:
    if isinstance(func, ast.Name):
        found = names.get(func.id)
        return found if found and found[1] else None
    if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name):
        found = names.get(func.value.id)
        return (found[0], func.attr) if found and not found[1] else None
    return None


def _placeholder(value: ast.expr) -> Input | None:
    """The input that a placeholder is; None for anything else, and without a shape."""
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
        return None
    if value.func.attr != "placeholder":
        return None
    given = {**dict(zip(("dtype", "shape"), value.args, strict=False)),
             **{k.arg: k.value for k in value.keywords if k.arg}}  # fmt: skip
    dtype, shape = given.get("dtype"), given.get("shape")
    kind = dtype.attr if isinstance(dtype, ast.Attribute) else getattr(dtype, "value", None)
    if kind not in DTYPES or not isinstance(shape, (ast.List, ast.Tuple)):
        return None
    sizes: list[int | str] = []
    for number, size in enumerate(shape.elts):
        known = size.value if isinstance(size, ast.Constant) else None
        opened = "batch" if number == 0 else GUESS
        sizes.append(known if isinstance(known, int) and known > 0 else opened)
    high = 255.0 if kind == "uint8" else 2.0 if kind.startswith("int") else 1.0
    return Input("", tuple(sizes), kind, high=high)
