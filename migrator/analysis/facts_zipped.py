"""Which functions of a project are given pairs, as `batches(list(zip(texts, labels)))` gives them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from migrator.analysis.facts import fact
from migrator.analysis.index import ProjectIndex, absolute_name
from migrator.analysis.names import NameTable
from migrator.analysis.tree_walk import walk

Given = tuple[str, int | str]  # a function, and which argument: its place or its name


@fact("zipped", "zip(", anywhere=True)
def zipped_arguments(tree: ast.Module, names: NameTable, module: str) -> list[Given] | None:
    """The calls of a module that hand over pairs: the name of the function as the module knows it."""
    del module
    pairs = paired_names(tree)
    found: set[Given] = set()
    for call in walk(tree):
        if not isinstance(call, ast.Call):
            continue
        given: list[tuple[int | str, ast.expr]] = list(enumerate(call.args))
        given += [(word.arg, word.value) for word in call.keywords if word.arg]
        keys = [key for key, value in given if is_paired(value, pairs)]
        symbol = keys and (names.resolve_node(call.func, values=False) or ast.unparse(call.func))
        if symbol and not symbol.startswith(("builtins.", "numpy.", "tensorflow.")):
            found |= {(symbol, key) for key in keys}
    return sorted(found, key=repr) or None


def paired_names(tree: ast.Module) -> frozenset[str]:
    """Names that some statement of a file makes a list of pairs."""
    return frozenset(
        target.id for node in walk(tree) if isinstance(node, ast.Assign) and is_paired(node.value)
        for target in node.targets if isinstance(target, ast.Name))


def is_paired(node: ast.expr, names: frozenset[str] = frozenset()) -> bool:
    """Whether an expression is ``list(zip(a, b))``, the same sorted, or one of `names`."""
    if isinstance(node, ast.Name):
        return node.id in names
    if not (isinstance(node, ast.Call) and ast.unparse(node.func) in ("list", "sorted") and node.args):
        return False
    inner = node.args[0]
    return is_paired(inner, names) or isinstance(inner, ast.Call) and (
        ast.unparse(inner.func) == "zip" and len(inner.args) > 1
        and not any(isinstance(a, ast.Starred) for a in inner.args))


def given_pairs(
    index: ProjectIndex, path: str, tree: ast.Module, names: NameTable
) -> Iterator[tuple[ast.FunctionDef, str]]:
    """Functions of the module at `path`, each with a parameter that some call gives pairs."""
    told: dict[str, set[int | str]] = {}
    own: Any = zipped_arguments(tree, names, path) or ()
    for symbol, key in own:
        told.setdefault(symbol, set()).add(key)
    for other in index.importers(path):
        info = index.modules[other]
        given: Any = info.summary.facts.get("zipped") or ()
        for symbol, key in given:
            name = absolute_name(symbol, info)
            hit = index.resolve(name, other) if name else None
            if hit is not None and hit[0].path == path:
                told.setdefault(hit[1], set()).add(key)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            parameters = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
            for key in sorted(told.get(node.name, ()), key=str):
                if isinstance(key, str):
                    yield node, key
                elif key < len(parameters):
                    yield node, parameters[key]


def digest(index: ProjectIndex, path: str) -> str:
    """What the answers about a module depend on, beyond the modules that it imports."""
    return repr(sorted((other, found) for other in index.importers(path)
                       if (found := index.modules[other].summary.facts.get("zipped"))))
