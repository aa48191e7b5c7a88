"""Functions that build in graphs of their own, and let nothing of them out."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from migrator.analysis.names import NameTable
from migrator.analysis.tree_walk import walk

_GRAPHS = frozenset({"tensorflow.Graph", "tf1_support.graphs.Graph"})
_SESSIONS = frozenset({"tensorflow.Session", "tensorflow.InteractiveSession", "tf1_support.sessions.Session"})
#: Methods whose results are values of the program's, whatever they are asked about.
_RUNS = frozenset({"run", "eval", "numpy"})
_FOREIGN = ("numpy.", "builtins.", "os.", "time.", "math.", "random.", "collections.", "itertools.")

Assigned = tuple[ast.expr, ast.expr]


class OwnGraphs:
    """The blocks ``with tf.Graph().as_default():`` among the `nodes` of a function's code.

    makes_tensors says of the name of a TensorFlow function whether it adds to a graph.
    """

    def __init__(
        self, nodes: Sequence[ast.AST], names: NameTable, makes_tensors: Callable[[str], bool]
    ) -> None:
        self._nodes, self._names, self._makes_tensors = nodes, names, makes_tensors
        self._graphs: set[str] = set()
        self.inside: set[int] = set()
        blocks = [(node, graph) for node in nodes if isinstance(node, ast.With)
                  for item in node.items if (graph := _made_default(item.context_expr)) is not None]
        if not blocks:
            return
        self._graphs = {
            target.id for target, value in self._assigned
            if isinstance(target, ast.Name) and isinstance(value, ast.Call) and self._symbol(value) in _GRAPHS
        }
        self.inside = {id(inner) for block, graph in blocks if self._is_own(graph) for inner in walk(block)}
        if self.inside:  # what runs or opens such a graph is part of it, wherever it stands
            sessions = {
                target.id for target, value in self._assigned
                if isinstance(target, ast.Name) and self._is_session_of_own(value)
            }
            self.inside |= {
                id(node) for node in nodes if isinstance(node, ast.Call) and (
                    self._symbol(node) in _GRAPHS or self._is_session_of_own(node)
                    or isinstance(node.func, ast.Attribute) and node.func.attr == "run"
                    and isinstance(node.func.value, ast.Name) and node.func.value.id in sessions)}

    def __bool__(self) -> bool:
        return bool(self.inside)

    def let_out(self) -> bool:
        """Whether something of these graphs may be seen outside: it is returned, kept or declared so."""
        held = self._held()
        for node in self._nodes:
            if isinstance(node, (ast.Yield, ast.YieldFrom)):
                return True
            if isinstance(node, ast.Return) and node.value is not None and self._holds(node.value, held):
                return True
            if isinstance(node, (ast.Global, ast.Nonlocal)) and not held.isdisjoint(node.names):
                return True
            if isinstance(node, ast.Call) and id(node) in self.inside and _is_method_of_self(node):
                return True
        bound = {name.id for target, _ in self._assigned for name in _roots(target)
                 if not isinstance(target, (ast.Attribute, ast.Subscript))}
        return any(
            self._holds(value, held) and not {name.id for name in _roots(target)} & bound
            for target, value in (*self._assigned, *self._filled()))

    # -- what holds something of the graph

    def _held(self) -> set[str]:
        """The names that hold something of the graphs, in the end."""
        held = {node.name for node in self._nodes
                if isinstance(node, ast.FunctionDef) and id(node) in self.inside}
        bound = [*self._assigned, *self._filled()]
        size = -1
        while size != len(held):
            size = len(held)
            for target, value in bound:
                if self._holds(value, held):
                    held |= {node.id for node in _roots(target)}
        return held

    def _filled(self) -> Iterator[Assigned]:
        """Objects with what methods are given that may keep it."""
        for node in self._nodes:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and (
                    node.func.attr not in _RUNS and not self._symbol(node)):
                for given in (*node.args, *(word.value for word in node.keywords)):
                    yield node.func.value, given

    def _holds(self, value: ast.AST, held: set[str]) -> bool:
        """Whether a value has something of the graphs in it."""
        if isinstance(value, ast.Name):
            return value.id in held
        if isinstance(value, ast.Lambda):
            return id(value) in self.inside
        if isinstance(value, ast.Call):
            if isinstance(value.func, ast.Attribute) and value.func.attr in _RUNS:
                return False
            symbol = self._symbol(value)
            if symbol in _GRAPHS | _SESSIONS or (
                    id(value) in self.inside and self._is_of_graph(symbol, value)):
                return True
        return any(self._holds(inner, held) for inner in ast.iter_child_nodes(value))

    def _is_of_graph(self, symbol: str, call: ast.Call) -> bool:
        """Whether a call in a block may make something of the graph."""
        if symbol.startswith(("tensorflow.", "tf1_support.")):
            return not symbol.startswith("tensorflow.") or self._makes_tensors(symbol)
        plain = isinstance(call.func, ast.Name) or bool(symbol)
        return plain and not symbol.startswith(_FOREIGN)

    # -- what stands there

    @cached_property
    def _assigned(self) -> list[Assigned]:
        """Targets with their values, by any statement that binds names."""
        return list(self._bindings())

    def _bindings(self) -> Iterator[Assigned]:
        for node in self._nodes:
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    yield target, node.value
            elif isinstance(node, (ast.AnnAssign, ast.AugAssign, ast.NamedExpr)) and node.value is not None:
                yield node.target, node.value
            elif isinstance(node, (ast.For, ast.AsyncFor)):
                yield node.target, node.iter
            elif isinstance(node, (ast.With, ast.AsyncWith)):
                for item in node.items:
                    if item.optional_vars is not None:
                        yield item.optional_vars, item.context_expr

    def _symbol(self, call: ast.Call) -> str:
        return self._names.resolve_node(call.func, values=False) or ""

    def _is_own(self, graph: ast.expr) -> bool:
        """Whether this is ``tf.Graph()``, or a name that holds such a graph."""
        return isinstance(graph, ast.Call) and self._symbol(graph) in _GRAPHS or (
            isinstance(graph, ast.Name) and graph.id in self._graphs)

    def _is_session_of_own(self, node: ast.expr) -> bool:
        if not isinstance(node, ast.Call) or self._symbol(node) not in _SESSIONS:
            return False
        return any(word.arg == "graph" and isinstance(word.value, ast.Name) and word.value.id in self._graphs
                   for word in node.keywords)


def _made_default(node: ast.expr) -> ast.expr | None:
    """What ``graph.as_default()`` is asked of."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "as_default":
        return node.func.value
    return None


def _is_method_of_self(call: ast.Call) -> bool:
    """Whether a call may build into the object whose method the code is of."""
    return isinstance(call.func, ast.Attribute) and call.func.attr not in _RUNS and any(
        name.id == "self" for name in _roots(call.func))


def _roots(node: ast.expr) -> list[ast.Name]:
    """The names that a target binds, or through which it reaches what it binds."""
    if isinstance(node, (ast.Tuple, ast.List)):
        return [name for part in node.elts for name in _roots(part)]
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred)):
        node = node.value
    return [node] if isinstance(node, ast.Name) else []
