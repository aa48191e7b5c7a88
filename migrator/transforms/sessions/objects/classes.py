"""What the classes of objects that build a graph look like: constructor, attributes, properties."""

from __future__ import annotations

import ast

from migrator.analysis.class_program import ClassProgram
from migrator.analysis.program import Program
from migrator.engine.context import FileContext
from migrator.transforms.sessions.facts import FunctionTable


def class_of(tree: ast.Module, name: str) -> ast.ClassDef:
    return next(n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == name)


def constructor(node: ast.ClassDef) -> ast.FunctionDef | None:
    return next((n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"),
                None)


def class_program(home: FileContext, node: ast.ClassDef) -> ClassProgram:
    """The model of what making an object of a class of the file builds."""
    names = home.names
    table = FunctionTable(home, home.tree, names)
    scopes = {id(scope.node): scope for scope in names.scopes}
    module = Program(names, names.module_scope, home.tree.body, table)
    return ClassProgram(names, node, scopes, table, module)


def given_by(method: ast.stmt, owner: str) -> str | None:
    """The attribute of the object that a method returns at its end, if it is a property."""
    if not isinstance(method, ast.FunctionDef) or [
        ast.unparse(d) for d in method.decorator_list
    ] != ["property"]:
        return None
    last = method.body[-1]
    returned = last.value if isinstance(last, ast.Return) else None
    if isinstance(returned, ast.Attribute) and ast.unparse(returned.value) == owner:
        return returned.attr
    return None
