"""Which names of a file hold loaded graphs and their sessions."""

from __future__ import annotations

import libcst as cst

from migrator.analysis.facts_loaded_graphs import GRAPH, SESSION, LoadedGraphs
from migrator.engine.context import FileContext
from migrator.transforms import _flow as flow
from migrator.transforms.frozen.loads import GraphLoads, Load, Obstacle


class FrozenModel(GraphLoads):
    """Loads, graph keys (`graphs`), session keys (`sessions` -> graph key) and keys of Savers that
    came with meta graphs (`savers` -> graph key) of one file.

    `found` says whether the file has any of them; graphs
    may also come from other modules.  Raises Obstacle.
    """

    def __init__(self, ctx: FileContext) -> None:
        super().__init__(ctx)
        self.graphs: set[str] = set()
        self.sessions: dict[str, str] = {}
        self.kept: set[int] = set()  # calls that made sessions whose names now hold the graph
        self._stored: dict[str, bool] | None = None
        self.linked = LoadedGraphs.of(ctx.index)
        calls = self.of(cst.Call)
        self._anonymous()
        self.graphs |= {load.key for load in self.loads}
        for (path, name), kinds in self.linked.parameters.items():
            if path == ctx.path:
                for parameter, kind in kinds.items():
                    self._holds(f"{id(self.functions[name])}:{parameter}", kind)
        if self.loads or ctx.path in self.linked.modules:
            while self._spread(calls):
                pass
        self.found = bool(self.loads or self.graphs)

    def _holds(self, key: str, kind: str) -> None:
        """A name that is given a graph, or what was its session and is the graph itself now."""
        self.graphs.add(key)
        if kind == SESSION:
            self.sessions[key] = key

    # -- graphs without a name

    def _anonymous(self) -> None:
        """A graph without a name that an attribute holds, or its session, gets the attribute's name."""
        for load in self.loads:
            load.unnamed = self._entered(load.statement) is None
            if not load.unnamed:
                continue
            own = [n for n in self.of(cst.SimpleStatementLine)
                   if self.function_of(n) is self.function_of(load.statement)]
            names = []
            for node in own:
                pair = flow.assigned(node)
                key = flow.key_of(pair[0]) if pair is not None else None
                if pair is not None and key and isinstance(pair[1], cst.Call) and (
                    self.sessions_call(pair[1]) and flow.argument(pair[1], "graph", 1) is None
                    or self._is_default_graph(pair[1])
                ):
                    names.append(self.scoped(node, key))
            outer = [n for n in names if n is not None and (
                "." in n or not n.startswith(f"{id(self.function_of(load.statement))}:"))]
            old = load.key
            if outer:
                load.key = outer[0]
            elif self._means_another(load):
                raise Obstacle(load.call, "the name graph means something else here",
                               "load the graph into a tf.Graph with a name")
            self.savers = {k: load.key if v == old else v for k, v in self.savers.items()}

    def _means_another(self, load: Load) -> bool:
        """Whether the name that an unnamed graph would get is bound to something else."""
        function = self.function_of(load.statement)
        for node in self.of(cst.SimpleStatementLine):
            pair = flow.assigned(node) if self.function_of(node) is function else None
            if pair is not None and flow.key_of(pair[0]) == "graph":
                if not (isinstance(pair[1], cst.Call) and self._is_default_graph(pair[1])):
                    return True
        return False

    # -- names that hold graphs and sessions

    def session_graph(self, call: cst.BaseExpression) -> str | None:
        """The frozen graph that ``tf.Session(...)`` runs, None for any other expression."""
        if not isinstance(call, cst.Call):
            return None
        of_test = (
            isinstance(call.func, cst.Attribute)
            and flow.key_of(call.func) in ("self.test_session", "self.cached_session", "self.session")
        )
        if not of_test and self.ctx.resolve(call.func) not in (
            "tensorflow.Session",
            "tensorflow.InteractiveSession",
        ):
            return None
        graph = flow.argument(call, "graph", 0 if of_test else 1)
        if graph is not None:
            key = self.key(call, graph)
            return key if key in self.graphs else None
        return self.current_graph(call)

    def current_graph(self, node: cst.CSTNode) -> str | None:
        """The frozen graph that is the default graph at a node."""
        for item in self.entered_around(node):
            key = self.default_graph(item)
            if key in self.graphs:
                return key
            if item.item is not node and isinstance(item.item, cst.Call):
                graph = flow.argument(item.item, "graph", None)
                if graph is not None and self.key(item, graph) in self.graphs:
                    return self.key(item, graph)
        function = self.function_of(node)
        for load in self.loads:
            if load.unnamed and self.function_of(load.statement) is function:
                return load.key
        return None

    def _spread(self, calls: list[cst.Call]) -> bool:
        before = (len(self.graphs), len(self.sessions))
        for node in self.nodes:
            cls = node.__class__
            if cls is cst.WithItem:
                assert isinstance(node, cst.WithItem)
                key = self.key(node, node.asname.name) if node.asname is not None else None  # type: ignore[arg-type]
                graph = self.session_graph(node.item)
                if graph is not None and key:
                    self.sessions[key] = graph
            elif cls is cst.SimpleStatementLine:
                assert isinstance(node, cst.SimpleStatementLine)
                pair = flow.assigned(node)
                if pair is not None:
                    self._assignment(node, *pair)
        for call in calls:
            self._handed(call)
        return (len(self.graphs), len(self.sessions)) != before

    def _assignment(
        self, node: cst.CSTNode, target: cst.BaseExpression, value: cst.BaseExpression
    ) -> None:
        if isinstance(value, cst.Call):
            kinds = self._given_by(value)
            targets = [target]
            if len(kinds) > 1:
                targets = [e.value for e in target.elements] if isinstance(
                    target, (cst.Tuple, cst.List)) else []
            for element, kind in zip(targets, kinds, strict=False):
                key = self.key(node, element)
                if key is not None and kind:
                    self._holds(key, kind)
            if any(kinds):
                return
        key = self.key(node, target)
        if key is None:
            return
        graph = self.session_graph(value)
        own = self.key(node, value)
        if graph is not None and self._outlives(key, graph):
            self.kept.add(id(value))
            self._holds(key, SESSION)
        elif graph is not None:
            self.sessions[key] = graph
        elif own in self.sessions:
            self._holds(key, SESSION)
        elif own in self.graphs:
            self.graphs.add(key)
        elif isinstance(value, cst.Call) and self._is_default_graph(value):
            if self.current_graph(value) is not None:
                self.graphs.add(key)

    def _outlives(self, session: str, graph: str) -> bool:
        """Whether a session's name is known where its graph's is not, or holds other things too."""
        if session == graph:
            return False
        home, _, _ = graph.rpartition(":")
        if home and home != session.rpartition(":")[0] and home != str(id(self.ctx.module)):
            return True
        return self._stores().get(session, False)

    def _stores(self) -> dict[str, bool]:
        """Every name that is assigned -> whether anything but sessions is."""
        if self._stored is None:
            self._stored = {}
            for node in self.of(cst.SimpleStatementLine):
                pair = flow.assigned(node)
                key = self.key(node, pair[0]) if pair is not None else None
                if pair is not None and key is not None:
                    self._stored[key] = self._stored.get(key, False) or not self.sessions_call(pair[1])
        return self._stored

    def _is_default_graph(self, call: cst.Call) -> bool:
        return self.ctx.resolve(call.func) == "tensorflow.get_default_graph"

    def _given_by(self, call: cst.Call) -> tuple[str, ...]:
        """Kinds of what a call of a function of the project returns."""
        function = self.functions.get(_called(call) or "")
        if function is not None:
            return self._returned(function)
        return self.linked.returns.get(self.ctx.resolve(call.func) or "", ())

    def _returned(self, function: cst.FunctionDef) -> tuple[str, ...]:
        found: tuple[str, ...] = ()
        for node in flow.walk(function):
            if isinstance(node, cst.Return) and node.value is not None:
                elements = [e.value for e in node.value.elements] if isinstance(
                    node.value, cst.Tuple) else [node.value]
                kinds = []
                for element in elements:
                    key = self.key(node, element)
                    kinds.append(SESSION if key in self.sessions else
                                 GRAPH if key in self.graphs else "")
                if any(kinds):
                    found = tuple(kinds)
        return found

    def called_with(self, call: cst.Call) -> list[tuple[cst.FunctionDef, str, cst.BaseExpression]]:
        """(function of the file, its parameter, argument) of a call, or of a thread's target."""
        arguments = list(call.args)
        target, passed = flow.argument(call, "target"), flow.argument(call, "args")
        name = _called(call)
        if target is not None and isinstance(passed, (cst.Tuple, cst.List)):
            arguments = [cst.Arg(e.value) for e in passed.elements]
            name = _name_of(target)
        function = self.functions.get(name or "")
        if function is None:
            return []
        parameters = [p.name.value for p in function.params.params]
        if parameters[:1] == ["self"]:
            parameters = parameters[1:]
        pairs = []
        for position, arg in enumerate(arguments):
            if arg.keyword is not None:
                pairs.append((function, arg.keyword.value, arg.value))
            elif position < len(parameters):
                pairs.append((function, parameters[position], arg.value))
        return pairs

    def _handed(self, call: cst.Call) -> None:
        for function, parameter, value in self.called_with(call):
            key = self.key(call, value)
            if key in self.sessions:
                self._holds(f"{id(function)}:{parameter}", SESSION)
            elif key in self.graphs:
                self._holds(f"{id(function)}:{parameter}", GRAPH)

    def takes(self, call: cst.Call, argument: cst.CSTNode) -> bool:
        """Whether what is called knows that this argument is a graph: a function of the project."""
        value = argument.value if isinstance(argument, (cst.Arg, cst.Element)) else argument
        if any(given is value for _, _, given in self.called_with(call)):
            return True
        hit = self.ctx.index.definition(self.ctx.resolve(call.func) or "", self.ctx.path)
        target = flow.argument(call, "target")
        if target is not None:
            hit = self.ctx.index.definition(self.ctx.resolve(target) or "", self.ctx.path)
        if hit is None:
            return False
        return bool(self.linked.parameters.get((hit[0].path, hit[1])))


def _called(call: cst.Call) -> str | None:
    """The bare name of a function or method of this file that is called."""
    return _name_of(call.func)


def _name_of(func: cst.BaseExpression) -> str | None:
    if isinstance(func, cst.Name):
        return func.value
    if isinstance(func, cst.Attribute) and isinstance(func.value, cst.Name):
        return func.attr.value if func.value.value in ("self", "cls") else None
    return None
