"""Which methods that Python 3's dicts lost a module gives to classes of its own."""

from __future__ import annotations

import ast

from migrator.analysis.facts import fact
from migrator.analysis.names import NameTable
from migrator.analysis.tree_walk import walk


@fact("own_has_key", "def has_key", anywhere=True)
def own_has_key(tree: ast.Module, names: NameTable, module: str) -> bool | None:
    """Whether a function of the module is called `has_key`: then `x.has_key(k)` may not be a dict's."""
    del names, module
    return any(isinstance(node, ast.FunctionDef) and node.name == "has_key" for node in walk(tree)) or None
