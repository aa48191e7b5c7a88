"""Runs that only give variables their first values: where nothing ran before, these have them already."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from migrator.analysis import graph_kinds as k
from migrator.analysis.facts_graph_code import is_main, names_session
from migrator.analysis.graph_code import callers
from migrator.analysis.index import ProjectIndex
from migrator.analysis.run_sites import Site, savers_session
from migrator.analysis.tree_walk import LOOPS, elements, last_name, self_attribute, walk
from migrator.analysis.value_kinds import Function, Parents, Values

_VARIABLES = frozenset(f"tensorflow.{name}" for name in (
    "global_variables_initializer", "local_variables_initializer", "initialize_all_variables",
    "initialize_local_variables"))
_NEW_GRAPH = frozenset({"tensorflow.Graph", "tensorflow.reset_default_graph"})
#: What asks whether variables have a value.
_ASKING = ("uninitialized_variables", "is_variable_initialized", "variables_initialized(")
_RUNNING = frozenset({"restore", "eval"})  # methods that need a session, by whatever they are called on
_DEPTH = 6  # calls that lead to calls, names that stand for names


class FirstValues:
    """Finds those runs in one file.

    Such a run is reached once in a process, or on a new graph, and nothing was run, restored or loaded
    on the way to it: in its function before it, and before the calls that lead there.
    """

    def __init__(self, tree: ast.Module, text: str, values: Values, parents: Parents, index: ProjectIndex,
                 path: str) -> None:
        self.tree, self.text, self.values, self.parents = tree, text, values, parents
        self.index, self.path = index, path
        self._harmless: set[int] = set()  # ids of calls that run what changes no value of a variable
        self._answers: dict[int, bool] = {}  # id of a function or class -> whether it needs a session

    def spare(self, found: Sequence[Site]) -> list[Site]:
        """Those of the runs `found` that change nothing."""
        self._harmless = {id(site.call) for site in found if self._only(site.fetches, self._starts)}
        wanted = [
            site for site in found if not site.feeds and site.feed is None and not site.lost
            and isinstance(self.parents.of(site.call), ast.Expr)
            and self._only(site.fetches, self._gives_values) and self._is_first(site.call)
            and not any(self._is_repeated(site, other) for other in found if other is not site)]
        return wanted if wanted and not self._is_asked() else []

    def statements(self, spare: Sequence[Site]) -> Iterator[ast.stmt]:
        """The statements that go with such runs: their own, and what only they needed."""
        yield from (self.parents.statement(site.call) for site in spare)
        shared = bool(self.index.importers(self.path))
        names = [node for site in spare for node in walk(site.fetches) if isinstance(node, ast.Name)]
        fetched = {id(node) for node in names}
        for name in sorted({node.id for node in names}):
            same = [node for node in walk(self.tree) if isinstance(node, ast.Name) and node.id == name]
            bound = [node for node in same if not isinstance(node.ctx, ast.Load)]
            assigned = self.parents.of(bound[0]) if len(bound) == 1 else None
            if isinstance(assigned, ast.Assign) and len(assigned.targets) == 1 and all(
                    id(node) in fetched for node in same if node is not bound[0]) and not (
                    shared and isinstance(self.parents.function(assigned), ast.Module)):
                yield assigned

    def _is_asked(self) -> bool:
        """Whether the program asks which variables have a value."""
        around = {*self.index.reached(self.path), *self.index.importers(self.path)}
        texts = [self.text, *(self.index.text(path) or "" for path in sorted(around - {self.path}))]
        return any(word in text for text in texts for word in _ASKING)

    def _is_repeated(self, site: Site, other: Site) -> bool:
        """Whether another run may give the same variables first values anew, which draws them again."""
        wanted = self._symbols(site.fetches)
        if wanted.isdisjoint(self._symbols(other.fetches)):
            return False
        function = self.parents.function(site.call)
        if self.parents.function(other.call) is function:
            return not self._is_apart(other.call, {id(node) for node in self.parents.around(site.call)})
        return not any(self._symbol(call) in _NEW_GRAPH for call in self._before(site.call, function))

    # -- what is run

    def _symbols(self, fetches: ast.expr) -> frozenset[str]:
        """The initializers of variables among what is fetched."""
        made = (node for node in self._fetched(fetches) if isinstance(node, ast.Call))
        return _VARIABLES.intersection(map(self._symbol, made))

    def _gives_values(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Call) and self._symbol(node) in _VARIABLES

    def _starts(self, node: ast.expr) -> bool:
        return self.values.kind(node) in (k.INIT, k.ITERATOR_INIT)

    def _symbol(self, call: ast.Call) -> str:
        symbol = self.values.names.resolve_node(call.func, values=False) or ""
        return symbol.replace("tensorflow.compat.v1.", "tensorflow.")

    def _only(self, node: ast.expr, wanted: Callable[[ast.expr], bool]) -> bool:
        """Whether all that is fetched is `wanted`."""
        found = list(self._fetched(node))
        return bool(found) and all(map(wanted, found))

    def _fetched(self, node: ast.expr, depth: int = _DEPTH) -> Iterator[ast.expr]:
        """What is fetched one by one, by names that are bound once or in itself."""
        made = self._made(node) if depth else node
        if isinstance(made, ast.Call) and self._symbol(made) == "tensorflow.group" and not made.keywords:
            parts: list[ast.expr] = made.args
        elif isinstance(made, (ast.List, ast.Tuple)):
            parts = elements(made)
        else:
            yield made
            return
        for part in parts if depth else ():
            yield from self._fetched(part, depth - 1)

    def _made(self, node: ast.expr) -> ast.expr:
        """What an expression stands for, where it is a name that is bound once."""
        held = self.values.assigned(node) if isinstance(node, (ast.Name, ast.Attribute)) else None
        return held[0] if held is not None and len(held) == 1 else node

    # -- what came before

    def _is_first(self, place: ast.AST, depth: int = _DEPTH) -> bool:
        """Whether nothing was run by the time that `place` is reached, which happens once for a graph."""
        around = list(self.parents.around(place))
        function = self.parents.function(place)
        inside = around[: around.index(function)]
        if any(isinstance(node, (*LOOPS, ast.Lambda, ast.ClassDef, ast.ExceptHandler)) for node in inside):
            return False
        before = list(self._before(place, function))
        new = max((n for n, call in enumerate(before, 1) if self._symbol(call) in _NEW_GRAPH), default=0)
        if any(self._runs(call) for call in before[new:]):
            return False
        if new or isinstance(function, ast.Module):
            return True
        call = self._only_call(function) if depth else None
        return call is not None and self._is_first(call, depth - 1)

    def _before(self, place: ast.AST, function: Function | ast.Module) -> Iterator[ast.Call]:
        """The calls of a function in front of a place, in their order, but for those of other branches."""
        at = place.lineno, place.col_offset  # type: ignore[attr-defined]
        inside = {id(node) for node in self.parents.around(place)}
        calls = [node for node in walk(function) if isinstance(node, ast.Call)
                 and (node.lineno, node.col_offset) < at and id(node) not in inside
                 and self._home(node) is function]
        for call in sorted(calls, key=lambda node: (node.end_lineno or 0, node.end_col_offset or 0)):
            if not self._is_apart(call, inside):
                yield call

    def _home(self, node: ast.AST) -> ast.AST:
        """The function, lambda or module that runs a node."""
        return next(n for n in self.parents.around(node) if isinstance(n, (Function, ast.Lambda, ast.Module)))

    def _is_apart(self, node: ast.AST, inside: set[int]) -> bool:
        """Whether a node is in a branch beside that one in which the nodes `inside` are."""
        inner = node
        for holder in self.parents.around(node):
            if isinstance(holder, ast.If) and id(holder) in inside and inner is not holder.test:
                beside = holder.orelse if inner in holder.body else holder.body
                return any(id(statement) in inside for statement in beside)
            inner = holder
        return False

    def _only_call(self, function: Function) -> ast.AST | None:
        """The place from which a function of the file is called, if that is known and the only one."""
        holder = self.parents.of(function)
        made = isinstance(holder, ast.ClassDef) and function.name == "__init__"
        name = holder.name if made else function.name  # type: ignore[union-attr]
        unit = f"{holder.name}.{function.name}" if isinstance(holder, ast.ClassDef) else function.name
        if not isinstance(holder, (ast.Module, ast.ClassDef)) or any(
                path != self.path for path, _ in callers(self.index, self.path, unit)):
            return None
        kind = ast.Attribute if isinstance(holder, ast.ClassDef) and not made else ast.Name
        used = [node for node in walk(self.tree) if isinstance(node, kind)
                and isinstance(node.ctx, ast.Load) and last_name(node) == name]
        if len(used) == 1 and isinstance(self.parents.of(used[0]), ast.Call):
            return used[0]
        if used or name != "main":
            return None
        return next((node for node in self.tree.body if is_main(node)), None)  # by tf.app.run()

    # -- what runs

    def _runs(self, call: ast.Call) -> bool:
        """Whether a call may run something in a session, or change a variable."""
        if id(call) in self._harmless or self.values.kind(call) == k.SESSION:
            return False
        func = call.func
        if isinstance(func, ast.Attribute) and (
                func.attr in _RUNNING or self.values.kind(func.value) == k.SESSION):
            return True
        given = [*call.args, *(word.value for word in call.keywords)]
        if savers_session(call, self.values) or any(self.values.kind(node) == k.SESSION for node in given):
            return True
        return any(map(self._needs_session, self._called(call)))

    def _called(self, call: ast.Call) -> list[ast.AST]:
        """The functions and methods of the file that a call may lead to, and those of the project that
        are named."""
        name, func = last_name(call.func), call.func
        own = self._defined.get(name, [])
        if own or isinstance(func, ast.Attribute) and self_attribute(func) is not None:
            return own
        hit = self.index.definition(self.values.names.resolve_node(func, values=False) or "", self.path)
        tree = self.index.tree(hit[0].path) if hit is not None else None
        return [] if tree is None or hit is None else [
            node for node in tree.body if isinstance(node, (Function, ast.ClassDef))
            and node.name == hit[1].partition(".")[0]]

    @cached_property
    def _defined(self) -> dict[str, list[ast.AST]]:
        """The functions and classes of the file by name."""
        found: dict[str, list[ast.AST]] = {}
        for node in walk(self.tree):
            if isinstance(node, (Function, ast.ClassDef)):
                found.setdefault(node.name, []).append(node)
        return found

    def _needs_session(self, code: ast.AST) -> bool:
        """Whether code of a function, or of the constructor of a class, has to do with a session."""
        if id(code) not in self._answers:
            self._answers[id(code)] = False  # of one that calls itself, the rest tells
            self._answers[id(code)] = any(map(self._asks_for_session, walk(_constructor(code))))
        return self._answers[id(code)]

    def _asks_for_session(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Call):
            return last_name(node.func) in _RUNNING or names_session(last_name(node.func) + "()") or (
                self.parents.of(node) is not None and self._runs(node))  # else it is another file's
        return isinstance(node, (ast.Name, ast.Attribute)) and names_session(last_name(node))


def _constructor(code: ast.AST) -> ast.AST:
    """What runs where a class is called; a function is that itself."""
    if not isinstance(code, ast.ClassDef):
        return code
    return next((node for node in code.body if isinstance(node, Function) and node.name == "__init__"),
                ast.Pass())
