"""What is known of the functions that a file calls, its own and those of the project."""

from __future__ import annotations

import ast
from functools import cached_property

from migrator.analysis import graph_kinds as k
from migrator.analysis.facts_functions import module_functions
from migrator.analysis.facts_graph_classes import placeholder_attributes
from migrator.analysis.names import NameTable
from migrator.analysis.values import FORMS, FunctionFact
from migrator.engine.context import FileContext

#: What making an object does that builds a graph of its own.
GRAPH_OBJECT = FunctionFact(k.PY, (), frozenset({"graph object"}))


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

    def __call__(self, name: str) -> FunctionFact | None:
        if name in self._own:
            fact, calls = self._own[name]
            return FunctionFact(fact.kind, fact.parts, fact.flags | self._inherited(calls, 0),
                                fact.node)
        if name in self._graphs:
            return GRAPH_OBJECT
        return self._foreign(name, 0) if "." in name else None

    def _foreign(self, dotted: str, depth: int) -> FunctionFact | None:
        if dotted in self._cache or depth > 12:
            return self._cache.get(dotted)
        self._cache[dotted] = None
        found = self._ctx.index.resolve(dotted, self._ctx.path)
        if found is None:
            return None
        module, rest = found
        facts = self._ctx.index.fact(module.path, "functions", self._ctx.path) or {}
        record = facts.get(rest)
        if record is None:
            if rest and rest.split(".")[0] in module.summary.classes:
                graphs = self._ctx.index.fact(module.path, "graph_classes", self._ctx.path) or {}
                own = rest in graphs
                self._cache[dotted] = GRAPH_OBJECT if own else FunctionFact(k.PY, (), frozenset())
            return self._cache[dotted]
        flags = frozenset(record["flags"]) | self._inherited(set(record["calls"]), depth + 1)
        self._cache[dotted] = FunctionFact(record["kind"], tuple(record["parts"]), flags)
        return self._cache[dotted]

    def _inherited(self, calls: set[str], depth: int) -> frozenset[str]:
        flags: frozenset[str] = frozenset()
        for call in calls:
            found = self._foreign(call, depth)
            if found is not None:
                flags |= found.flags - FORMS - {"session"}
        return flags
