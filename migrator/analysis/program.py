"""The graph-program model of one Python scope: what is built, what lives on, what is run.

A `Program` is the body of a module or function as a list of `Item`s in program order.  Statements
under `with`, `if` and loops are items of their own where sessions or long-lived objects are among
them, else the compound statement is one item.  Building it is one pass over the scope.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from migrator.analysis import graph_kinds as k
from migrator.analysis.dataflow import RESOURCES, Flow, dotted_self, statement_flow
from migrator.analysis.graph_values import Expressions, FunctionFact, Value
from migrator.analysis.names import NameTable, Scope

KEEP, TRACE, LAZY, DROP, RUN = "keep", "trace", "lazy", "drop", "run"


class Obstacle(Exception):
    """Why a program cannot be rewritten: the node, the reason, and what to do by hand."""

    def __init__(self, node: ast.AST, reason: str, advice: str) -> None:
        super().__init__(reason)
        self.node = node
        self.reason = reason
        self.advice = advice


@dataclass(eq=False)
class Item:
    """One statement of a program.

    `role`: KEEP (stays where it is), TRACE (belongs into functions), LAZY (tensor work that needs
    no graph input: goes where it is used), DROP (has no meaning without a graph), RUN (stays and
    holds run sites).  `parents` are the compound statements around it inside the scope.
    """

    stmt: ast.stmt
    role: str
    kind: str
    flow: Flow
    value: Value
    parents: tuple[ast.stmt, ...] = ()
    target: str = ""
    runs: list[RunSite] = field(default_factory=list)

    @property
    def killing(self) -> bool:
        return not any(isinstance(p, (ast.If, ast.For, ast.While, ast.Try)) for p in self.parents)

    @property
    def parents_matter(self) -> bool:
        """Whether a compound statement around it is more than a session's or graph's `with`."""
        return any(isinstance(p, (ast.If, ast.For, ast.While, ast.Try)) for p in self.parents)

    @property
    def in_loop(self) -> bool:
        return any(isinstance(p, (ast.For, ast.While)) for p in self.parents)


@dataclass(eq=False)
class RunSite:
    """One `sess.run(...)`, `tensor.eval(...)` or `op.run(...)`.

    `feeds` pairs names of fed tensors with the fed expressions; `feed_name` is the variable that
    holds the feed dict where it is not a literal. `obstacle` says what keeps it from being native.
    """

    call: ast.Call
    style: str  # "run", "eval", "op"
    fetch: ast.expr
    feeds: list[tuple[str, ast.expr]] = field(default_factory=list)
    feed_name: str = ""
    item: Item | None = None
    obstacle: Obstacle | None = None


@dataclass(eq=False)
class WithPart:
    """What one item of a `with` statement is: "graph", "session", "scope", "deps", "monitor",
    "python"."""

    kind: str
    item: ast.withitem


class Program:
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
        self._build_all()
        if self._variables_are_known():
            self._rebuild(variables_known=True)
            if self._makes_variables_in_steps():
                self._rebuild(variables_known=False)

    def _build_all(self) -> None:
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
            for call in ast.walk(item.stmt) if isinstance(call, ast.Call)
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
        closes = traced and self.parent is not None and not hook
        self.items.append(
            Item(stmt, TRACE if closes else KEEP, k.TENSOR if closes else k.PY, flow,
                 Value(k.PY), parents)
        )

    def _with(self, stmt: ast.With | ast.AsyncWith, parents: tuple[ast.stmt, ...]) -> None:
        parts = [self._with_part(item) for item in stmt.items]
        self.with_parts[id(stmt)] = parts
        regularized = any(
            isinstance(item.context_expr, ast.Call)
            and any(a.arg == "regularizer" for a in item.context_expr.keywords)
            for item in stmt.items
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
        for block in _blocks(stmt):
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
                self.env[name] = old if old.traced else Value(k.TENSOR if traced else k.OP)
            elif new is None or new.kind == k.PY:
                self.env[name] = Value(k.TENSOR if traced else k.OP)
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
        self._spread(stmt, value)
        runs = self._run_sites(stmt)
        item = Item(stmt, self._role(stmt, value), value.kind, flow, value, parents, target)
        if runs:
            item.role = RUN
            item.runs = runs
            if isinstance(stmt, ast.Assign):
                for name in stmt.targets:
                    self._bind(name, Value(k.PY))
        for site in runs:
            site.item = item
        return item

    def _augmented(self, stmt: ast.AugAssign) -> str:
        kinds = {self.expressions.value(stmt.target).kind, self.expressions.value(stmt.value).kind}
        return k.OP if kinds & {k.OP, k.VARIABLE} else k.PY

    def _spread(self, stmt: ast.stmt, value: Value) -> None:
        """``layers.append(conv)`` makes `layers` hold tensors."""
        if not isinstance(stmt, ast.Expr) or not isinstance(stmt.value, ast.Call):
            if isinstance(stmt, ast.Assign) and isinstance(stmt.targets[0], ast.Subscript):
                base = self._name(stmt.targets[0].value)
                if base and (value.traced or value.kind == k.OP):
                    old = self._lookup(base)
                    if old is None or old.kind == k.PY:
                        self.env[base] = Value(k.TENSOR if value.traced else k.OP)
            return
        func = stmt.value.func
        if not isinstance(func, ast.Attribute):
            return
        base = self._name(func.value)
        if base is None:
            return
        old = self._lookup(base)
        arguments = [self.expressions.value(a) for a in stmt.value.args]
        if old is not None and old.kind == k.PY and any(a.traced for a in arguments):
            self.env[base] = Value(k.TENSOR)

    def _role(self, stmt: ast.stmt, value: Value) -> str:
        kind = value.kind
        if isinstance(stmt, (ast.Import, ast.ImportFrom, ast.Pass, ast.Global, ast.Nonlocal)):
            return KEEP
        if kind in (k.INIT, k.ITERATOR_INIT, k.COORDINATOR, k.THREADS):
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

    def _name(self, node: ast.expr) -> str | None:
        if isinstance(node, ast.Name):
            return node.id
        return dotted_self(node, self.owner)

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

    def _run_sites(self, node: ast.AST) -> list[RunSite]:
        found = []
        for call in _calls(node):
            site = self._run_site(call)
            if site is not None:
                found.append(site)
        return found

    def _run_site(self, call: ast.Call) -> RunSite | None:
        func = call.func
        if not isinstance(func, ast.Attribute):
            return None
        if func.attr == "run":
            base = self.expressions.value(func.value)
            if base.kind == k.SESSION:
                return self._session_run(call)
            if base.kind in (k.TRAIN, k.EFFECT, k.INIT, k.ITERATOR_INIT):
                return self._feeds(RunSite(call, "op", func.value), call, 0)
        if func.attr == "eval":
            base = self.expressions.value(func.value)
            if base.traced or base.kind in (k.OP, k.VARIABLE):
                return self._feeds(RunSite(call, "eval", func.value), call, 0)
        return None

    def _session_run(self, call: ast.Call) -> RunSite:
        fetch = call.args[0] if call.args else None
        for keyword in call.keywords:
            if keyword.arg == "fetches":
                fetch = keyword.value
        if fetch is None:
            site = RunSite(call, "run", call)
            site.obstacle = Obstacle(
                call, "what this run fetches is passed on as *args", "name the fetches"
            )
            return site
        return self._feeds(RunSite(call, "run", fetch), call, 1)

    def _feeds(self, site: RunSite, call: ast.Call, position: int) -> RunSite:
        feed: ast.expr | None = call.args[position] if len(call.args) > position else None
        for keyword in call.keywords:
            if keyword.arg == "feed_dict":
                feed = keyword.value
            elif keyword.arg in ("options", "run_metadata"):
                if isinstance(keyword.value, ast.Constant) and keyword.value.value is None:
                    continue
                if keyword.arg == "run_metadata":
                    site.obstacle = Obstacle(
                        call, "this run collects RunMetadata",
                        "profile the tf.function with tf.profiler.experimental instead",
                    )
        if feed is None or (isinstance(feed, ast.Constant) and feed.value is None):
            return site
        if isinstance(feed, ast.Name):
            site.feed_name = feed.id
            return site
        if not isinstance(feed, ast.Dict):
            site.obstacle = Obstacle(
                call, "the feed is not a dict literal, so what it feeds is not known",
                "feed a dict literal whose keys are placeholders",
            )
            return site
        for key, value in zip(feed.keys, feed.values, strict=True):
            name = None if key is None else self._name(key)
            if name is None and isinstance(key, ast.Attribute):
                name = ast.unparse(key)
            if name is None:
                site.obstacle = Obstacle(
                    call, "a key of the feed is not a name", "feed placeholders by their names"
                )
                return site
            site.feeds.append((name, value))
        return site

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


def _blocks(stmt: ast.stmt) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        yield getattr(stmt, name, [])
        if name == "body":
            for handler in getattr(stmt, "handlers", []):
                yield handler.body


def _calls(node: ast.AST) -> Iterator[ast.Call]:
    """Calls inside a simple statement or expression, outermost first, not into functions."""
    stack = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, ast.Call):
            yield current
        if isinstance(current, (ast.FunctionDef, ast.ClassDef)):
            continue
        stack.extend(reversed(list(ast.iter_child_nodes(current))))
