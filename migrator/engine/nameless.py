"""Whether anything in a program sees TensorFlow 1's names of its variables and of its optimizers' state.

What does goes by the store of the support package, or stays on tf.compat.v1: savers, collections, scopes,
layers, summaries. A program of which nothing is left of that but its variables and optimizers themselves
needs no store, and they may be TensorFlow 2's own (`transforms.nameless_state`).
"""

from __future__ import annotations

import ast
from functools import cache

from migrator.analysis.index import ProjectIndex
from migrator.analysis.parsed import Parsed
from migrator.analysis.tree_walk import walk
from migrator.engine.scanned import SUPPORT_PACKAGE
from migrator.model import FileResult
from migrator.support import has, render

CODE = "TF149"  # of what the transform does about it
#: Functions of the support package that make variables, for which TensorFlow 2 has its own.
VARIABLES = frozenset({"scopes.Variable", "scopes.get_variable"})
_OPTIMIZERS = "optimizers."
_STAYS = "compat.v1"
_STORE = "store.py"
_CAN_SEE = frozenset({"tensorflow", "keras", SUPPORT_PACKAGE})  # what a module imports that can
# Attributes of a variable that tell what it is called, or that TensorFlow 2's lack.
_NAMES = frozenset({"name", "op", "initialized_value"})


def may_be_nameless(result: FileResult, after: Parsed | None, index: ProjectIndex) -> bool:
    """Whether variables or optimizers are all that a migrated file needs a store for, and no module that
    uses TensorFlow can see them."""
    return (any(map(_is_state, result.support)) and needs_no_store(result)
            and after is not None and not _tells_names(after.tree) and _is_alone(index, result.path))


def needs_no_store(result: FileResult) -> bool:
    """Whether nothing but variables and optimizers needs the store of the support package."""
    text = result.new_text if result.new_text is not None else result.old_text
    return _STAYS not in text and not any(
        _stored(symbol) for symbol in result.support if not _is_state(symbol))


def _is_state(symbol: str) -> bool:
    return symbol in VARIABLES or symbol.startswith(_OPTIMIZERS)


@cache
def _stored(symbol: str) -> bool:
    """Whether a symbol of the support package brings the store with it: one that it lacks brings nothing."""
    return has(symbol) and _STORE in render([symbol])


def _tells_names(tree: ast.Module) -> bool:
    return any(isinstance(node, ast.Attribute) and node.attr in _NAMES for node in walk(tree))


def _is_alone(index: ProjectIndex, path: str) -> bool:
    """Whether no other module of the program that a file belongs to uses TensorFlow."""
    if index.module_at(path) is None:
        return False
    seen, pending = {path}, [path]
    while pending:
        current = pending.pop()
        for other in {*index.importers(current), *index.imported(current)} - seen:
            info = index.module_at(other)
            if info is None or any(name.split(".")[0] in _CAN_SEE for name in info.summary.imports):
                return False
            seen.add(other)
            pending.append(other)
    return True
