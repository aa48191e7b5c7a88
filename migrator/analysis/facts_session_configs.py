"""By which names a module's calls are given session configurations that they did not make."""

from __future__ import annotations

import ast

from migrator.analysis.facts import fact
from migrator.analysis.names import NameTable
from migrator.analysis.tree_walk import walk

_KEYWORDS = ("config", "session_config")
_SESSIONS = ("Session", "InteractiveSession")


@fact("session_config_takers", "config", "Session")
def taken_by_name(tree: ast.Module, names: NameTable, module: str) -> list[str] | None:
    """Every name in the value of a `config=` or `session_config=` argument, in what is assigned to
    those names or put into them in the same function, and of that function if it is given the value."""
    del names, module
    found: set[str] = set()
    classes = {
        n: c.name for c in walk(tree) if isinstance(c, ast.ClassDef)
        for n in c.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"
    }  # a class is called by its own name
    for scope in [tree, *(n for n in walk(tree) if isinstance(n, ast.FunctionDef))]:
        own: set[str] = set()
        for node in walk(scope):
            if isinstance(node, ast.Call):
                values = [k.value for k in node.keywords if k.arg in _KEYWORDS]
                if _label(node.func) in _SESSIONS and len(node.args) > 2:
                    values.append(node.args[2])
                for value in values:
                    own |= _names(value)
        for node in walk(scope):
            if isinstance(node, ast.Assign) and any(_names(t) & own for t in node.targets):
                own |= _names(node.value)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if _names(node.func.value) & own:  # config.CopyFrom(other)
                    own = own.union(*(_names(a) for a in node.args))
        if isinstance(scope, ast.FunctionDef):
            given = {a.arg for a in (*scope.args.args, *scope.args.kwonlyargs)}
            own |= {classes.get(scope, scope.name)} if given & own else set()
        found |= own
    return sorted(found) or None


def _label(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _names(value: ast.AST) -> set[str]:
    return {n.id for n in walk(value) if isinstance(n, ast.Name)} | {
        n.attr for n in walk(value) if isinstance(n, ast.Attribute)
    }
