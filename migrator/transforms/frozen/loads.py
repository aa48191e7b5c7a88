"""Where a file loads a graph: from which file, under which name, into which graph."""

from __future__ import annotations

from dataclasses import dataclass, field

import libcst as cst

from migrator.analysis.facts_loaded_graphs import IMPORTERS, META
from migrator.engine.context import FileContext
from migrator.transforms import _flow as flow
from migrator.transforms._scoped_nodes import ScopedNodes

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


def as_default(item: cst.WithItem) -> cst.BaseExpression | None:
    """What ``with X.as_default()`` makes the default graph or session: X."""
    node = item.item
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        return node.func.value if node.func.attr.value == "as_default" else None
    return None


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


class GraphLoads(ScopedNodes):
    """The `loads` of one file, and the Savers (`savers` -> graph key) that came with them.

    Raises Obstacle for a load that cannot be a function of the file.
    """

    def __init__(self, ctx: FileContext) -> None:
        super().__init__(ctx)
        self.savers: dict[str, str] = {}
        #: names of sessions: ``with session.as_default()`` leaves the default graph as it is
        self._sessions = {
            key for line in self.of(cst.SimpleStatementLine)
            if (pair := flow.assigned(line)) is not None and self.sessions_call(pair[1])
            and (key := self.key(line, pair[0])) is not None
        }
        self.loads = [
            self._load(call) for call in self.of(cst.Call) if ctx.resolve(call.func) in IMPORTERS
        ]

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

    def _graph_key(self, statement: cst.CSTNode, function: cst.CSTNode) -> str:
        """The graph that a load goes into: one that is entered by name, else ``graph``."""
        return self._entered(statement) or f"{id(function)}:graph"

    def _entered(self, statement: cst.CSTNode) -> str | None:
        for item in self.entered_around(statement):
            key = self.default_graph(item)
            entered = as_default(item)
            if entered is not None and flow.key_of(entered) in ("self", "cls"):
                raise Obstacle(statement, "the object itself is the graph that it is loaded into",
                               "keep the loaded graph in an attribute")
            if key is not None and key not in self._sessions:
                return None if item.asname is None and self._makes_graph(as_default(item)) else key
        return None

    def sessions_call(self, node: cst.BaseExpression) -> bool:
        """Whether an expression makes a session."""
        return isinstance(node, cst.Call) and self.ctx.resolve(node.func) in (
            "tensorflow.Session", "tensorflow.InteractiveSession")

    def _makes_graph(self, node: cst.BaseExpression | None) -> bool:
        return isinstance(node, cst.Call) and self.ctx.resolve(node.func) == "tensorflow.Graph"

    def default_graph(self, item: cst.WithItem) -> str | None:
        """The graph key that ``with K.as_default()`` or ``tf.Graph().as_default() as K`` names."""
        entered = as_default(item)
        if entered is None:
            return None
        if self._makes_graph(entered):
            if item.asname is None:
                return f"{id(self.function_of(item))}:graph"
            return self.key(item, item.asname.name)  # type: ignore[arg-type]
        return self.key(item, entered)

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
        for item in self.entered_around(text):
            if (
                item.asname is not None
                and flow.key_of(item.asname.name) == key  # type: ignore[arg-type]
                and isinstance(item.item, cst.Call)
                and self.ctx.resolve(item.item.func) in _FILES
            ):
                return item.item.args[0].value
        return None

    def file_with(self, block: cst.With) -> bool:
        """Whether a `with` does nothing but open the file of a load."""
        return len(block.items) == 1 and isinstance(block.items[0].item, cst.Call) and (
            self.ctx.resolve(block.items[0].item.func) in _FILES
        )
