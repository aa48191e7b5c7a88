"""In which scope each node of a module lies, what its names are there, and what is assigned to them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.analysis.names import NameTable, Scope
from migrator.analysis.tree_walk import children, walk

_MOVED = {
    **{f"six.moves.{name}": f"builtins.{name}" for name in ("range", "zip", "map", "filter")},
    "six.moves.xrange": "builtins.range",
}


class Places:
    """Scopes of the nodes of a module."""

    def __init__(self, tree: ast.Module, names: NameTable) -> None:
        self.names = names
        self._scope: dict[int, Scope] = {id(tree): names.module_scope}
        queue: list[ast.AST] = [tree]
        for node in queue:  # grows on the way
            scope = names.made_by(node) or self._scope[id(node)]
            for child in children(node):
                self._scope[id(child)] = scope
                queue.append(child)

    def called(self, call: ast.Call) -> str | None:
        """The canonical name of the function that is called; six.moves has those of Python 3."""
        name = self.names.resolve_node(call.func, self._scope.get(id(call)), values=False)
        return _MOVED.get(name, name) if name is not None else None

    def key(self, node: ast.expr) -> tuple[int, str] | None:
        """What tells one name of a scope, or one attribute of the objects of a class, from others."""
        scope = self._scope.get(id(node), self.names.module_scope)
        if isinstance(node, ast.Name):
            found = self.names.find(node.id, scope)
            return (found[0].index, node.id) if found is not None else None
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
            owner: Scope | None = scope
            while owner is not None and owner.kind != "class":
                owner = owner.parent
            return (owner.index, f"self.{node.attr}") if owner is not None else None
        return None


def assigned(tree: ast.Module, places: Places) -> Iterator[tuple[tuple[int, str], ast.expr]]:
    """(name, value) of every assignment of one value to one name or attribute of `self`."""
    for node in walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                pairs = [(target, node.value)]
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    if len(target.elts) == len(node.value.elts):
                        pairs = list(zip(target.elts, node.value.elts, strict=True))
                for one, value in pairs:
                    key = places.key(one) if isinstance(one, (ast.Name, ast.Attribute)) else None
                    if key is not None:
                        yield key, value
