"""Where the names of a module lead, as written: absolute dotted paths, aliases followed."""

from __future__ import annotations

import ast
import builtins

from migrator.analysis.names import Binding, NameTable, Scope

BUILTINS = frozenset((*dir(builtins), "__file__", "__path__", "__builtins__", "__annotations__"))
_MOST = 4  # different things that a name may stand for, before nobody follows it


class Paths:
    """The paths of a module's names.

    `module` is the module's own dotted name, under which its functions and classes stand.
    """

    def __init__(self, names: NameTable, module: str) -> None:
        self.names = names
        self.module = module
        self.known: dict[tuple[int, str], tuple[str, ...] | None] = {}
        self.read: set[tuple[int, str]] = set()  # (index of the scope that binds it, name) asked for

    def of(self, name: str, scope: Scope) -> tuple[str, ...] | None:
        """The paths that a name may stand for; none for one that is bound nowhere; None for
        anything that no path tells."""
        key = (scope.index, name)
        if key in self.known:
            return self.known[key]
        self.known[key] = None  # x = x.y
        found = self.names.find(name, scope)
        if found is None:
            result: tuple[str, ...] | None = () if name not in BUILTINS else None
        else:
            self.read.add((found[0].index, name))
            result = self._of_all(found[1])
        self.known[key] = result
        return result

    def _of_all(self, bindings: list[Binding]) -> tuple[str, ...] | None:
        paths: list[str] = []
        for binding in bindings:
            if binding.kind == "none":
                continue
            some = self._of_one(binding)
            if some is None:
                return None
            paths += [path for path in some if path not in paths]
        return tuple(paths) if 0 < len(paths) <= _MOST else None

    def _of_one(self, binding: Binding) -> tuple[str, ...] | None:
        if binding.kind == "import":
            return (binding.target,)
        if binding.kind in ("alias", "value"):
            assert binding.value is not None
            if isinstance(binding.node, ast.With):
                return None  # what __enter__ gives
            return self.of_expression(binding.value, binding.scope)
        node = binding.node
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            if binding.scope.kind == "module" and self.module:
                return (f"{self.module}.{node.name}",)
        return None

    def of_expression(self, node: ast.expr, scope: Scope) -> tuple[str, ...] | None:
        """The paths of a dotted name, calls in it shown as ``()``."""
        rest = ""
        while True:
            if isinstance(node, ast.Attribute):
                rest = f".{node.attr}{rest}"
                node = node.value
            elif isinstance(node, ast.Call):
                rest = f"(){rest}"
                node = node.func
            else:
                break
        if not isinstance(node, ast.Name):
            return None
        paths = self.of(node.id, scope)
        return tuple(path + rest for path in paths) if paths else None
