"""Where a file loads frozen graphs, and which names hold the graphs and their sessions."""

from __future__ import annotations

from dataclasses import dataclass, field

import libcst as cst

from migrator.engine.context import FileContext
from migrator.engine.cst_walk import code_children
from migrator.transforms import _flow as flow

IMPORTS = frozenset({"tensorflow.import_graph_def", "tensorflow.graph_util.import_graph_def"})
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
    """Why the frozen graphs of a file stay in their sessions."""

    def __init__(self, node: cst.CSTNode, message: str, advice: str) -> None:
        super().__init__(message)
        self.node = node
        self.message = message
        self.advice = advice


@dataclass
class Load:
    """One import of a frozen graph: what is read, where, and under which name."""

    statement: cst.SimpleStatementLine
    call: cst.Call
    source: cst.BaseExpression  # path of the file, or the GraphDef itself
    prefix: str
    key: str
    statements: list[cst.BaseStatement] = field(default_factory=list)  # that only prepared it


class FrozenModel:
    """Loads, graph keys (`graphs`) and session keys (`sessions` -> graph key) of one file.

    Keys are names or attributes of `self`.  Raises Obstacle.
    """

    def __init__(self, ctx: FileContext) -> None:
        self.ctx = ctx
        self.loads: list[Load] = []
        self.graphs: set[str] = set()
        self.sessions: dict[str, str] = {}
        self.parents: dict[int, cst.CSTNode] = {}
        self.nodes: list[cst.CSTNode] = []
        self._bindings: dict[int, set[str]] = {}
        self._index(ctx.module)
        calls = [n for n in self.nodes if isinstance(n, cst.Call)]
        for call in calls:
            if ctx.resolve(call.func) in IMPORTS:
                self.loads.append(self._load(call))
        if self.loads:
            self.graphs |= {load.key for load in self.loads}
            while self._spread(calls):
                pass

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
            found = flow.writes(function.body) | {
                node.name.value
                for node in flow.walk(function.params)
                if isinstance(node, cst.Param)
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
        name = flow.argument(call, "name", 2)
        prefix = "import"
        if isinstance(name, cst.SimpleString):
            prefix = str(name.evaluated_value)
        elif name is not None and flow.key_of(name) != "None":
            raise Obstacle(call, "the import name is computed", "write it as a literal")
        function = self.function_of(call)
        if source is None:
            raise Obstacle(call, "import_graph_def without a graph", "pass the GraphDef")
        load = Load(statement, call, source, prefix, self._graph_key(statement, function))
        key = flow.key_of(source)
        if key is not None:
            self._reading(load, key, function)
        return load

    def _graph_key(self, statement: cst.CSTNode, function: cst.CSTNode) -> str:
        block = self.enclosing(statement, cst.With)
        while isinstance(block, cst.With):
            for item in block.items:
                key = self.default_graph(item)
                if key is not None:
                    return key
            block = self.enclosing(block, cst.With)
        return f"{id(function)}:graph"

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
            if load.key == f"{id(function)}:graph":
                return load.key
        return None

    def _spread(self, calls: list[cst.Call]) -> bool:
        before = (len(self.graphs), len(self.sessions))
        functions = {
            node.name.value: node for node in self.nodes if isinstance(node, cst.FunctionDef)
        }
        for node in self.nodes:
            if isinstance(node, cst.WithItem):
                graph = self.session_graph(node.item)
                if graph is not None and node.asname is not None:
                    key = self.key(node, node.asname.name)  # type: ignore[arg-type]
                    if key:
                        self.sessions[key] = graph
            elif isinstance(node, cst.SimpleStatementLine):
                pair = flow.assigned(node)
                if pair is None:
                    continue
                key = self.key(node, pair[0])
                if key is None:
                    continue
                graph = self.session_graph(pair[1])
                if graph is not None:
                    self.sessions[key] = graph
                elif self.key(node, pair[1]) in self.graphs:
                    self.graphs.add(key)
                elif isinstance(pair[1], cst.Call):
                    name = _called(pair[1])
                    if name in functions and self._returns_graph(functions[name]):
                        self.graphs.add(key)
        for call in calls:
            name = _called(call)
            function = functions.get(name or "")
            if function is None:
                continue
            parameters = [p.name.value for p in function.params.params]
            if parameters[:1] == ["self"]:
                parameters = parameters[1:]
            for position, arg in enumerate(call.args):
                if self.key(call, arg.value) in self.graphs | set(self.sessions):
                    if arg.keyword is not None:
                        self.graphs.add(f"{id(function)}:{arg.keyword.value}")
                    elif position < len(parameters):
                        self.graphs.add(f"{id(function)}:{parameters[position]}")
        return (len(self.graphs), len(self.sessions)) != before

    def is_own(self, call: cst.Call) -> bool:
        """Whether a function or method of this file is called."""
        name = _called(call)
        return any(isinstance(n, cst.FunctionDef) and n.name.value == name for n in self.nodes)

    def _returns_graph(self, function: cst.FunctionDef) -> bool:
        return any(
            isinstance(node, cst.Return)
            and node.value is not None
            and self.key(node, node.value) in self.graphs
            for node in flow.walk(function)
        )


def text_of(key: str) -> str:
    """The source text of a scoped key."""
    return key.rpartition(":")[2]


def _called(call: cst.Call) -> str | None:
    """The bare name of a function or method of this file that is called."""
    func = call.func
    if isinstance(func, cst.Name):
        return func.value
    if isinstance(func, cst.Attribute) and isinstance(func.value, cst.Name):
        return func.attr.value if func.value.value in ("self", "cls") else None
    return None
