"""Whose results a module asks for the name of their op: `f(...)` where `x = f(...); x.op.name`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.analysis.facts import fact
from migrator.analysis.names import NameTable
from migrator.analysis.tree_walk import walk

Function = ast.FunctionDef | ast.AsyncFunctionDef


def owners_of_op_names(tree: ast.AST) -> set[str]:
    """The names `x` of which `x.op.name` is read somewhere below `tree`."""
    return {
        node.value.value.id
        for node in walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr == "name"
        and isinstance(node.value, ast.Attribute)
        and node.value.attr == "op"
        and isinstance(node.value.value, ast.Name)
    }


def assigned_calls(tree: ast.AST, names: set[str]) -> Iterator[ast.Call]:
    """The calls that are assigned to one of `names` alone, below `tree`."""
    for node in walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            target = node.targets[0]
            if len(node.targets) == 1 and isinstance(target, ast.Name) and target.id in names:
                yield node.value


def functions_of(tree: ast.Module) -> Iterator[Function]:
    """Every function of a module, methods and inner functions too."""
    for node in walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node


@fact("op_names", ".op")
def asked_functions(tree: ast.Module, names: NameTable, module: str) -> list[str] | None:
    """Dotted names of the functions whose result's `.op.name` this module reads."""
    del module
    asked: set[str] = set()
    if not any(tuple(reference.attrs[-2:]) == ("op", "name") for reference in names.references):
        return None
    for function in functions_of(tree):
        owners = owners_of_op_names(function)
        for call in assigned_calls(function, owners) if owners else ():
            found = names.resolve_node(call.func)
            if found is not None:
                asked.add(found)
    return sorted(asked) or None
