"""Where a file loads graphs, and which names hold the graphs and their sessions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

import libcst as cst

from migrator.analysis.facts_loaded_graphs import GRAPH, META, SESSION, LoadedGraphs
from migrator.analysis.facts_loaded_graphs import IMPORTERS as IMPORTS
from migrator.engine.context import FileContext
from migrator.engine.cst_walk import Kind, code_children, only
from migrator.transforms import _flow as flow

_NAMED = frozenset({cst.Name, cst.Attribute})
_FILES = frozenset(
    {
        "tensorflow.gfile.GFile",
        "tensorflow.gfile.Open",
        "tensorflow.gfile.FastGFile",
        "tensorflow.io.gfile.GFile",
        "tensorflow.python.platform.gfile.GFile",
        "tensorflow.python.platform.gfile.FastGFile",
        "builtins.open",
        "io.open",
    }
)


class Obstacle(Exception):
    """Why the loaded graphs of a file stay in their sessions."""

    def __init__(self, node: cst.CSTNode, message: str, advice: str) -> None:
        super().__init__(message)
        self.node = node
        self.message = message
        self.advice = advice


@dataclass
class Load:
    """One import of a graph: what is read, where, and under which name; `meta`: with variables."""

    statement: cst.SimpleStatementLine
    call: cst.Call
    source: cst.BaseExpression  # path of the file, or the GraphDef itself
    prefix: str
    key: str
    statements: list[cst.BaseStatement] = field(default_factory=list)  # that only prepared it
    meta: bool = False
    unnamed: bool = False  # whether it went into a default graph
    restored: cst.BaseExpression | None = None  # the checkpoint, where the same statement reads it


class FrozenModel:
    """Loads, graph keys (`graphs`), session keys (`sessions` -> graph key) and keys of Savers that
    came with meta graphs (`savers` -> graph key) of one file.

    Keys are names or attributes of `self`.  `found` says whether the file has any of them; graphs
    may also come from other modules.  Raises Obstacle.
    """

    def __init__(self, ctx: FileContext) -> None:
        self.ctx = ctx
        self.loads: list[Load] = []
        self.graphs: set[str] = set()
        self.sessions: dict[str, str] = {}
        self.savers: dict[str, str] = {}
        self.kept: set[int] = set()  # calls that made sessions whose names now hold the graph
        self._stored: dict[str, bool] | None = None
        self.linked = LoadedGraphs.of(ctx.index)
        self.functions: dict[str, cst.FunctionDef] = {}
        self.parents: dict[int, cst.CSTNode] = {}
        self.nodes: list[cst.CSTNode] = []
        self._bindings: dict[int, set[str]] = {}
        self._index(ctx.module)
        self._by_class: dict[type, list[Any]] = {}
        #: Names and attributes, in source order.
        self.named = [
            cast(cst.Name | cst.Attribute, n) for n in self.nodes if n.__class__ in _NAMED
        ]
        self.functions = {n.name.value: n for n in self.of(cst.FunctionDef)}
        calls = self.of(cst.Call)
        for call in calls:
            if ctx.resolve(call.func) in IMPORTS:
                self.loads.append(self._load(call))
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

    def of(self, kind: type[Kind]) -> list[Kind]:
        """The file's nodes of one class, in source order."""
        found = self._by_class.get(kind)
        if found is None:
            found = self._by_class[kind] = only(self.nodes, kind)
        return found

    def _index(self, root: cst.CSTNode) -> None:
        stack = [root]
        while stack:
            node = stack.pop()
            self.nodes.append(node)
            for child in reversed(code_children(node)):
                self.parents[id(child)] = node
                stack.append(child)

    def enclosing(self, node: cst.CSTNode, kind: type | tuple[type, ...]) -> cst.CSTNode | None:
        """The nearest ancestor of a kind; None outside."""
        current = self.parents.get(id(node))
        while current is not None and not isinstance(current, kind):
            current = self.parents.get(id(current))
        return current

    def function_of(self, node: cst.CSTNode) -> cst.CSTNode:
        """The function that holds a node, the module at top level."""
        return self.enclosing(node, cst.FunctionDef) or self.ctx.module

    def inside(self, node: cst.CSTNode, outer: cst.CSTNode) -> bool:
        current: cst.CSTNode | None = node
        while current is not None and current is not outer:
            current = self.parents.get(id(current))
        return current is outer

    # -- names in their scopes

    def scoped(self, node: cst.CSTNode, key: str | None) -> str | None:
        """`key` as seen from `node`: a local name is told apart from the same name elsewhere."""
        if key is None or "." in key:
            return key
        function = self.function_of(node)
        while isinstance(function, cst.FunctionDef) and key not in self._bound(function):
            function = self.function_of(function)
        return f"{id(function)}:{key}"

    def _bound(self, function: cst.FunctionDef) -> set[str]:
        found = self._bindings.get(id(function))
        if found is None:
            found = flow.writes(function.body) | flow.parameters(function)
            found -= {
                item.name.value for node in flow.walk(function.body)
                if isinstance(node, cst.Global) for item in node.names
            }
            self._bindings[id(function)] = found
        return found

    def key(self, node: cst.CSTNode, expression: cst.BaseExpression) -> str | None:
        """The scoped key of an expression that stands at `node`."""
        return self.scoped(node, flow.key_of(expression))

    # -- one load

    def _load(self, call: cst.Call) -> Load:
        statement = self.enclosing(call, cst.SimpleStatementLine)
        if any(
            arg.keyword and arg.keyword.value in ("input_map", "return_elements", "producer_op_list")
            for arg in call.args
        ):
            raise Obstacle(
                call,
                "the frozen graph is joined to other tensors (input_map, return_elements)",
                "fetch and feed by name: FrozenGraph(path)(fetches, feed_dict)",
            )
        assert isinstance(statement, cst.SimpleStatementLine)
        small = flow.simple(statement)
        function = self.function_of(call)
        if self.ctx.resolve(call.func) in META:
            return self._meta(call, statement, small, function)
        if not (
            (isinstance(small, cst.Expr) and small.value is call)
            or (
                isinstance(small, cst.Assign)
                and small.value is call
                and flow.key_of(small.targets[0].target) == "_"
            )
        ):
            raise Obstacle(
                call, "the result of import_graph_def is used", "fetch tensors by their names"
            )
        source = flow.argument(call, "graph_def", 0)
        if source is None:
            raise Obstacle(call, "import_graph_def without a graph", "pass the GraphDef")
        prefix = self._prefix(call, flow.argument(call, "name", 2), "import")
        load = Load(statement, call, source, prefix, self._graph_key(statement, function))
        key = flow.key_of(source)
        if key is not None:
            self._reading(load, key, function)
        return load

    def _prefix(self, call: cst.Call, name: cst.BaseExpression | None, default: str) -> str:
        if isinstance(name, cst.SimpleString):
            return str(name.evaluated_value)
        if name is not None and flow.key_of(name) != "None":
            raise Obstacle(call, "the import name is computed", "write it as a literal")
        return default

    def _meta(
        self, call: cst.Call, statement: cst.SimpleStatementLine,
        small: cst.BaseSmallStatement | None, function: cst.CSTNode,
    ) -> Load:
        """``saver = tf.train.import_meta_graph(path)``, perhaps with ``.restore(...)`` behind it."""
        source = flow.argument(call, "meta_graph_or_file", 0)
        if source is None or any(
            arg.star or (arg.keyword and arg.keyword.value not in (
                "meta_graph_or_file", "clear_devices", "import_scope"))
            for arg in call.args
        ):
            raise Obstacle(call, "the meta graph is changed while it is read", "read it as it is")
        prefix = self._prefix(call, flow.argument(call, "import_scope", 2), "")
        load = Load(statement, call, source, prefix, self._graph_key(statement, function), meta=True)
        pair = flow.assigned(statement)
        if pair is not None and pair[1] is call:
            key = self.key(statement, pair[0])
            if key is None:
                raise Obstacle(call, "the Saver has no plain name", "bind it to one")
            self.savers[key] = load.key
        elif isinstance(small, cst.Expr) and isinstance(small.value, cst.Call):
            restore = small.value
            if restore is not call:
                if not (isinstance(restore.func, cst.Attribute) and restore.func.value is call
                        and restore.func.attr.value == "restore"):
                    raise Obstacle(call, "the Saver is used at once", "bind it to a name first")
                load.restored = flow.argument(restore, "save_path", 1)
        else:
            raise Obstacle(call, "the Saver is passed on", "bind it to a name first")
        return load

    def _anonymous(self) -> None:
        """A graph without a name that an attribute's session runs gets the attribute's name."""
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
                    self._sessions_call(pair[1]) and flow.argument(pair[1], "graph", 1) is None
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

    def _sessions_call(self, call: cst.Call) -> bool:
        return self.ctx.resolve(call.func) in (
            "tensorflow.Session", "tensorflow.InteractiveSession")

    def _graph_key(self, statement: cst.CSTNode, function: cst.CSTNode) -> str:
        """The graph that a load goes into: one that is entered by name, else ``graph``."""
        return self._entered(statement) or f"{id(function)}:graph"

    def _entered(self, statement: cst.CSTNode) -> str | None:
        block = self.enclosing(statement, cst.With)
        while isinstance(block, cst.With):
            for item in block.items:
                key = self.default_graph(item)
                if key is not None:
                    own = item.asname is None and isinstance(item.item, cst.Call) and (
                        self.ctx.resolve(item.item.func) == "tensorflow.Graph().as_default"
                        and isinstance(item.item.func, cst.Attribute)
                        and isinstance(item.item.func.value, cst.Call)
                    )
                    return None if own else key
            block = self.enclosing(block, cst.With)
        return None

    def default_graph(self, item: cst.WithItem) -> str | None:
        """The graph key that ``with K.as_default()`` or ``tf.Graph().as_default() as K`` names."""
        node = item.item
        if not (
            isinstance(node, cst.Call)
            and isinstance(node.func, cst.Attribute)
            and node.func.attr.value == "as_default"
        ):
            return None
        if self.ctx.resolve(node.func) == "tensorflow.Graph().as_default" and isinstance(
            node.func.value, cst.Call
        ):
            if item.asname is None:
                return f"{id(self.function_of(item))}:graph"
            return self.key(item, item.asname.name)  # type: ignore[arg-type]
        return self.key(item, node.func.value)

    def _reading(self, load: Load, key: str, function: cst.CSTNode) -> None:
        """Finds where the GraphDef `key` is made and which file it is parsed from."""
        made = parsed = None
        for node in flow.walk(function):
            if not isinstance(node, cst.SimpleStatementLine) or self.function_of(node) is not function:
                continue
            pair = flow.assigned(node)
            if pair and flow.key_of(pair[0]) == key and isinstance(pair[1], cst.Call):
                resolved = self.ctx.resolve(pair[1].func) or ""
                if resolved.rpartition(".")[2] == "GraphDef":
                    made = node
            small = flow.simple(node)
            if (
                isinstance(small, cst.Expr)
                and isinstance(small.value, cst.Call)
                and isinstance(small.value.func, cst.Attribute)
                and small.value.func.attr.value in ("ParseFromString", "MergeFromString")
                and flow.key_of(small.value.func.value) == key
            ):
                parsed = node
        if made is None or parsed is None:
            return
        small = flow.simple(parsed)
        assert isinstance(small, cst.Expr) and isinstance(small.value, cst.Call)
        text = small.value.args[0].value
        statements: list[cst.BaseStatement] = [made, parsed]
        text_key = flow.key_of(text)
        if text_key is not None:
            for node in flow.walk(function):
                if isinstance(node, cst.SimpleStatementLine):
                    pair = flow.assigned(node)
                    if pair and flow.key_of(pair[0]) == text_key:
                        text = pair[1]
                        statements.append(node)
        path = self._path_of(text, load.statement, parsed)
        if path is None:
            return
        other = [
            node
            for node in flow.walk(function)
            if isinstance(node, cst.Name)
            and node.value == key
            and not any(self.inside(node, s) for s in [*statements, load.statement])
        ]
        if other and key.isidentifier():
            return  # the GraphDef is looked at elsewhere: keep it and import it as it is
        load.source = path
        load.statements = statements

    def _path_of(
        self, text: cst.BaseExpression, load: cst.CSTNode, parsed: cst.CSTNode
    ) -> cst.BaseExpression | None:
        """The file behind ``f.read()`` or ``open(path, 'rb').read()``."""
        if not (
            isinstance(text, cst.Call)
            and isinstance(text.func, cst.Attribute)
            and text.func.attr.value == "read"
        ):
            return None
        handle = text.func.value
        if isinstance(handle, cst.Call) and self.ctx.resolve(handle.func) in _FILES:
            return handle.args[0].value
        key = flow.key_of(handle)
        block = self.enclosing(text, cst.With)
        while isinstance(block, cst.With):
            for item in block.items:
                if (
                    item.asname is not None
                    and flow.key_of(item.asname.name) == key  # type: ignore[arg-type]
                    and isinstance(item.item, cst.Call)
                    and self.ctx.resolve(item.item.func) in _FILES
                ):
                    return item.item.args[0].value
            block = self.enclosing(block, cst.With)
        return None

    def file_with(self, block: cst.With) -> bool:
        """Whether a `with` does nothing but open the file of a load."""
        return len(block.items) == 1 and isinstance(block.items[0].item, cst.Call) and (
            self.ctx.resolve(block.items[0].item.func) in _FILES
        )

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
        block = self.enclosing(node, cst.With)
        while isinstance(block, cst.With):
            for item in block.items:
                key = self.default_graph(item)
                if key in self.graphs:
                    return key
                if item.item is not node and isinstance(item.item, cst.Call):
                    graph = flow.argument(item.item, "graph", None)
                    if graph is not None and self.key(block, graph) in self.graphs:
                        return self.key(block, graph)
            block = self.enclosing(block, cst.With)
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
                    call = isinstance(pair[1], cst.Call) and self._sessions_call(pair[1])
                    self._stored[key] = self._stored.get(key, False) or not call
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
        hit = self.ctx.index.resolve(self.ctx.resolve(call.func) or "", self.ctx.path)
        target = flow.argument(call, "target")
        if target is not None:
            hit = self.ctx.index.resolve(self.ctx.resolve(target) or "", self.ctx.path)
        if hit is None:
            return False
        return bool(self.linked.parameters.get((hit[0].path, hit[1])))


def text_of(key: str) -> str:
    """The source text of a scoped key."""
    return key.rpartition(":")[2]


def _called(call: cst.Call) -> str | None:
    """The bare name of a function or method of this file that is called."""
    return _name_of(call.func)


def _name_of(func: cst.BaseExpression) -> str | None:
    if isinstance(func, cst.Name):
        return func.value
    if isinstance(func, cst.Attribute) and isinstance(func.value, cst.Name):
        return func.attr.value if func.value.value in ("self", "cls") else None
    return None
