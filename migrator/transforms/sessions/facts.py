"""What is known of the functions that a file calls, its own and those of the project."""

from __future__ import annotations

import ast
from functools import cached_property

from migrator.analysis import graph_kinds as k
from migrator.analysis.facts_constructors import module_constructors, module_methods
from migrator.analysis.facts_functions import module_functions
from migrator.analysis.facts_graph_classes import placeholder_attributes
from migrator.analysis.names import NameTable
from migrator.analysis.values import FORMS, FunctionFact
from migrator.engine.context import FileContext

#: What making an object does that builds a graph of its own.
GRAPH_OBJECT = FunctionFact(k.PY, (), frozenset({"graph object"}))
# What is known of a method by its name only: what it makes, not what it needs or gives.
_MADE = frozenset({"ops", "layers", "variables", "tf variables", "default names", "batch_norm", "keras",
                   "optimizers", "cond"})
_KINDS = frozenset({"functions", "constructors", "methods"})  # of facts that have flags


class FunctionTable:
    """Facts of the functions that one file calls: its own and those of the project's index."""

    def __init__(self, ctx: FileContext, tree: ast.Module, names: NameTable) -> None:
        self._ctx = ctx
        self._tree = tree
        self._names = names
        self._cache: dict[str, FunctionFact | None] = {}

    @cached_property
    def _own(self) -> dict[str, tuple[FunctionFact, set[str]]]:
        return module_functions(self._tree, self._names)

    @cached_property
    def _graphs(self) -> set[str]:
        return {
            n.name for n in self._tree.body if isinstance(n, ast.ClassDef)
            and n.name not in self._own and placeholder_attributes(n, self._names)
        }

    @cached_property
    def _constructors(self) -> dict[str, tuple[frozenset[str], set[str]]]:
        known = {name: fact for name, (fact, _) in self._own.items()}
        return module_constructors(self._tree, self._names, known.get)

    @cached_property
    def _methods(self) -> dict[str, list[tuple[frozenset[str], set[str]]]]:
        """What methods and classes of the file, and of modules that it reaches, do, by their names."""
        result: dict[str, list[tuple[frozenset[str], set[str]]]] = {}
        known = {name: fact for name, (fact, _) in self._own.items()}
        for own in (self._constructors, module_methods(self._tree, self._names, known.get)):
            for name, found in own.items():
                result.setdefault(name, []).append(found)
        index = self._ctx.index
        for path in sorted(index.reached(self._ctx.path) - {self._ctx.path}):
            for kind in ("constructors", "methods"):
                for name, record in (index.fact(path, kind, self._ctx.path) or {}).items():
                    result.setdefault(name, []).append(
                        (frozenset(record["flags"]), set(record["calls"])))
        return result

    def __call__(self, name: str) -> FunctionFact | None:
        """What a function does, or making an object of a class; ``.m``, ``.a.b``: what a method of any
        class may make, or a function of a module that does not mention TensorFlow."""
        if name.startswith("."):
            return self._made(name, 0)
        if name in self._own:
            fact, calls = self._own[name]
            return FunctionFact(fact.kind, fact.parts, fact.flags | self._inherited(calls, 0),
                                fact.node)
        if name in self._graphs:
            return GRAPH_OBJECT
        if name in self._constructors:
            flags, calls = self._constructors[name]
            return FunctionFact(k.PY, (), flags | self._inherited(calls, 0))
        return self._foreign(name, 0) if "." in name else None

    def _foreign(self, dotted: str, depth: int) -> FunctionFact | None:
        if dotted in self._cache or depth > 12:
            return self._cache.get(dotted)
        self._cache[dotted] = None
        found = self._ctx.index.definition(dotted, self._ctx.path)
        if found is None:
            return None
        module, rest = found
        facts = self._ctx.index.fact(module.path, "functions", self._ctx.path) or {}
        record = facts.get(rest)
        if record is None:
            if rest and rest.split(".")[0] in module.summary.classes:
                self._cache[dotted] = self._constructed(module.path, rest, depth)
            return self._cache[dotted]
        flags = frozenset(record["flags"]) | self._inherited(set(record["calls"]), depth + 1)
        self._cache[dotted] = FunctionFact(record["kind"], tuple(record["parts"]), flags)
        return self._cache[dotted]

    def _constructed(self, path: str, name: str, depth: int) -> FunctionFact:
        """What making an object of another module's class does."""
        if name in (self._ctx.index.fact(path, "graph_classes", self._ctx.path) or {}):
            return GRAPH_OBJECT
        facts = self._ctx.index.fact(path, "constructors", self._ctx.path) or {}
        record = facts.get(name, {"flags": (), "calls": ()})
        flags = frozenset(record["flags"]) | self._inherited(set(record["calls"]), depth + 1)
        if not self._ctx.index.modules[path].summary.facts.keys() & _KINDS:
            flags |= _what_is_made(self._behind(path))  # by what it extends and calls
        return FunctionFact(k.PY, (), flags)

    def _made(self, name: str, depth: int) -> FunctionFact | None:
        """What the methods, or the classes, by a name make; of a dotted name, what its module reaches."""
        if name in self._cache or depth > 12:
            return self._cache.get(name)
        self._cache[name] = None
        flags = self._reached_by(name[1:]) if "." in name[1:] else frozenset[str]()
        for own, calls in self._methods.get(name[1:], ()):
            flags |= own | self._inherited(calls, depth + 1)
        if flags:
            self._cache[name] = FunctionFact(k.PY, (), _what_is_made(flags))
        return self._cache[name]

    def _reached_by(self, dotted: str) -> frozenset[str]:
        """What is made in the modules that one imports which does not mention TensorFlow itself."""
        index = self._ctx.index
        found = index.definition(dotted, self._ctx.path)
        if found is None or found[0].summary.facts.keys() & _KINDS:
            return frozenset()
        return self._behind(found[0].path)

    def _behind(self, path: str) -> frozenset[str]:
        """The flags of all that stands in the modules which one reaches."""
        index = self._ctx.index
        return frozenset(flag for other in index.reached(path) for kind in _KINDS
                         for record in (index.fact(other, kind) or {}).values() for flag in record["flags"])

    def _inherited(self, calls: set[str], depth: int) -> frozenset[str]:
        flags: frozenset[str] = frozenset()
        for call in calls:
            found = None if call.startswith(".") else self._foreign(call, depth)
            if found is None:
                found = self._made(call if call.startswith(".") else f".{call}", depth)
            if found is not None:
                flags |= found.flags - FORMS - {"session"}
        return flags


def _what_is_made(flags: frozenset[str]) -> frozenset[str]:
    return frozenset(flag for flag in flags if flag in _MADE or flag.startswith("variable "))
