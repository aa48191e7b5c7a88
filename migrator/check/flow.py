"""Names that are read before anything binds them, found by following the statements of a scope.

Each scope is run once over what may be bound and what must be bound at each statement. A function's
own reads of the scope around it count where it is called, so that ``main()`` above a function that
`main` needs is seen.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator

from migrator.analysis.names import NameTable, Reference, Scope
from migrator.analysis.tree_walk import children, last_name
from migrator.check.records import Late

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
_ENDS = frozenset(("exit", "quit", "_exit"))
#: Calls that keep a function for later.
_KEEPERS = frozenset(("register", "signal", "partial", "wraps", "add_done_callback"))
#: Run when an object is made.
_MAKING = ("__init__", "__new__", "__post_init__")


class State:
    """What is bound on some path that leads here, and on every one."""

    __slots__ = ("may", "must")

    def __init__(self, may: set[str], must: set[str]) -> None:
        self.may = may
        self.must = must

    def copy(self) -> State:
        return State(set(self.may), set(self.must))

    def bind(self, name: str) -> None:
        self.may.add(name)
        self.must.add(name)

    def unbind(self, name: str) -> None:
        self.may.discard(name)
        self.must.discard(name)


def _join(*states: State | None) -> State | None:
    alive = [state for state in states if state is not None]
    if not alive:
        return None
    may: set[str] = set().union(*(state.may for state in alive))
    must = set.intersection(*(state.must for state in alive))
    return State(may, must)


class Module:
    """The flow of a module's scopes."""

    def __init__(self, names: NameTable) -> None:
        self.names = names
        self._by_scope: dict[int, list[Reference]] = {}
        self._inner: dict[int, list[Scope]] = {}
        for reference in names.references:
            self._by_scope.setdefault(reference.scope.index, []).append(reference)
        for scope in names.scopes:
            if scope.parent is not None:
                self._inner.setdefault(scope.parent.index, []).append(scope)
        #: names that functions bind by ``global`` and ``nonlocal``: nobody knows when
        self._elsewhere = {
            name for scope in names.scopes for name in (*scope.globals, *scope.nonlocals)
        }

    def late(self, changed: Callable[[ast.AST], bool]) -> Iterator[tuple[str, Late]]:
        """(qualified name of the scope, late read) in the module's body and in functions that are
        `changed`."""
        for scope in self.names.scopes:
            node = scope.node
            if scope.kind == "module":
                body = node.body  # type: ignore[attr-defined]
                if scope.stars:
                    continue
            elif scope.kind == "function" and changed(node):
                body = node.body  # type: ignore[attr-defined]
            else:
                continue
            run = _Run(self, scope)
            run.block(body, run.entry())
            for found in run.found.values():
                yield qualified(scope), found

    def own(self, scope: Scope) -> set[str]:
        """The names of a scope that its own statements bind."""
        return set(scope.bindings) - self._elsewhere

    def reads(self, scope: Scope, of: Scope) -> tuple[set[str], set[str]]:
        """(names of the scope `of` that the function of `scope` reads when it is called, those
        among them that it calls or hands on)."""
        read: set[str] = set()
        called: set[str] = set()
        pending, seen = [scope], {scope.index}
        while pending:
            current = pending.pop()
            for inner in self._inner.get(current.index, ()):
                if inner.kind == "comprehension" and inner.index not in seen:
                    seen.add(inner.index)
                    pending.append(inner)
            for reference in self._by_scope.get(current.index, ()):
                if reference.role == "store" and not reference.attrs:
                    continue
                found = self.names.find(reference.root, current)
                if found is None:
                    continue
                home, bindings = found
                if home is of:
                    read.add(reference.root)
                    if reference.call is not None or isinstance(reference.parent, (ast.Call, ast.keyword)):
                        called.add(reference.root)
                elif reference.call is not None and isinstance(bindings[0].node, _FUNCTIONS):
                    nested = self.names.made_by(bindings[0].node)
                    if nested is not None and nested.index not in seen:
                        seen.add(nested.index)
                        pending.append(nested)
        return read, called

    def methods(self, scope: Scope) -> dict[str, Scope]:
        """The scopes of a class's methods."""
        return {
            inner.node.name: inner  # type: ignore[attr-defined]
            for inner in self._inner.get(scope.index, ())
            if inner.kind == "function"
        }

    def calls_on_self(self, scope: Scope) -> set[str]:
        """Methods of its own object that a method calls."""
        arguments = scope.node.args.args  # type: ignore[attr-defined]
        own = arguments[0].arg if arguments else ""
        return {
            reference.attrs[0]
            for reference in self._by_scope.get(scope.index, ())
            if reference.root == own and reference.call is not None and len(reference.attrs) == 1
        }


def qualified(scope: Scope) -> str:
    """``Class.method`` of the function that a scope is in, "" for the module."""
    parts: list[str] = []
    current: Scope | None = scope
    while current is not None and current.kind != "module":
        if current.kind in ("function", "class"):
            parts.append(current.node.name)  # type: ignore[attr-defined]
        current = current.parent
    return ".".join(reversed(parts))


class _Run:
    """One scope's statements, followed once."""

    def __init__(self, module: Module, scope: Scope) -> None:
        self.module = module
        self.scope = scope
        self.names = module.own(scope)
        self.found: dict[str, Late] = {}
        self._breaks: list[list[State]] = []
        self._needs: dict[str, set[str]] = {}
        self._units: dict[str, Scope] = {}
        self._methods: dict[str, list[Scope]] = {}
        for name, bindings in scope.bindings.items():
            node = bindings[-1].node
            if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
                made = module.names.made_by(node)
                if made is not None:
                    self._units[name] = made
                    if made.kind == "class":
                        for method, inner in module.methods(made).items():
                            self._methods.setdefault(method, []).append(inner)

    def entry(self) -> State:
        """What is bound before the first statement: the parameters."""
        if self.scope.kind == "module":
            return State(set(), set())
        given = {
            name for name, group in self.scope.bindings.items()
            if any(isinstance(binding.node, ast.arg) for binding in group)
        }
        return State(set(given), given)

    # -- statements

    def block(self, body: Iterable[ast.stmt], state: State | None) -> State | None:
        for statement in body:
            if state is None:
                break
            method = _STATEMENTS.get(statement.__class__)
            if method is None:
                for child in children(statement):
                    self.read(child, state)
            else:
                state = method(self, statement, state)
        return state

    def _function(self, node: ast.FunctionDef, state: State) -> State:
        for item in (*node.decorator_list, *node.args.defaults, *node.args.kw_defaults):
            if item is not None:
                self.read(item, state)
        state.bind(node.name)
        return state

    def _class(self, node: ast.ClassDef, state: State) -> State:
        for base in (*node.decorator_list, *node.bases):
            self.read(base, state)
        for keyword in node.keywords:
            self.read(keyword.value, state)
        made = self.module.names.made_by(node)
        hidden = frozenset(made.bindings) if made is not None else frozenset()
        for statement in node.body:
            if isinstance(statement, _FUNCTIONS):
                parts: list[ast.expr | None] = [*statement.decorator_list, *statement.args.defaults]
                for item in (*parts, *statement.args.kw_defaults):
                    if item is not None:
                        self.read(item, state, hidden)
            elif not isinstance(statement, ast.ClassDef):
                self.read(statement, state, hidden)
        state.bind(node.name)
        return state

    def _assign(self, node: ast.Assign | ast.AnnAssign | ast.AugAssign, state: State) -> State:
        if node.value is not None:
            self.read(node.value, state)
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            self._name(node.target.id, node.lineno, state)
        if isinstance(node, ast.AnnAssign) and node.value is None:
            return state
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            self._target(target, state)
        return state

    def _target(self, node: ast.expr, state: State) -> None:
        if isinstance(node, ast.Name):
            state.bind(node.id)
        elif isinstance(node, (ast.Tuple, ast.List)):
            for item in node.elts:
                self._target(item, state)
        elif isinstance(node, ast.Starred):
            self._target(node.value, state)
        else:
            for child in children(node):
                self.read(child, state)

    def _delete(self, node: ast.Delete, state: State) -> State:
        for target in node.targets:
            if isinstance(target, ast.Name):
                self._name(target.id, node.lineno, state)
                state.unbind(target.id)
            else:
                self.read(target, state)
        return state

    def _import(self, node: ast.Import | ast.ImportFrom, state: State) -> State:
        for alias in node.names:
            state.bind(alias.asname or alias.name.partition(".")[0])
        return state

    def _if(self, node: ast.If, state: State) -> State | None:
        self.read(node.test, state)
        first = self.block(node.body, state.copy())
        return _join(first, self.block(node.orelse, state))

    def _while(self, node: ast.While, state: State) -> State | None:
        self.read(node.test, state)
        endless = isinstance(node.test, ast.Constant) and bool(node.test.value)
        return self._loop(node, state, endless)

    def _for(self, node: ast.For | ast.AsyncFor, state: State) -> State | None:
        self.read(node.iter, state)
        return self._loop(node, state, False)

    def _loop(
        self, node: ast.For | ast.AsyncFor | ast.While, state: State, endless: bool
    ) -> State | None:
        inside = state.copy()
        inside.may |= _bound_in(node.body)
        if isinstance(node, (ast.For, ast.AsyncFor)):
            self._target(node.target, inside)
        self._breaks.append([])
        end = self.block(node.body, inside)
        broken = self._breaks.pop()
        if endless:
            return _join(*broken)
        if end is not None and isinstance(node, (ast.For, ast.AsyncFor)):
            state.must |= end.must  # as authors mean it: there is something to loop over
        state.may |= inside.may
        return _join(self.block(node.orelse, state), *broken)

    def _break(self, node: ast.stmt, state: State) -> None:
        if self._breaks:
            self._breaks[-1].append(state.copy())

    def _end(self, node: ast.stmt, state: State) -> None:
        for child in children(node):
            self.read(child, state)

    def _expression(self, node: ast.Expr, state: State) -> State | None:
        self.read(node.value, state)
        value = node.value
        if isinstance(value, ast.Call) and last_name(value.func) in _ENDS:
            return None
        return state

    def _try(self, node: ast.Try, state: State) -> State | None:
        before = state.copy()
        before.may |= _bound_in(node.body)
        known = dict(self.found)
        end = self.block(node.body, state)
        if any(_catches_names(handler) for handler in node.handlers):
            self.found = known  # it asks whether there is such a name
        ends = [self.block(node.orelse, end)]
        for handler in node.handlers:
            inside = before.copy()
            if handler.type is not None:
                self.read(handler.type, inside)
            if handler.name:
                inside.bind(handler.name)
            end = self.block(handler.body, inside)
            if end is not None and handler.name:
                end.unbind(handler.name)
            ends.append(end)
        after = _join(*ends)
        if not node.finalbody:
            return after
        whole = State(before.may.union(*(e.may for e in ends if e)), before.must)
        last = self.block(node.finalbody, whole)
        if after is None or last is None:
            return None
        after.may |= last.may
        after.must |= last.must
        return after

    def _with(self, node: ast.With | ast.AsyncWith, state: State) -> State | None:
        for item in node.items:
            self.read(item.context_expr, state)
            if item.optional_vars is not None:
                self._target(item.optional_vars, state)
        return self.block(node.body, state)

    def _match(self, node: ast.Match, state: State) -> State | None:
        self.read(node.subject, state)
        ends: list[State | None] = [state.copy()]
        for case in node.cases:
            inside = state.copy()
            for name in _bound_in([case.pattern]):
                inside.bind(name)
            if case.guard is not None:
                self.read(case.guard, inside)
            ends.append(self.block(case.body, inside))
        return _join(*ends)

    def _nothing(self, node: ast.stmt, state: State) -> State:
        return state

    # -- expressions

    def read(self, node: ast.AST, state: State, hidden: frozenset[str] = frozenset()) -> None:
        """The names that evaluating `node` reads, but for those `hidden` by a scope inside."""
        cls = node.__class__
        if cls is ast.Name:
            if node.ctx.__class__ is not ast.Store and node.id not in hidden:  # type: ignore[attr-defined]
                self._name(node.id, node.lineno, state)  # type: ignore[attr-defined]
            return
        if cls is ast.Constant:
            return
        if cls is ast.Lambda:
            for item in (*node.args.defaults, *node.args.kw_defaults):  # type: ignore[attr-defined]
                if item is not None:
                    self.read(item, state, hidden)
            return
        if isinstance(node, _COMPREHENSIONS):
            hidden |= _bound_in([generator.target for generator in node.generators])
        for child in children(node):
            self.read(child, state, hidden)
        if cls is ast.NamedExpr:
            state.bind(node.target.id)  # type: ignore[attr-defined]
        elif cls is ast.Call:
            self._call(node, state, hidden)  # type: ignore[arg-type]

    def _name(self, name: str, line: int, state: State, via: str = "") -> None:
        if name in state.must or name not in self.names:
            return
        sure = name not in state.may
        known = self.found.get(name)
        if known is None or sure and not known.sure:
            self.found[name] = Late(name, line, sure, via)

    def _call(self, node: ast.Call, state: State, hidden: frozenset[str]) -> None:
        func = node.func
        called: list[str] = []
        last = ""
        if isinstance(func, ast.Name):
            called.append(func.id)
            last = func.id
        elif isinstance(func, ast.Attribute):
            last = func.attr
            methods = self._methods.get(last, ())
            if len(methods) == 1:
                self._reach(f".{last}", node.lineno, state)
        if last not in _KEEPERS:
            given = [*node.args, *(keyword.value for keyword in node.keywords)]
            called += [item.id for item in given if isinstance(item, ast.Name)]
        if last == "run" and not node.args and not node.keywords and "main" in self._units:
            called.append("main")
        for name in called:
            if name in self._units and name not in hidden:
                self._reach(name, node.lineno, state)

    def _reach(self, unit: str, line: int, state: State) -> None:
        for name in self._needed(unit):
            self._name(name, line, state, unit.lstrip("."))

    def _needed(self, unit: str) -> set[str]:
        """The names of this scope that a call of a function, class or ``.method`` of it reads."""
        known = self._needs.get(unit)
        if known is not None:
            return known
        needed = self._needs[unit] = set()
        scopes = self._methods[unit[1:]] if unit.startswith(".") else [self._units[unit]]
        pending = list(scopes)
        seen: set[int] = set()
        while pending:
            scope = pending.pop()
            if scope.index in seen:
                continue
            seen.add(scope.index)
            if scope.kind == "class":
                methods = self.module.methods(scope)
                pending += [methods[name] for name in _MAKING if name in methods]
                continue
            read, called = self.module.reads(scope, self.scope)
            needed |= read
            pending += [self._units[name] for name in called if name in self._units]
            if scope.parent is not None and scope.parent.kind == "class":
                methods = self.module.methods(scope.parent)
                own = self.module.calls_on_self(scope)
                pending += [methods[name] for name in own if name in methods]
        return needed


def _catches_names(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(getattr(kind, "id", "") in ("NameError", "UnboundLocalError") for kind in kinds)


_STATEMENTS: dict[type, Callable[..., State | None]] = {
    ast.FunctionDef: _Run._function,
    ast.AsyncFunctionDef: _Run._function,
    ast.ClassDef: _Run._class,
    ast.Assign: _Run._assign,
    ast.AnnAssign: _Run._assign,
    ast.AugAssign: _Run._assign,
    ast.Delete: _Run._delete,
    ast.Import: _Run._import,
    ast.ImportFrom: _Run._import,
    ast.If: _Run._if,
    ast.While: _Run._while,
    ast.For: _Run._for,
    ast.AsyncFor: _Run._for,
    ast.Try: _Run._try,
    ast.With: _Run._with,
    ast.AsyncWith: _Run._with,
    ast.Match: _Run._match,
    ast.Return: _Run._end,
    ast.Raise: _Run._end,
    ast.Continue: _Run._end,
    ast.Break: _Run._break,
    ast.Expr: _Run._expression,
    ast.Global: _Run._nothing,
    ast.Nonlocal: _Run._nothing,
    ast.Pass: _Run._nothing,
}


def _bound_in(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """The names that nodes bind anywhere, functions inside of them left out."""
    found: set[str] = set()
    pending = list(nodes)
    while pending:
        node = pending.pop()
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            found.add(node.name)
            continue
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Store):
                found.add(node.id)
            continue
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found.update(alias.asname or alias.name.partition(".")[0] for alias in node.names)
            continue
        if isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            found.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            found.add(node.rest)
        if not isinstance(node, ast.Lambda):
            pending += children(node)
    return frozenset(found)
