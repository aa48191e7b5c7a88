"""Whether what a statement calls names variables by default: by what was built before it."""

from __future__ import annotations

import ast
from collections.abc import Callable

from migrator.analysis import graph_kinds as k
from migrator.analysis.facts_functions import named_layer, scoped_calls
from migrator.analysis.names import NameTable
from migrator.analysis.tree_walk import calls_in, walk
from migrator.analysis.values import FunctionFact

_MOST = 200  # bodies to look into


class DefaultNames:
    """Answers for one module; `function` knows the project's functions by name, `unknown` says
    whether a call of which nothing is known may make variables at all."""

    def __init__(
        self, names: NameTable, function: Callable[[str], FunctionFact | None],
        unknown: Callable[[ast.Call], bool],
    ) -> None:
        self.names = names
        self.function = function
        self.unknown = unknown
        self.classes = {n.name: n for n in names.tree.body if isinstance(n, ast.ClassDef)}

    def among(self, node: ast.AST, owner: ast.ClassDef | None) -> bool:
        """Whether a call below `node`, code of the class `owner`, makes variables by default names.

        Methods of the class, and of objects of the module's classes that it keeps, are looked into.
        """
        pending: list[tuple[ast.AST, ast.ClassDef | None]] = [(node, owner)]
        seen: set[int] = set()
        while pending:
            current, around = pending.pop()
            if id(current) in seen:
                continue
            if len(seen) > _MOST:
                return True
            seen.add(id(current))
            own = scoped_calls(current, self.names, None) if current is not node else set()
            for call in calls_in(current):
                found = self._call(call, around, id(call) in own)
                if found is True:
                    return True
                if found is not False:
                    pending += found
        return False

    def _call(
        self, call: ast.Call, owner: ast.ClassDef | None, scoped: bool
    ) -> bool | list[tuple[ast.AST, ast.ClassDef | None]]:
        """The answer for one call (`scoped`: in a variable scope that is opened with it), or the
        bodies that have it."""
        symbol = self.names.resolve_node(call.func, values=False)
        if symbol is not None and symbol.startswith("tensorflow.") and "()" not in symbol:
            short = symbol.rpartition(".")[2]
            return symbol == "tensorflow.Variable" or (
                not scoped and k.is_layer(symbol) and not short[0].isupper()
                and short not in k.LAYERS_WITHOUT_VARIABLES and not named_layer(call)
            )
        fact = self.function(call.func.id) if isinstance(call.func, ast.Name) else None
        fact = fact or (self.function(symbol) if symbol else None)
        if fact is not None:
            return "default names" in fact.flags and not (
                scoped and "tf variables" not in fact.flags)
        bodies = self._bodies(call, owner)
        return self.unknown(call) if bodies is None else bodies

    def _bodies(
        self, call: ast.Call, owner: ast.ClassDef | None
    ) -> list[tuple[ast.AST, ast.ClassDef | None]] | None:
        """What runs where the module's class is called, or a method or kept object of `owner`."""
        func = call.func
        if isinstance(func, ast.Name) and func.id in self.classes:
            return self._method(self.classes[func.id], "__init__")
        if owner is None or not (
            isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name)
            and func.value.id == "self"
        ):
            return None
        own = self._method(owner, func.attr)
        if own or owner.bases and not _plain(owner):
            return own or None
        kept = [
            node.value for node in walk(owner)
            if isinstance(node, ast.Assign) and any(
                isinstance(t, ast.Attribute) and t.attr == func.attr for t in node.targets
            )
        ]
        makers = [
            self.classes.get(value.func.id)
            for value in kept if isinstance(value, ast.Call) and isinstance(value.func, ast.Name)
        ]
        if not makers or len(makers) != len(kept):
            return None
        found: list[tuple[ast.AST, ast.ClassDef | None]] = []
        for maker in makers:
            called = self._method(maker, "__call__") if maker is not None else []
            if not called:
                return None
            found += called
        return found

    def _method(
        self, owner: ast.ClassDef, name: str
    ) -> list[tuple[ast.AST, ast.ClassDef | None]]:
        return [
            (node, owner) for node in owner.body
            if isinstance(node, ast.FunctionDef) and node.name == name
        ]


def _plain(owner: ast.ClassDef) -> bool:
    """Whether a class inherits from `object` alone."""
    return all(isinstance(base, ast.Name) and base.id == "object" for base in owner.bases)
