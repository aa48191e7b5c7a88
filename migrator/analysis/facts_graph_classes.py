"""Which classes of a module build a graph that others may run: those that keep placeholders."""

from __future__ import annotations

import ast
from typing import Any

from migrator.analysis import graph_kinds as k
from migrator.analysis.facts import fact
from migrator.analysis.names import NameTable
from migrator.analysis.tree_walk import walk


@fact(
    "graph_classes", "placeholder",
    when=lambda tree: any(isinstance(node, ast.ClassDef) for node in tree.body),
)
def graph_classes(tree: ast.Module, names: NameTable, module: str) -> dict[str, Any] | None:
    """Class name -> names of the attributes that its methods bind placeholders to."""
    del module
    found = {
        node.name: attributes
        for node in tree.body if isinstance(node, ast.ClassDef)
        if (attributes := placeholder_attributes(node, names))
    }
    return found or None


def placeholder_attributes(node: ast.ClassDef, names: NameTable) -> list[str]:
    """``self.x`` of a class that are placeholders, without ``self.``."""
    found = []
    for inner in walk(node):
        if not (isinstance(inner, ast.Assign) and isinstance(inner.value, ast.Call)):
            continue
        symbol = names.resolve_node(inner.value.func, values=False) or ""
        if not symbol.startswith("tensorflow.") or k.call_kind(symbol) != k.PLACEHOLDER:
            continue
        found += [
            target.attr for target in inner.targets
            if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name)
        ]
    return sorted(set(found))
