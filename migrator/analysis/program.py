"""The graph-program model of one Python scope: what is built, what lives on, what is run.

A `Program` is the body of a module or function as a list of `Item`s in program order.  Statements
under `with`, `if` and loops are items of their own where sessions or long-lived objects are among
them, else the compound statement is one item.  Building it is one pass over the scope.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from migrator.analysis import graph_kinds as k
from migrator.analysis.dataflow import RESOURCES, statement_flow
from migrator.analysis.graph_values import Expressions
from migrator.analysis.names import NameTable, Scope
from migrator.analysis.program_containers import Containers, is_empty
from migrator.analysis.program_items import (
    DROP,
    KEEP,
    LAZY,
    RUN,
    TRACE,
    Item,
    RunSite,
    WithPart,
)
from migrator.analysis.program_parameters import Parameters
from migrator.analysis.run_reader import RunReader
from migrator.analysis.tree_walk import blocks_of, walk
from migrator.analysis.values import FunctionFact, Value

#: What a statement is that only gives another name to an input, to gradients or a training op.
_OTHER_NAME = {k.PLACEHOLDER: k.TENSOR, k.ELEMENT: k.TENSOR, k.GRADIENTS: k.TENSOR,
               k.TRAIN: k.EFFECT}


class Program(RunReader, Containers, Parameters):
    """The model of one scope; `parent` is the module's program for a function."""

    def __init__(
        self,
        names: NameTable,
        scope: Scope,
        body: list[ast.stmt],
        function: Callable[[str], FunctionFact | None],
        parent: Program | None = None,
        owner: str | None = None,
    ) -> None:
        self.names = names
        self.scope = scope
        self.body = body
        self.parent = parent
        self.owner = owner
        self.env: dict[str, Value] = {}
        self.items: list[Item] = []
        self.with_parts: dict[int, list[WithPart]] = {}
        self.default_session = False
        self.assigned = self._assigned_names()
        self.expressions = Expressions(names, scope, self._lookup, function, owner)
        self.expressions.method = self.method_fact
        self._build_all()
        if self._variables_are_known():
            self._rebuild(variables_known=True)
            if self._makes_variables_in_steps():
                self._rebuild(variables_known=False)
        self._containers()

    def _build_all(self) -> None:
        if isinstance(self.scope.node, ast.FunctionDef):
            self._bind_parameters(self.scope.node, self.parent)
        self._build(self.body, ())

    def _rebuild(self, variables_known: bool) -> None:
        self.env, self.items, self.with_parts = {}, [], {}
        self.expressions.variables_known = variables_known
        self._build_all()

    # -- names

    def _assigned_names(self) -> set[str]:
        return set(self.scope.bindings) - self.scope.globals

    def _lookup(self, name: str) -> Value | None:
        found = self.env.get(name)
        if found is not None:
            return found
        if self.parent is not None and name not in self.assigned:
            return self.parent._lookup(name)
        return None

    def method_fact(self, name: str) -> tuple[FunctionFact, frozenset[str]] | None:
        """What a method of the object does, and the attributes that it reads, if that is known."""
        return None if self.parent is None else self.parent.method_fact(name)

    def _variables_are_known(self) -> bool:
        """Whether collections of variables are read, and no traced statement makes variables."""
        if not any(item.kind == k.VARIABLES for item in self.items):
            return False
        return not self._makes_variables_in_steps(besides="tensorflow.Variable")

    def _makes_variables_in_steps(self, besides: str = "") -> bool:
        return any(
            self.expressions.may_make_variables(call)
            and self.expressions.symbol(call.func) != (besides or None)
            for item in self.items if item.role in (TRACE, LAZY)
            and not isinstance(item.stmt, (ast.FunctionDef, ast.ClassDef))
            for call in walk(item.stmt) if isinstance(call, ast.Call)
        )

    # -- building

    def _build(self, statements: list[ast.stmt], parents: tuple[ast.stmt, ...]) -> None:
        for statement in statements:
            self._statement(statement, parents)

    def _statement(self, stmt: ast.stmt, parents: tuple[ast.stmt, ...]) -> None:
        if isinstance(stmt, (ast.With, ast.AsyncWith)):
            self._with(stmt, parents)
        elif isinstance(stmt, (ast.If, ast.For, ast.While, ast.Try)):
            self._compound(stmt, parents)
        elif isinstance(stmt, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
            self._definition(stmt, parents)
        else:
            self.items.append(self._simple(stmt, parents))

    def _definition(self, stmt: ast.stmt, parents: tuple[ast.stmt, ...]) -> None:
        flow = statement_flow(stmt, self.owner, self.expressions.resources)
        traced = any(
            (found := self._lookup(name)) is not None and found.traced for name in flow.uses
        )
        hook = isinstance(stmt, ast.ClassDef) and any(
            k.is_hook(self.expressions.tf_symbol(base) or "") for base in stmt.bases
        )
        closes = traced and self.parent is not None and not hook and not self._runs_inside(stmt)
        self.items.append(
            Item(stmt, TRACE if closes else KEEP, k.TENSOR if closes else k.PY, flow,
                 Value(k.PY), parents)
        )

    def _runs_inside(self, stmt: ast.stmt) -> bool:
        """Whether a function inside of a function runs the session that is known here."""
        return isinstance(stmt, ast.FunctionDef) and any(
            isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
            and node.func.attr == "run" and self.expressions.value(node.func.value).kind == k.SESSION
            for node in walk(stmt)
        )

    def running_functions(self) -> list[ast.FunctionDef]:
        """The functions inside of this scope that run its session."""
        return [item.stmt for item in self.items if isinstance(item.stmt, ast.FunctionDef)
                and self.parent is not None and self._runs_inside(item.stmt)]

    def _with(self, stmt: ast.With | ast.AsyncWith, parents: tuple[ast.stmt, ...]) -> None:
        parts = [self._with_part(item) for item in stmt.items]
        self.with_parts[id(stmt)] = parts
        regularized = any(
            isinstance(item.context_expr, ast.Call)
            and any(a.arg == "regularizer" for a in item.context_expr.keywords) for item in stmt.items
        )
        self.expressions.regularized += regularized
        self._build(stmt.body, (*parents, stmt))
        self.expressions.regularized -= regularized

    def _with_part(self, item: ast.withitem) -> WithPart:
        context = item.context_expr
        symbol = self.expressions.tf_symbol(context) or ""
        value = self.expressions.value(context)
        called = self.expressions.tf_symbol(context.func) if isinstance(context, ast.Call) else None
        called = called or ""
        kind = "python"
        base = value.base.kind if value.base is not None else ""
        method = (
            context.func.attr
            if isinstance(context, ast.Call) and isinstance(context.func, ast.Attribute)
            else ""
        )
        if called in k.MONITORED or (base == k.SUPERVISOR and method == "managed_session"):
            kind = k.MONITOR
            self.default_session = True
        elif value.kind == k.SESSION:
            kind = "session"
            self.default_session = True
        elif method == "as_default" and (base == k.GRAPH or "Graph()" in called):
            kind = "graph"
        elif method == "as_default" and base == k.SESSION:
            kind = "session"
            self.default_session = True
        elif called == "tensorflow.control_dependencies" or method == "control_dependencies":
            kind = "deps"
        elif called in k.SCOPES or (method in ("device", "name_scope") and base == k.GRAPH):
            kind = "scope"
        elif called == "tensorflow.Graph" or symbol == "tensorflow.Graph":
            kind = "graph"
        if item.optional_vars is not None and isinstance(item.optional_vars, ast.Name):
            bound = {"session": k.SESSION, "graph": k.GRAPH, k.MONITOR: k.SESSION}.get(kind, k.PY)
            self.env[item.optional_vars.id] = Value(bound)
        return WithPart(kind, item)

    def _compound(self, stmt: ast.stmt, parents: tuple[ast.stmt, ...]) -> None:
        start = len(self.items)
        before = dict(self.env)
        if isinstance(stmt, ast.For):
            iterated = self.expressions.value(stmt.iter)
            self._bind(stmt.target, Value(k.TENSOR if iterated.traced else k.PY))
        inner = (*parents, stmt)
        header = self._header(stmt)
        for block in blocks_of(stmt):
            self._build(block, inner)
        own = self.items[start:]
        header_runs = [] if header is None else self._run_sites(header)
        roles = {item.role for item in own}
        header_traced = header is not None and self.expressions.value(header).traced
        simple = roles <= {TRACE, LAZY, KEEP} and not header_runs and not any(
            item.kind in k.HOISTED - {k.PY} for item in own
        )
        if simple and (header_traced or roles & {TRACE, LAZY}):
            python_only = isinstance(stmt, ast.If) and roles == {KEEP}
            if not python_only:
                self._collapse(stmt, parents, start, before, own, header_traced)
                return
        if header is not None:
            flow = statement_flow(header, self.owner)
            if isinstance(stmt, ast.For):
                flow.defines |= statement_flow(stmt.target, self.owner).defines
            role = RUN if header_runs else KEEP
            item = Item(stmt, role, k.PY, flow, Value(k.PY), parents)
            item.runs = header_runs
            for site in header_runs:
                site.item = item
            self.items.insert(start, item)

    def _collapse(
        self, stmt: ast.stmt, parents: tuple[ast.stmt, ...], start: int,
        before: dict[str, Value], own: list[Item], header_traced: bool,
    ) -> None:
        """The compound statement becomes one item of tensor work."""
        traced = header_traced or any(item.role == TRACE for item in own)
        del self.items[start:]
        flow = statement_flow(stmt, self.owner, self.expressions.resources)
        for name in flow.defines | flow.mutates:
            if name in RESOURCES:
                continue
            old, new = before.get(name), self.env.get(name)
            if new is not None and new.kind == k.PY and old is not None:
                self.env[name] = old if old.traced else Value(
                    k.TENSOR if traced else k.OP, container=name in flow.mutates)
            elif new is None or new.kind == k.PY:
                self.env[name] = Value(k.TENSOR if traced else k.OP, container=name in flow.mutates)
        kinds = {item.kind for item in own}
        kind = k.SUMMARY if kinds and kinds <= {k.SUMMARY, k.PY} else k.TENSOR
        if kind == k.TENSOR and kinds & {k.TRAIN, k.EFFECT}:
            kind = k.EFFECT
        self.items.append(
            Item(stmt, TRACE if traced else LAZY, kind if traced else k.OP, flow, Value(kind),
                 parents)
        )

    @staticmethod
    def _header(stmt: ast.stmt) -> ast.expr | None:
        if isinstance(stmt, (ast.If, ast.While)):
            return stmt.test
        if isinstance(stmt, ast.For):
            return stmt.iter
        return None

    # -- simple statements

    def _simple(self, stmt: ast.stmt, parents: tuple[ast.stmt, ...]) -> Item:
        flow = statement_flow(stmt, self.owner, self.expressions.resources)
        for parent in parents:
            for part in self.with_parts.get(id(parent), ()):
                if part.kind in ("deps", "scope", "python"):
                    flow.uses |= statement_flow(
                        part.item.context_expr, self.owner, self.expressions.resources
                    ).uses
        value = Value(k.PY)
        target = ""
        expression = getattr(stmt, "value", None)
        if isinstance(stmt, (ast.Assign, ast.AnnAssign)) and expression is not None:
            value = self.expressions.value(expression)
            if value.kind == k.PY and is_empty(expression):
                value = Value(k.PY, empty=True)
            targets = stmt.targets if isinstance(stmt, ast.Assign) else [stmt.target]
            for name in targets:
                self._bind(name, value)
            if len(targets) == 1:
                target = self._name(targets[0]) or ""
        elif isinstance(stmt, ast.AugAssign):
            value = Value(
                k.TENSOR if self.expressions.value(stmt.target).traced
                or self.expressions.value(stmt.value).traced
                else self._augmented(stmt)
            )
            self._bind(stmt.target, value)
        elif isinstance(stmt, ast.Expr):
            value = self.expressions.value(stmt.value)
        elif isinstance(stmt, (ast.Return, ast.Assert, ast.Raise, ast.Delete)):
            value = Value(k.PY)
        value = self._spread(stmt, value, flow)
        runs = self._run_sites(stmt)
        kind = value.kind
        if isinstance(expression, (ast.Name, ast.Attribute)):
            kind = _OTHER_NAME.get(kind, kind)
        elif kind in (k.PLACEHOLDER, k.ELEMENT) and not isinstance(expression, ast.Call):
            kind = k.TENSOR
        item = Item(stmt, self._role(stmt, value), kind, flow, value, parents, target)
        if runs:
            item.role = RUN
            item.runs = runs
            if isinstance(stmt, ast.Assign):
                for name in stmt.targets:
                    self._bind(name, self._handles(stmt.value, runs) or Value(k.PY))
        for site in runs:
            site.item = item
        return item

    def _handles(self, fetched: ast.expr, runs: list[RunSite]) -> Value | None:
        """What a run of nothing but ``iterator.string_handle()`` gives: the same handles."""
        if len(runs) != 1 or runs[0].call is not fetched:
            return None
        value = self.expressions.value(runs[0].fetch)
        kinds = {part.kind for part in value.parts or [value]}
        return value if kinds == {k.HANDLE} else None

    def _augmented(self, stmt: ast.AugAssign) -> str:
        kinds = {self.expressions.value(stmt.target).kind, self.expressions.value(stmt.value).kind}
        return k.OP if kinds & {k.OP, k.VARIABLE} else k.PY

    def _role(self, stmt: ast.stmt, value: Value) -> str:
        kind = value.kind
        if isinstance(stmt, (ast.Import, ast.ImportFrom, ast.Pass, ast.Global, ast.Nonlocal)):
            return KEEP
        if kind in (k.INIT, k.ITERATOR_INIT, k.HANDLE, k.COORDINATOR, k.THREADS):
            return DROP
        if kind in (k.SESSION, k.GRAPH, k.SUPERVISOR):
            return DROP
        if kind == k.PLACEHOLDER or kind == k.ELEMENT:
            return TRACE
        if value.traced:
            return TRACE if kind not in k.HOISTED else KEEP
        if kind == k.OP:
            return LAZY
        if kind in (k.UPDATE_OPS, k.MERGED, k.SUMMARY, k.EFFECT, k.TRAIN, k.GRADIENTS):
            return TRACE
        return KEEP

    # -- binding

    def _bind(self, target: ast.expr, value: Value) -> None:
        name = self._name(target)
        if name is not None:
            if not value.source:
                value.source = name
            self.env[name] = value
            return
        if isinstance(target, ast.Starred):
            self._bind(target.value, Value(join_part(value)))
        elif isinstance(target, (ast.Tuple, ast.List)):
            parts = value.parts
            for position, inner in enumerate(target.elts):
                if parts is not None and len(parts) == len(target.elts):
                    self._bind(inner, parts[position])
                else:
                    self._bind(inner, Value(join_part(value), call=value.call, base=value))

    # -- run sites

    # -- views

    def blocks(self) -> list[list[ast.stmt]]:
        """The blocks of statements that the program consists of."""
        return [self.body]

    def all_items(self) -> list[Item]:
        """The module's items, then this scope's."""
        if self.parent is None:
            return self.items
        return [*self.parent.all_items(), *self.items]

    def run_sites(self) -> Iterator[RunSite]:
        for item in self.items:
            yield from item.runs


def join_part(value: Value) -> str:
    """The kind of one part of a value that is taken apart."""
    if value.kind == k.ELEMENT:
        return k.ELEMENT
    if value.kind in (k.GRADIENTS, k.VARIABLES, k.UPDATE_OPS):
        return k.TENSOR
    return value.kind
