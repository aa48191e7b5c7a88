"""The graph-program model of a class: the graph is built by some methods and run by others."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import replace

from migrator.analysis import graph_kinds as k
from migrator.analysis.facts_functions import function_summary
from migrator.analysis.feed_methods import feed_methods
from migrator.analysis.names import NameTable, Scope
from migrator.analysis.program import Program
from migrator.analysis.program_items import Obstacle
from migrator.analysis.tree_walk import calls_in, walk
from migrator.analysis.values import FORMS, FunctionFact, Value

_BUILDER = ("build", "_build", "__build", "create", "_create", "construct", "init_", "_init",
            "setup", "_setup", "add_", "_add", "define", "make_", "_make")


def building_methods(node: ast.ClassDef) -> list[ast.FunctionDef]:
    """The methods with which building a class's graph begins: `__init__`, and those that build by
    their name, take nothing, and are not called by another one."""
    defined = {n.name: n for n in node.body if isinstance(n, ast.FunctionDef)}
    roots = [defined["__init__"]] if "__init__" in defined else []
    builders = [
        method for name, method in defined.items()
        if name.startswith(_BUILDER) and len(method.args.args) == 1 and not method.decorator_list
    ]
    if not builders:
        return roots
    called = {call.func.attr for call in calls_in(node) if isinstance(call.func, ast.Attribute)}
    return roots + [method for method in builders if method.name not in called]


class ClassProgram(Program):
    """What `__init__` and the building methods that it calls do, in the order they do it.

    Attributes of the object are names of their own (``self.loss``). `builders` are the methods
    whose statements are part of the program, `methods` the others; `feeds` are those of them that
    make what runs are fed.
    """

    def __init__(
        self,
        names: NameTable,
        node: ast.ClassDef,
        scopes: dict[int, Scope],
        function: Callable[[str], FunctionFact | None],
        parent: Program,
    ) -> None:
        self.node = node
        self._scopes = scopes
        self.defined = {n.name: n for n in node.body if isinstance(n, ast.FunctionDef)}
        self.builders: list[ast.FunctionDef] = []
        self.call_of: dict[str, ast.stmt] = {}
        self.method_of: dict[int, ast.FunctionDef] = {}
        first = self.defined.get("__init__")
        owner = first.args.args[0].arg if first is not None and first.args.args else "self"
        self.feeds = feed_methods(self.defined, owner)
        self._roots = building_methods(node)
        self._function = function
        self._facts: dict[str, tuple[FunctionFact, frozenset[str]] | None] = {}
        super().__init__(names, scopes[id(node)], [], function, parent, owner)
        self.methods = [m for m in self.defined.values() if m not in self.builders]

    def _assigned_names(self) -> set[str]:
        return set()

    def _build_all(self) -> None:
        self.builders = []
        for root in self._roots:
            self._build_method(root, ())

    def _build_method(self, method: ast.FunctionDef, parents: tuple[ast.stmt, ...]) -> None:
        """`parents` are the scopes that are open where the method is called."""
        if method in self.builders:
            raise Obstacle(method, f"{method.name} builds a part of the graph twice",
                           "give the parts methods of their own")
        self.builders.append(method)
        start = len(self.items)
        outer, self.expressions.scope = self.expressions.scope, self._scopes[id(method)]
        self._bind_parameters(method, None)
        self._build(method.body, parents)
        self.expressions.scope = outer
        for item in self.items[start:]:
            self.method_of.setdefault(id(item.stmt), method)

    def _statement(self, stmt: ast.stmt, parents: tuple[ast.stmt, ...]) -> None:
        called = self._called_builder(stmt)
        super()._statement(stmt, parents)
        if called is not None:
            if parents and not all(isinstance(p, ast.With) for p in parents):
                raise Obstacle(stmt, "a part of the graph is built on some ways only",
                               "build the whole graph at once")
            self.call_of[called.name] = stmt
            self._bind_arguments(called, stmt.value)  # type: ignore[attr-defined]
            self._build_method(called, parents)

    def method_fact(self, name: str) -> tuple[FunctionFact, frozenset[str]] | None:
        """See `Program.method_fact`; known of methods that give something and run no session."""
        if name in self._facts or name not in self.defined:
            return self._facts.get(name)
        if name in self.feeds:
            self._facts[name] = FunctionFact(k.PY, (), frozenset()), frozenset()
            return self._facts[name]
        self._facts[name] = None  # of a method that calls itself nothing is known
        node = self.defined[name]
        names = self.expressions.names
        gives = any(isinstance(n, ast.Return) and n.value is not None for n in walk(node))
        if not gives or node.decorator_list or any(
            isinstance(call.func, ast.Attribute) and call.func.attr in ("run", "eval")
            for call in calls_in(node)
        ):
            return None
        fact, calls = function_summary(node, names, self._scopes, self._function)
        flags, read = set(fact.flags), set[str]()
        for called in calls - {f".{own}" for own in self.defined}:
            known = self._function(called) or self._function(f".{called.removeprefix('.')}")
            flags |= known.flags - FORMS - {"session"} if known is not None else frozenset()
        for inner in walk(node):
            if not isinstance(inner, ast.Attribute) or not isinstance(inner.ctx, ast.Load) or (
                not isinstance(inner.value, ast.Name) or inner.value.id != self.owner
            ):
                continue
            if inner.attr not in self.defined:
                read.add(inner.attr)
                continue
            other = self.method_fact(inner.attr)
            if other is None:
                return None
            flags |= other[0].flags - FORMS
            read |= other[1]
        found = replace(fact, flags=frozenset(flags)), frozenset(read)
        self._facts[name] = found
        return found

    def _bind_arguments(self, method: ast.FunctionDef, call: ast.Call) -> None:
        names = [a.arg for a in method.args.args[1:]]
        pairs = [*zip(names, call.args, strict=False)]
        pairs += [(a.arg, a.value) for a in call.keywords if a.arg is not None]
        for name, node in pairs:
            self.env[name] = self.expressions.value(node)

    def _called_builder(self, stmt: ast.stmt) -> ast.FunctionDef | None:
        if not (isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Call)):
            return None
        call = stmt.value
        if not isinstance(call.func, ast.Attribute):
            return None
        if any(self.expressions.value(a).traced for a in call.args) or any(
            a.arg is None or self.expressions.value(a.value).traced for a in call.keywords
        ):
            return None
        if not (isinstance(call.func.value, ast.Name) and call.func.value.id == self.owner):
            return None
        return self.defined.get(call.func.attr)

    def blocks(self) -> list[list[ast.stmt]]:
        return [method.body for method in self.builders]

    def attributes(self) -> dict[str, Value]:
        """What the attributes of the object hold."""
        prefix = f"{self.owner}."
        return {
            name.removeprefix(prefix): value for name, value in self.env.items()
            if name.startswith(prefix)
        }

    def graph_attributes(self) -> set[str]:
        """Attributes that only exist inside steps once the class is rewritten."""
        return {name for name, value in self.attributes().items() if value.traced}


def attribute_users(
    trees: Iterable[ast.Module], attributes: set[str], inside: ast.ClassDef
) -> ast.Attribute | None:
    """An access to one of `attributes` outside the class, None if there is none."""
    own = {id(node) for node in walk(inside)}
    for tree in trees:
        for node in walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in attributes and id(node) not in own:
                if not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls", "tf",
                                                                               "np", "FLAGS")):
                    return node
    return None
