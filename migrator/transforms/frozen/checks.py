"""What a file may do with its loaded graphs, if they are to be callables instead."""

from __future__ import annotations

import ast

import libcst as cst

from migrator.analysis import graph_kinds as k
from migrator.analysis.facts_loaded_graphs import SESSIONS
from migrator.analysis.tree_walk import walk
from migrator.engine.context import FileContext
from migrator.transforms import _flow as flow
from migrator.transforms._scoped_nodes import text_of
from migrator.transforms.eager.base import EagerPlan
from migrator.transforms.frozen.loads import Obstacle, as_default
from migrator.transforms.frozen.model import FrozenModel
from migrator.transforms.sessions.facts import FunctionTable

_OF_DEFAULT_GRAPH = SESSIONS | {"tensorflow.get_default_graph"}
_ASKED = frozenset(
    {"run", "as_default", "get_tensor_by_name", "get_operation_by_name", "get_operations", "as_graph_def",
     "as_graph_element", "get_collection", "add_to_collection", "finalize", "unique_name"}
)  # fmt: skip
_HARMLESS = ("isinstance", "print", "len")


class FrozenChecks:
    """The state of a rewrite, and what it refuses. Raises Obstacle."""

    def __init__(self, ctx: FileContext, model: FrozenModel) -> None:
        self.ctx = ctx
        self.model = model
        self.plan = EagerPlan()
        self.withs: dict[int, list[cst.WithItem]] = {}
        self.handled: set[int] = set()
        self.items: dict[int, cst.WithItem] = {}  # of blocks that add operations to a loaded graph
        self.table = FunctionTable(ctx, ctx.tree, ctx.names)
        self.initializers: set[str] = set()

    def _refuse_additions(self) -> None:
        """A graph that was loaded into the default graph of a function must not be built on there."""
        model = self.model
        homes = {id(model.function_of(load.statement)): load for load in model.loads if load.unnamed}
        for call in model.of(cst.Call) if homes else ():
            load = homes.get(id(model.function_of(call)))
            if load is None or id(call) in self.handled or self._entered(call):
                continue
            symbol = self.ctx.resolve(call.func) or ""
            if k.kind_of(symbol) == k.PLACEHOLDER or symbol.endswith("tf1_support.graphs.placeholder"):
                raise Obstacle(call, "TensorFlow operations are added to the graph that was loaded",
                               "compute them in a function that is given what the graph computes")

    def _entered(self, node: cst.CSTNode) -> bool:
        """Whether a block around a node says what the default graph is."""
        return any(as_default(item) is not None for item in self.model.entered_around(node))

    def _refuse_others(self) -> None:
        """What runs a graph must be seen here: a default graph is also that of other functions, and
        what an attribute holds is also read by others than its object."""
        model = self.model
        loose = {id(model.function_of(load.statement)): load for load in model.loads
                 if load.unnamed and not self._entered(load.statement)}
        ran = set(model.sessions.values())
        for call in model.of(cst.Call) if loose else ():
            symbol = self.ctx.resolve(call.func) or ""
            if symbol not in _OF_DEFAULT_GRAPH or flow.argument(call, "graph", 1) is not None:
                continue
            graph = model.current_graph(call)
            if graph is not None:
                line = model.enclosing(call, cst.SimpleStatementLine)
                pair = flow.assigned(line) if line is not None else None
                if symbol in SESSIONS or pair is not None and pair[1] is call:
                    ran.add(graph)
            elif not self._entered(call):
                raise Obstacle(call, "it is loaded into the default graph, which is asked for in "
                               "another function", "return the graph, and hand it on")
        for load in loose.values():
            if load.key not in ran:
                raise Obstacle(load.statement, "it is loaded into the default graph, and others run it",
                               "return the graph, and hand it on")
        own = {text_of(key) for key in model.sessions}  # whose graph it is, is known
        held = {key.rpartition(".")[2] for key in {*model.graphs, *model.sessions} if "." in key}
        trees = [self.ctx.tree, *map(self.ctx.index.tree, self.ctx.index.importers(self.ctx.path))]
        for tree in filter(None, trees) if held else ():
            for node in walk(tree):
                if isinstance(node, ast.Attribute) and node.attr in _ASKED:
                    asked = node.value
                elif isinstance(node, ast.keyword) and node.arg == "graph":
                    asked = node.value
                else:
                    continue
                if isinstance(asked, ast.Attribute) and asked.attr in held and not (
                    isinstance(asked.value, ast.Name) and (
                        asked.value.id in ("self", "cls") or asked.value.id in own)
                ):
                    raise Obstacle(model.loads[0].statement if model.loads else self.ctx.module,
                                   f"its {asked.attr} is used by others than its object",
                                   "give the object a method that runs it")

    def _check(self) -> None:
        """Everything that still mentions a graph or a session must make sense on a FrozenGraph."""
        model = self.model
        for node in model.named:
            if id(node) in self.handled:
                continue
            key = model.key(node, node)
            session = key in model.sessions
            if key is None or not session and key not in model.graphs:
                continue
            parent = model.parents.get(id(node))
            if isinstance(parent, (cst.AsName, cst.AssignTarget, cst.Param, cst.NameItem)) or (
                isinstance(parent, cst.Attribute) and parent.attr is node
            ) or isinstance(parent, cst.Arg) and parent.keyword is node:
                continue
            graph = text_of(model.sessions[key]) if session else text_of(key)
            if isinstance(parent, (cst.Arg, cst.Element)):
                called = model.enclosing(parent, cst.Call)
                if isinstance(called, cst.Call) and not model.takes(called, parent) and (
                    flow.key_of(called.func) not in _HARMLESS
                ):
                    what = "session" if session else "graph"
                    raise Obstacle(node, f"the {what} is handed to TensorFlow or to unknown code",
                                   "let that code take the FrozenGraph")
            elif isinstance(parent, cst.Attribute) and parent.value is node:
                if session and parent.attr.value not in ("graph", "run"):
                    raise Obstacle(node, f"{parent.attr.value} of its session is used",
                                   "ask the FrozenGraph itself")
                if session and isinstance(model.parents.get(id(parent)), cst.Arg) and (
                    parent.attr.value == "graph"
                ):
                    raise Obstacle(node, "the graph is handed to TensorFlow or to unknown code",
                                   "let that code take the FrozenGraph")
            if session and graph != text_of(key) and not self._is_bound(parent):
                self.plan.expressions[id(node)] = cst.parse_expression(graph)
        for call in model.of(cst.Call):
            self._check_call(call)

    def _is_bound(self, part: cst.CSTNode | None) -> bool:
        """Whether a name stands in ``graph, sess = load()``, where both are the loaded graph by now."""
        several = self.model.parents.get(id(part)) if isinstance(part, cst.Element) else None
        return several is not None and isinstance(
            self.model.parents.get(id(several)), cst.AssignTarget)

    def _check_call(self, node: cst.Call) -> None:
        """Refuses sessions that are made of graphs in other ways, and parameters that may be
        given something else than a loaded graph."""
        model = self.model
        for function, parameter, value in model.called_with(node):
            if f"{id(function)}:{parameter}" in model.graphs:
                key = model.key(node, value)
                if key not in model.graphs and key not in model.sessions:
                    raise Obstacle(node, f"{function.name.value} is also given another "
                                   f"{parameter}", "give each its own function")
