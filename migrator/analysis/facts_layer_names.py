"""Which functions and classes of a module give the name that they are called with to a Keras layer."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.analysis.facts import fact
from migrator.analysis.index import ProjectIndex
from migrator.analysis.names import NameTable
from migrator.analysis.tree_walk import walk
from migrator.analysis.value_kinds import Function, parameters

_ANSWER = "layer names"
_MODULES = ("tensorflow.keras.layers.", "tensorflow.keras.models.", "tensorflow.keras.Model",
            "tensorflow.keras.Sequential", "keras.layers.", "keras.models.")  # fmt: skip


@fact("layer_names", "keras")
def naming(tree: ast.Module, names: NameTable, module: str) -> list[str] | None:
    """Names of functions whose parameter `name` is that of a layer, and of classes of layers."""
    del module
    return sorted(set(_naming(tree, names))) or None


def _naming(tree: ast.Module, names: NameTable) -> Iterator[str]:
    for node in walk(tree):
        if isinstance(node, ast.ClassDef):
            if any(_is_layer(base, names) for base in node.bases):
                yield node.name
        elif isinstance(node, Function) and "name" in parameters(node):
            if any(isinstance(call, ast.Call) and _is_layer(call.func, names) and any(
                    w.arg == "name" and isinstance(w.value, ast.Name) and w.value.id == "name"
                    for w in call.keywords) for call in walk(node)):
                yield node.name


def _is_layer(node: ast.expr, names: NameTable) -> bool:
    return (names.resolve_node(node, values=False) or "").startswith(_MODULES)


def layer_namers(index: ProjectIndex) -> frozenset[str]:
    """The names of a project's functions and classes whose argument `name` is that of a Keras layer."""
    found = index.answers.get(_ANSWER)
    if found is None:
        found = index.answers[_ANSWER] = frozenset(
            name for info in index.modules.values() for name in info.summary.facts.get("layer_names") or ())
    assert isinstance(found, frozenset)
    return found
