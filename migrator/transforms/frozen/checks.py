"""What a file may do with its loaded graphs, if they are to be callables instead."""

from __future__ import annotations

import libcst as cst

from migrator.analysis import graph_kinds as k
from migrator.engine.context import FileContext
from migrator.transforms import _flow as flow
from migrator.transforms._scoped_nodes import text_of
from migrator.transforms.eager.base import EagerPlan
from migrator.transforms.frozen.loads import Obstacle, as_default
from migrator.transforms.frozen.model import FrozenModel
from migrator.transforms.sessions.facts import FunctionTable

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
            if load is None or id(call) in self.handled or any(
                as_default(item) is not None for item in model.entered_around(call)
            ):  # another graph is the default one there
                continue
            symbol = self.ctx.resolve(call.func) or ""
            if k.kind_of(symbol) == k.PLACEHOLDER or symbol.endswith("tf1_support.graphs.placeholder"):
                raise Obstacle(call, "TensorFlow operations are added to the graph that was loaded",
                               "compute them in a function that is given what the graph computes")

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
            if session and graph != text_of(key):
                self.plan.expressions[id(node)] = cst.parse_expression(graph)
        for call in model.of(cst.Call):
            self._check_call(call)

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
