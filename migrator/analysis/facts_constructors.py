"""What making an object of a class does to the graph: the operations and variables it adds."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

from migrator.analysis import graph_kinds as k
from migrator.analysis.facts import fact
from migrator.analysis.facts_functions import call_flags, module_functions
from migrator.analysis.names import NameTable, Scope
from migrator.analysis.tree_walk import self_attribute, walk
from migrator.analysis.values import FunctionFact


@fact("constructors", when=lambda tree: any(isinstance(n, ast.ClassDef) for n in tree.body))
def constructor_facts(tree: ast.Module, names: NameTable, module: str) -> dict[str, Any] | None:
    """Class name -> {flags, calls} of its constructor, as `function_facts` has them of functions."""
    del module
    return _packed(module_constructors(tree, names, _functions(tree, names).get))


@fact("methods", when=lambda tree: any(isinstance(n, ast.ClassDef) for n in tree.body))
def method_facts(tree: ast.Module, names: NameTable, module: str) -> dict[str, Any] | None:
    """Method name -> {flags, calls} of what the module's classes call so, as `function_facts` has them."""
    del module
    return _packed(module_methods(tree, names, _functions(tree, names).get))


@lru_cache(maxsize=1)  # constructors and methods of a module are asked for one after the other
def _functions(tree: ast.Module, names: NameTable) -> dict[str, FunctionFact]:
    """The functions of a module, by name."""
    return {name: found for name, (found, _) in module_functions(tree, names).items()}


def _packed(made: dict[str, tuple[frozenset[str], set[str]]]) -> dict[str, Any] | None:
    return {
        name: {"flags": sorted(flags), "calls": sorted(calls)} for name, (flags, calls) in made.items()
    } or None


def module_methods(
    tree: ast.Module, names: NameTable, known: Callable[[str], FunctionFact | None]
) -> dict[str, tuple[frozenset[str], set[str]]]:
    """Method name -> (flags, names called) of the methods that classes of the module have by it."""
    scopes: dict[int, Scope] = {id(scope.node): scope for scope in names.scopes}
    result: dict[str, tuple[frozenset[str], set[str]]] = {}
    for holder in tree.body:
        for method in holder.body if isinstance(holder, ast.ClassDef) else ():
            if isinstance(method, ast.FunctionDef) and method.name != "__init__":
                flags, calls = call_flags(method, names, scopes.get(id(method)), known)
                old = result.get(method.name, (frozenset[str](), set[str]()))
                if flags or calls:
                    result[method.name] = old[0] | flags, old[1] | calls
    return result


def module_constructors(
    tree: ast.Module, names: NameTable, known: Callable[[str], FunctionFact | None]
) -> dict[str, tuple[frozenset[str], set[str]]]:
    """Class name -> (flags, dotted names called) of making an object; `known` tells the module's
    functions by name. Classes with neither are left out. A flag ``tensor x`` says that the attribute
    `x` is one tensor."""
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    scopes: dict[int, Scope] = {id(scope.node): scope for scope in names.scopes}
    result: dict[str, tuple[frozenset[str], set[str]]] = {}
    for name, node in classes.items():
        flags, calls = set[str](), set[str]()
        for method in reached(node, classes):
            found, named = call_flags(method, names, scopes.get(id(method)), known)
            flags |= found
            calls |= named
        calls |= set(_foreign_bases(node, classes, names))
        if flags or calls:
            flags |= {f"tensor {attribute}" for attribute in _tensors(node, names)}
            result[name] = frozenset(flags), calls
    return result


def _tensors(node: ast.ClassDef, names: NameTable) -> Iterable[str]:
    """Attributes that are set once, to what TensorFlow gives one tensor for, or a sum or the like."""
    stored: dict[str, list[ast.expr | None]] = {}
    for inner in walk(node):
        value = inner.value if isinstance(inner, ast.Assign) and len(inner.targets) == 1 else None
        for target in inner.targets if isinstance(inner, ast.Assign) else ():
            if (attribute := self_attribute(target)) is not None:
                stored.setdefault(attribute, []).append(value)
            elif isinstance(target, (ast.Tuple, ast.List)):
                for part in target.elts:
                    stored.setdefault(self_attribute(part) or "", []).append(None)
    for attribute, values in stored.items():
        value = values[0]
        if attribute and len(values) == 1 and value is not None and _is_tensor(value, names):
            yield attribute


def _is_tensor(node: ast.expr, names: NameTable) -> bool:
    if isinstance(node, ast.BinOp):
        return _is_tensor(node.left, names) or _is_tensor(node.right, names)
    symbol = names.resolve_node(node.func, values=False) if isinstance(node, ast.Call) else None
    return (
        k.kind_of(symbol) == k.TENSOR and symbol not in k.SEVERAL
        and symbol not in ("tensorflow.py_func", "tensorflow.cond")
    )


def reached(node: ast.ClassDef, classes: dict[str, ast.ClassDef]) -> Iterable[ast.FunctionDef]:
    """The methods that making an object may run: the constructor and what it mentions of the
    object, of the class and of its bases in the module."""
    family = _family(node, classes)
    methods: dict[str, list[ast.FunctionDef]] = {}
    for member in family:
        for inner in member.body:
            if isinstance(inner, ast.FunctionDef):
                methods.setdefault(inner.name, []).append(inner)
    found: dict[int, ast.FunctionDef] = {}
    pending = list(methods.get("__init__", ()))
    while pending:
        method = pending.pop()
        if id(method) in found:
            continue
        found[id(method)] = method
        mentioned = {n.attr for n in walk(method) if isinstance(n, ast.Attribute)}
        pending += [m for name in mentioned & set(methods) for m in methods[name]]
    return found.values()


def _family(node: ast.ClassDef, classes: dict[str, ast.ClassDef]) -> list[ast.ClassDef]:
    """A class and its bases in the module."""
    found = [node]
    for member in found:  # grows on the way
        for base in member.bases:
            other = classes.get(base.id) if isinstance(base, ast.Name) else None
            if other is not None and other not in found:
                found.append(other)
    return found


def _foreign_bases(
    node: ast.ClassDef, classes: dict[str, ast.ClassDef], names: NameTable
) -> Iterable[str]:
    """Dotted names of the bases in other modules of the project, whose constructors run as well."""
    for member in _family(node, classes):
        for base in member.bases:
            symbol = names.resolve_node(base, values=False)
            if symbol and "." in symbol and not symbol.startswith(("tensorflow.", "builtins.")):
                yield symbol
