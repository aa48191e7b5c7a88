"""Runs of an object's graph that stand outside of its class: found, and read.

``sess.run([model.train_op, model.loss], {model.x: batch})`` runs the graph that ``model`` built.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from migrator.analysis.names import NameTable
from migrator.analysis.tree_walk import children, walk
from migrator.analysis.values import argument

Function = ast.FunctionDef | ast.AsyncFunctionDef
Scope = ast.Module | Function


class Unknown(Exception):
    """A use of the object's graph in a form that is not understood."""


@dataclass(frozen=True)
class Key:
    """What a method must fetch and take: the same for all runs that can share it.

    `fetches` are attributes in order, `used` says which of their values somebody reads; `feeds`
    are attributes that are passed on, `constants` attributes with the text of a fixed value.
    """

    fetches: tuple[str, ...]
    used: tuple[bool, ...]
    feeds: tuple[str, ...]
    constants: tuple[tuple[str, str], ...]


@dataclass(eq=False)
class OutsideRun:
    """One run: its call, the statement it is in, the object's name, and where the values go."""

    call: ast.Call
    stmt: ast.stmt
    instance: str
    key: Key
    form: str  # "single", "list"
    targets: tuple[ast.expr, ...] = ()
    arguments: dict[str, ast.expr] = field(default_factory=dict)
    feed_name: str = ""
    feed: ast.Dict | None = None


class Reader:
    """Finds the runs of one file; `attributes` maps what may be fetched to its attribute."""

    def __init__(
        self, tree: ast.Module, names: NameTable, makers: set[str], attributes: dict[str, str]
    ) -> None:
        self.tree = tree
        self.names = names
        self.makers = makers
        self.attributes = attributes
        self.calls_of: dict[str, list[tuple[ast.Call, Scope]]] = {}
        self.instances: dict[int, set[str]] = {}
        self.runs: list[OutsideRun] = []

    def read(self) -> None:
        """Fill `instances` and `runs`. Raises Unknown where a use has another form."""
        scopes = list(_scopes(self.tree))
        for scope in scopes:
            self.instances[id(scope)] = set()
            for node in own_nodes(scope):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                    self.calls_of.setdefault(node.func.id, []).append((node, scope))
        for scope in scopes:
            self._made(scope)
        changed = True
        while changed:
            handed = [self._handed(scope) for scope in scopes]
            changed = any(handed)
        if not any(self.instances.values()):
            return
        covered: set[int] = set()
        for scope in scopes:
            for stmt in own_statements(scope):
                for call in _own_calls(stmt):
                    run = self._run(call, stmt, scope)
                    if run is not None:
                        self.runs.append(run)
                        covered |= {id(n) for n in walk(call)}
                        if run.feed is not None:
                            covered |= {id(n) for n in walk(run.feed)}
        for scope in scopes:
            for node in own_nodes(scope):
                if isinstance(node, ast.Attribute) and id(node) not in covered and (
                    self._attribute(node, scope) is not None
                ):
                    raise Unknown(ast.unparse(node))

    def visible(self, scope: Scope) -> set[str]:
        """Names of objects that a scope sees."""
        own = self.instances[id(scope)]
        return own if isinstance(scope, ast.Module) else own | (
            self.instances[id(self.tree)] - _bound(scope)
        )

    def _made(self, scope: Scope) -> None:
        for stmt in own_statements(scope):
            value = getattr(stmt, "value", None)
            if not (isinstance(value, ast.Call) and self._makes(value)):
                if any(self._makes(n) for n in _own_calls(stmt)):
                    raise Unknown("an object is made inside of an expression")
                continue
            if not (isinstance(stmt, ast.Assign) and len(stmt.targets) == 1
                    and isinstance(stmt.targets[0], ast.Name)):
                raise Unknown("an object is not kept under a name")
            name = stmt.targets[0].id
            stores = [n for n in own_nodes(scope) if isinstance(n, ast.Name) and n.id == name
                      and isinstance(n.ctx, ast.Store)]
            made = [n for n in own_nodes(scope) if isinstance(n, ast.Assign)
                    and isinstance(n.value, ast.Call) and self._makes(n.value)]
            if not all(any(n is target for m in made for target in m.targets) for n in stores):
                raise Unknown(f"{name} is bound to something else as well")
            for outer in own_nodes(scope):
                if isinstance(outer, (ast.For, ast.While, ast.With)) and stmt in walk(outer):
                    if not isinstance(outer, ast.With) or self._scoped(outer):
                        raise Unknown("an object is made in a loop or a variable scope")
            self.instances[id(scope)].add(name)

    def _scoped(self, node: ast.With) -> bool:
        """Whether a `with` gives names to variables that are made in it."""
        for item in node.items:
            call = item.context_expr
            symbol = self.names.resolve_node(
                call.func if isinstance(call, ast.Call) else call, values=False) or ""
            if symbol.endswith(("variable_scope", "name_scope", "arg_scope")):
                return True
        return False

    def _makes(self, call: ast.Call) -> bool:
        if isinstance(call.func, ast.Name) and call.func.id in self.makers:
            return True
        return (self.names.resolve_node(call.func, values=False) or "") in self.makers

    def _handed(self, scope: Scope) -> bool:
        """Parameters that every call of the function binds to an object; whether any is new."""
        if isinstance(scope, ast.Module):
            return False
        calls = self.calls_of.get(scope.name, [])
        parameters = [a.arg for a in scope.args.args]
        found = False
        for position, name in enumerate(parameters):
            if name in self.instances[id(scope)] or not calls:
                continue
            given = [argument(call, position, name) for call, _ in calls]
            if all(
                isinstance(node, ast.Name) and node.id in self.visible(caller)
                for node, (_, caller) in zip(given, calls, strict=True)
            ):
                self.instances[id(scope)].add(name)
                found = True
        return found

    def _attribute(self, node: ast.expr, scope: Scope) -> tuple[str, str] | None:
        """(object, attribute) of an expression that is a part of an object's graph."""
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.attr in self.attributes and node.value.id in self.visible(scope):
                return node.value.id, self.attributes[node.attr]
        return None

    def _run(self, call: ast.Call, stmt: ast.stmt, scope: Scope) -> OutsideRun | None:
        if not (isinstance(call.func, ast.Attribute) and call.func.attr == "run" and call.args):
            return None
        fetch = call.args[0]
        elements = fetch.elts if isinstance(fetch, (ast.List, ast.Tuple)) else [fetch]
        parts = [self._attribute(element, scope) for element in elements]
        if not any(parts):
            return None
        if not all(parts) or len({p[0] for p in parts if p is not None}) != 1:
            raise Unknown(ast.unparse(fetch))
        instance = next(p[0] for p in parts if p is not None)
        attributes = tuple(p[1] for p in parts if p is not None)
        feed: ast.expr | None = call.args[1] if len(call.args) > 1 else None
        for keyword in call.keywords:
            if keyword.arg != "feed_dict":
                raise Unknown(f"{keyword.arg} of a run")
            feed = keyword.value
        feed_name, literal = "", feed
        if isinstance(feed, ast.Name):
            feed_name, literal = feed.id, _literal(feed.id, scope)
        if literal is not None and not isinstance(literal, ast.Dict):
            raise Unknown(ast.unparse(literal))
        arguments: dict[str, ast.expr] = {}
        constants: dict[str, str] = {}
        for key, value in zip(literal.keys, literal.values, strict=True) if literal else ():
            part = None if key is None else self._attribute(key, scope)
            if part is None or part[0] != instance:
                raise Unknown(ast.unparse(call))
            if isinstance(value, ast.Constant) and isinstance(value.value, bool):
                constants[part[1]] = repr(value.value)
            else:
                arguments[part[1]] = value
        if feed_name and constants:
            raise Unknown(f"a flag in {feed_name}")
        targets, used = _targets(stmt, call, len(elements), isinstance(fetch, (ast.List, ast.Tuple)))
        key_ = Key(attributes, used, tuple(arguments), tuple(sorted(constants.items())))
        form = "list" if isinstance(fetch, (ast.List, ast.Tuple)) else "single"
        return OutsideRun(call, stmt, instance, key_, form, targets, arguments, feed_name,
                          literal if feed_name else None)


def _targets(
    stmt: ast.stmt, call: ast.Call, count: int, listed: bool
) -> tuple[tuple[ast.expr, ...], tuple[bool, ...]]:
    """What fetched values are assigned to, and which of them are read."""
    if isinstance(stmt, ast.Expr) and stmt.value is call:
        return (), (False,) * count
    if isinstance(stmt, ast.Assign) and stmt.value is call and listed:
        target = stmt.targets[0]
        if isinstance(target, (ast.Tuple, ast.List)) and len(stmt.targets) == 1:
            if len(target.elts) != count:
                raise Unknown(ast.unparse(target))
            used = tuple(not (isinstance(e, ast.Name) and e.id == "_") for e in target.elts)
            return tuple(target.elts), used
    return (), (True,) * count


def _literal(name: str, scope: Scope) -> ast.Dict:
    """The only dict literal that a feed variable is bound to, and never changed."""
    found: list[ast.expr] = []
    for node in own_nodes(scope):
        if isinstance(node, ast.Assign) and any(
            isinstance(t, ast.Name) and t.id == name for t in node.targets
        ):
            found.append(node.value)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and (
            node.value.id == name and not isinstance(node.ctx, ast.Load)
        ):
            raise Unknown(f"{name} changes")
    if len(found) != 1 or not isinstance(found[0], ast.Dict):
        raise Unknown(f"{name} is not one dict literal")
    return found[0]


def _bound(scope: Function) -> set[str]:
    names = {a.arg for a in walk(scope.args) if isinstance(a, ast.arg)}
    return names | {
        n.id for n in own_nodes(scope) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }


def _scopes(tree: ast.Module) -> Iterator[Scope]:
    yield tree
    for node in walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node


def own_nodes(scope: Scope) -> Iterator[ast.AST]:
    """Nodes of a scope, not of the functions and classes inside it."""
    stack: list[ast.AST] = list(reversed(scope.body))
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            stack.extend(reversed(children(node)))


def own_statements(scope: Scope) -> Iterator[ast.stmt]:
    """Simple and compound statements of a scope, in order."""
    for node in own_nodes(scope):
        if isinstance(node, ast.stmt):
            yield node


def _own_calls(stmt: ast.stmt) -> Iterator[ast.Call]:
    """Calls in a statement, not in the statements inside it."""
    stack: list[ast.AST] = [
        child for child in children(stmt) if not isinstance(child, ast.stmt)
    ]
    if isinstance(stmt, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Call):
            yield node
        stack.extend(c for c in children(node) if not isinstance(c, ast.stmt))
