"""Decides whether the variables of a scope belong to a store, and which ones are trained."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.analysis import graph_kinds as k
from migrator.analysis.facts_functions import variable_flag
from migrator.analysis.program_items import DROP, KEEP, LAZY, TRACE, Item, Obstacle
from migrator.analysis.tree_walk import calls_in
from migrator.analysis.values import is_trained
from migrator.transforms.sessions.helpers import calls_of, chain, names_variables
from migrator.transforms.sessions.planning.slices import Slicer


class StorePlanner(Slicer):
    """Gives variables to the store, or lists them."""

    def _prepare_style(self) -> None:
        self._store_needed = any(f.layers for f in self.functions) or self._by_name()
        if self._store_needed:
            self._refuse_mixed_names()
            self._store_variables()
            self.style.in_store = True
        else:
            self.style.explicit_variables = [] if any(map(self._unlisted, self.items)) else [
                text for item in self.items for text in self._explicit(item)
            ]
        if self._store_needed and not self.style.store:
            self.style.store = self.shared.store or self._new_store()
            self.shared.store = self.style.store
        self.style.store = self.shared.store

    def _by_name(self) -> bool:
        """Whether the program asks for variables by name or as a collection."""
        expressions = self.program.expressions
        if self.monitor or self.looped or self.evaluates:
            return True
        for item in self.items:
            for call in calls_of(item):
                fact = expressions.call_fact(call)
                if fact is not None and "graph object" in fact.flags:
                    return True
                if names_variables(call, expressions):
                    return True
        return False

    def _new_store(self) -> str:
        """The name of the store; an object keeps its own in an attribute."""
        if not self.shared.owner:
            return self.names.fresh("store", "variables_store")
        name = f"{self.shared.owner}._store"
        own = [item for item in self.items if item.role in (KEEP, TRACE, DROP, LAZY)]
        graph = next((i for i in own if i.kind == k.GRAPH and i.target), None)
        outside = set(map(id, self.module.items))
        if graph is not None and id(graph) not in outside:
            self.decisions.replaced[id(graph.stmt)] = [f"{name} = {self.support.store_class()}()"]
            self.renames[graph.target] = name
        else:
            whole = self.whole
            assert whole is not None
            first = next(
                s for s in whole.builders[0].body
                if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))
            )
            explicit = any(p.kind == "graph" for ps in whole.with_parts.values() for p in ps)
            maker = self.support.store_class() if explicit else self.support.current_store()
            self.decisions.before.setdefault(id(first), []).append(f"{name} = {maker}()")
        self.shared.store_made = True
        return name

    def _refuse_mixed_names(self) -> None:
        """Names of variables made in steps would begin anew beside equal ones of hoisted ones."""
        plain = [i for i in self.items if not isinstance(i.stmt, (ast.FunctionDef, ast.ClassDef))]
        hoisted = set().union(*(self._variable_flags(i) for i in plain if i.role == KEEP))
        for item in plain if hoisted else ():
            traced = self._variable_flags(item) if item.role in (TRACE, LAZY) else None
            if traced and ("variable ?" in traced | hoisted or traced & hoisted):
                raise Obstacle(
                    item.stmt,
                    "variables are made both inside and outside of what a step computes",
                    "make all variables before the graph is used, or give each a name",
                )

    def _variable_flags(self, item: Item) -> set[str]:
        """Under which names a statement calls tf.Variable, see `facts_functions.variable_flag`."""
        found = set()
        for call in calls_in(item.stmt):
            if self.program.expressions.tf_symbol(call.func) == "tensorflow.Variable":
                found.add(variable_flag(call))
            fact = self.program.expressions.call_fact(call)
            if fact is not None and "tf variables" in fact.flags:
                found |= {flag for flag in fact.flags if flag.startswith("variable ")}
        return found

    def _store_variables(self) -> None:
        """`tf.Variable` becomes the store's, which keeps TF1's names and collections."""
        makers = [item.stmt for item in self.items if item.role in (KEEP, LAZY, TRACE)]
        called = {
            call.func.id for maker in makers for call in calls_in(maker)
            if isinstance(call.func, ast.Name)
        }
        makers += [
            stmt for stmt in self.module.body
            if isinstance(stmt, ast.FunctionDef) and stmt.name in called
        ]
        made = {
            id(call): call for maker in makers for call in calls_in(maker)
            if self.program.expressions.tf_symbol(call.func) == "tensorflow.Variable"
        }
        for call in made.values():
            edit = (*self.source.span(call.func), self.support.variable())
            if edit not in self.decisions.edits:
                self.decisions.edits.append(edit)

    def _unlisted(self, item: Item) -> bool:
        """Whether a statement makes variables that no name of the program holds by itself."""
        if item.role != KEEP or isinstance(item.stmt, (ast.FunctionDef, ast.ClassDef)):
            return False
        if item.value.kind == k.VARIABLE and item.target and not item.value.container:
            return False
        expressions = self.program.expressions
        own = {getattr(p.scope.node, "name", "") for p in chain(self.program)}
        for call in calls_of(item):
            if isinstance(call.func, ast.Name) and call.func.id in own:
                continue  # the program itself
            fact = expressions.call_fact(call)
            if k.kind_of(expressions.tf_symbol(call.func)) == k.VARIABLE or (
                fact is not None and fact.flags & {"variables", "layers"}
            ):
                return True
        return False

    def _explicit(self, item: Item) -> Iterator[str]:
        value = item.value
        if value.kind != k.VARIABLE or item.role != KEEP or not item.target:
            return
        calls = [value.call] if value.parts is None else [p.call for p in value.parts]
        trainable = [call for call in calls if call is not None and self._trainable(call)]
        if not trainable:
            return
        if value.parts is None:
            yield item.target
        elif isinstance(value.literal, ast.Dict):
            yield f"*{item.target}.values()"
        else:
            yield f"*{item.target}"

    def _trainable(self, call: ast.Call) -> bool:
        symbol = self.program.expressions.tf_symbol(call.func) or ""
        if "global_step" in symbol:
            return False
        return is_trained(call, symbol)
