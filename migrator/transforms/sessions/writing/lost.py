"""The last look at a rewritten program: nothing may read what the rewrite took away."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrator.analysis.names import NameTable
from migrator.analysis.program_items import Obstacle
from migrator.analysis.tree_walk import walk


def refuse_lost_names(
    old: ast.Module, old_names: NameTable, new: ast.Module, known: Iterable[str]
) -> None:
    """Raise Obstacle where `new` reads a name or an attribute of its own that `old` still made.

    `known` are names that imports will bind. A name counts as made if any statement of its scope
    binds it: the order of statements is the planner's business.
    """
    missing = _unbound(NameTable.of(new)) - _unbound(old_names) - set(known)
    lost = sorted(name for name in missing if name in old_names.used_names)
    if not lost:
        lost = sorted(_unset(new) - _unset(old))
    if not lost:
        return
    name = lost[0]
    raise Obstacle(
        _reader(old, name), f"{name} is read where only the graph had it",
        "compute it in a function of its own, and call that",
    )


def _unbound(names: NameTable) -> set[str]:
    return {
        reference.root for reference in names.references
        if reference.role == "load" and names.find(reference.root, reference.scope) is None
    }


def _unset(tree: ast.Module) -> set[str]:
    """``self.x`` of classes whose methods read it but neither set nor define it."""
    found: set[str] = set()
    for node in tree.body:
        if not isinstance(node, ast.ClassDef):
            continue
        defined = {n.name for n in node.body if isinstance(n, ast.FunctionDef)}
        read: set[str] = set()
        for inner in walk(node):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                defined.add(inner.id)
            if not (isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Name)):
                continue
            if inner.value.id == "self":
                (read if isinstance(inner.ctx, ast.Load) else defined).add(inner.attr)
        found |= {f"self.{name}" for name in read - defined}
    return found


def _reader(tree: ast.Module, name: str) -> ast.AST:
    """The first place that reads a name."""
    places = [
        node for node in walk(tree)
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load)
        and ast.unparse(node) == name
    ]
    return min(places, key=lambda node: (node.lineno, node.col_offset), default=tree.body[0])
