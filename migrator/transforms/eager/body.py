"""The model of one function that opens sessions: its units, placeholders, runs and feeds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import libcst as cst

from migrator.engine.context import FileContext
from migrator.engine.cst_walk import code_children, list_once, only, own, own_calls
from migrator.engine.function_context import FunctionContext
from migrator.transforms import _flow as flow
from migrator.transforms.eager.body_feeds import read_feeds
from migrator.transforms.eager.units import Placeholder, Run, Unit, Unsupported

SESSIONS = frozenset(
    {
        "tensorflow.Session",
        "tensorflow.InteractiveSession",
        "tensorflow.train.MonitoredSession",
        "tensorflow.train.SingularMonitoredSession",
    }
)
#: Those that do more than to run what they are asked for, if they are given something: hooks, a scaffold.
MONITORED = frozenset(name for name in SESSIONS if "Monitored" in name)
TEST_SESSIONS = frozenset({"test_session", "cached_session", "session"})
INITIALIZERS = frozenset(
    {
        "tensorflow.global_variables_initializer",
        "tensorflow.local_variables_initializer",
        "tensorflow.initialize_all_variables",
        "tensorflow.initialize_local_variables",
        "tensorflow.initialize_variables",
        "tensorflow.tables_initializer",
        "tensorflow.initialize_all_tables",
        "tensorflow.variables_initializer",
        "tensorflow.contrib.tpu.initialize_system",
        "tensorflow.contrib.tpu.shutdown_system",
        "tensorflow.tpu.initialize_system",
        "tensorflow.tpu.shutdown_system",
    }
)
INITIALIZING = INITIALIZERS | {f"{name}()" for name in INITIALIZERS}  # and what they give
PLACEHOLDERS = frozenset(
    {
        "tensorflow.placeholder",
        "tensorflow.placeholder_with_default",
        "tensorflow.sparse_placeholder",
    }
)
GRAPH_SCOPES = frozenset({"tensorflow.Graph().as_default"})
# Calls whose effect TF1 repeated at each run of their result.
EFFECTS = frozenset(
    "assign assign_add assign_sub scatter_update scatter_add scatter_sub scatter_nd_update "
    "count_up_to get_next apply".split()
)

RUN_IN_HEAD = "a session runs in the head of a block"
BOUND_TWICE = "a placeholder is bound twice or to no name"


class SessionBody:
    """Sessions, units, placeholders and runs of one function body.

    Raises Unsupported for what has no eager form.
    """

    def __init__(self, ctx: FileContext, function: cst.FunctionDef) -> None:
        list_once(function)
        self.ctx = ctx
        self.function = function
        self.parameters = frozenset(p.name.value for p in function.params.params)
        self.sessions: set[str] = set()
        self.graphs: set[str] = set()
        self.session_withs: dict[int, list[cst.WithItem]] = {}
        self.session_statements: set[int] = set()
        self.units: list[Unit] = []
        self.loops: list[tuple[float, set[str], set[str], cst.CSTNode]] = []
        self.placeholders: dict[str, Placeholder] = {}
        self.runs: list[Run] = []
        self.init_names: set[str] = set()
        self._find_sessions()
        self._collect(flow.statements(function.body), (), False)
        self._note_filled()
        bound = [(u.order, u.reads, u.writes, u.node) for u in self.units] + self.loops
        for _, read, written, node in sorted(bound, key=lambda item: item[0]):
            # what is made from parameters may hold None as well
            if read & self.parameters - {"self"} or _writes_none(node):
                self.parameters |= written
        self._find_placeholders()
        self._find_runs()

    @cached_property
    def text(self) -> str:
        """The source of the function."""
        if isinstance(self.ctx, FunctionContext):
            return self.ctx.source
        return flow.code_of(self.function)

    # -- sessions

    def resolve(self, node: cst.BaseExpression) -> str | None:
        return self.ctx.resolve(node)

    def is_session(self, node: cst.BaseExpression) -> bool:
        """Whether an expression makes a session."""
        if not isinstance(node, cst.Call):
            return False
        func = node.func
        if isinstance(func, cst.Attribute):
            if (
                isinstance(func.value, cst.Name)
                and func.value.value == "self"
                and func.attr.value in TEST_SESSIONS
            ):
                return True
            if func.attr.value == "as_default" and flow.key_of(func.value) in self.sessions:
                return True
        name = self.resolve(func)
        return name in SESSIONS and not (name in MONITORED and node.args)

    def _find_sessions(self) -> None:
        for node in own(self.function.body):
            cls = node.__class__
            if cls is cst.With:
                assert isinstance(node, cst.With)
                for item in node.items:
                    if self.is_session(item.item):
                        self.session_withs.setdefault(id(node), []).append(item)
                        if item.asname is not None:
                            key = flow.key_of(item.asname.name)  # type: ignore[arg-type]
                            if key:
                                self.sessions.add(key)
                    elif isinstance(item.item, cst.Call) and item.asname is not None:
                        if self.resolve(item.item.func) in GRAPH_SCOPES:
                            key = flow.key_of(item.asname.name)  # type: ignore[arg-type]
                            if key:
                                self.graphs.add(key)
            elif cls is cst.SimpleStatementLine:
                pair = flow.assigned(node)
                if pair is None or not isinstance(pair[1], cst.Call):
                    continue
                key = flow.key_of(pair[0])
                if key and self.is_session(pair[1]):
                    self.sessions.add(key)
                    self.session_statements.add(id(node))
                elif key and self.resolve(pair[1].func) == "tensorflow.Graph":
                    self.graphs.add(key)

    @property
    def has_session(self) -> bool:
        return bool(self.session_withs or self.session_statements)

    # -- units

    def _collect(
        self,
        body: Sequence[cst.BaseStatement],
        path: tuple[cst.BaseStatement, ...],
        loop: bool,
    ) -> None:
        for statement in body:
            if self._descends(statement):
                inner = (*path, statement)
                if isinstance(statement, cst.For):
                    written = {k for n in flow.bound_names(statement.target) if (k := flow.key_of(n))}
                    read = flow.reads(statement.iter)
                    self.loops.append((len(self.units) - 0.5, read, written, statement.iter))
                for suite in flow.sub_bodies(statement):
                    self._collect(flow.statements(suite), inner, loop)
                if not isinstance(statement, cst.With) or id(statement) not in self.session_withs:
                    self._header(statement, path)
                continue
            unit = Unit(statement, path, len(self.units))
            unit.reads, unit.writes = flow.reads(statement), flow.writes(statement)
            self.units.append(unit)

    def _note_filled(self) -> None:
        """``metric.build(x, y)``, a statement, changes the object that a local name holds."""
        local = {name for unit in self.units for name in unit.writes} - self.sessions - self.graphs
        for unit in self.units:
            small = flow.simple(unit.node)
            if isinstance(small, cst.Expr) and isinstance(small.value, cst.Call):
                func = small.value.func
                held = flow.root_of(func.value) if isinstance(func, cst.Attribute) else None
                if held in local and not self._is_run(small.value):
                    unit.writes.add(held)

    def _header(self, statement: cst.BaseStatement, path: tuple[cst.BaseStatement, ...]) -> None:
        for node in header_nodes(statement):
            if self._is_run(node) or self._is_placeholder(node):
                raise Unsupported(
                    node, RUN_IN_HEAD, "evaluate it in a statement before the block"
                )

    def _descends(self, statement: cst.BaseStatement) -> bool:
        if isinstance(statement, (cst.SimpleStatementLine, cst.FunctionDef, cst.ClassDef)):
            return False
        if isinstance(statement, cst.With) and (
            id(statement) in self.session_withs
        ):
            return True
        if self.session_withs and any(
            id(node) in self.session_withs for node in only(own(statement), cst.With)
        ):
            return True
        return any(
            self._is_run(node) or self._is_placeholder(node) for node in own_calls(statement)
        )

    def _is_run(self, node: cst.CSTNode) -> bool:
        return isinstance(node, cst.Call) and self.run_parts(node) is not None

    def _is_placeholder(self, node: cst.CSTNode) -> bool:
        return isinstance(node, cst.Call) and self.resolve(node.func) in PLACEHOLDERS

    def run_parts(
        self, call: cst.Call
    ) -> tuple[cst.BaseExpression, cst.BaseExpression | None] | None:
        """(fetches, feed_dict) of a call that evaluates tensors."""
        func = call.func
        if not isinstance(func, cst.Attribute):
            return None
        key = flow.key_of(func.value)
        if func.attr.value == "run" and (
            key in self.sessions or (key is None and self.is_session(func.value))
        ):
            fetches = flow.argument(call, "fetches", 0)
            if fetches is None:
                return None
            return fetches, flow.argument(call, "feed_dict", 1)
        if func.attr.value == "eval" and self.has_session and key != "sess":
            named = self.resolve(func)
            if named is not None and "(" not in named:
                return None  # a function of a module (``tf.keras.backend.eval``), no tensor's method
            extra = [arg for arg in call.args if arg.keyword is None]
            if len(extra) > 1 or any(
                arg.keyword and arg.keyword.value not in ("feed_dict", "session")
                for arg in call.args
            ):
                return None
            return func.value, flow.argument(call, "feed_dict", 0)
        if func.attr.value == "run" and self.has_session and self.resolve(func.value) in INITIALIZING:
            return func.value, None
        return None

    # -- placeholders

    def _find_placeholders(self) -> None:
        for unit in self.units:
            pair = flow.assigned(unit.node)
            whole = pair[1] if pair else None
            for node in own_calls(unit.node):
                if not self._is_placeholder(node):
                    continue
                if node is not whole or pair is None:
                    self._nested(node, unit)
                    continue
                key = flow.key_of(pair[0])
                if key is None or key in self.placeholders:
                    raise Unsupported(
                        node,
                        BOUND_TWICE,
                        "give each placeholder a name of its own",
                    )
                self.placeholders[key] = self._placeholder(key, unit, node)

    def _placeholder(self, key: str, unit: Unit, call: cst.Call) -> Placeholder:
        if self.resolve(call.func) == "tensorflow.placeholder_with_default":
            return Placeholder(
                key,
                unit,
                call,
                None,
                flow.argument(call, "shape", 1),
                flow.argument(call, "input", 0),
                self.parameters,
            )
        if self.resolve(call.func) == "tensorflow.sparse_placeholder":
            raise Unsupported(call, "a sparse placeholder", "build the tf.SparseTensor eagerly")
        return Placeholder(
            key,
            unit,
            call,
            flow.argument(call, "dtype", 0),
            flow.argument(call, "shape", 1),
            parameters=self.parameters,
        )

    def _nested(self, call: cst.Call, unit: Unit) -> None:
        """A placeholder inside a larger expression; kept under a key of its own."""
        key = f"<{len(self.placeholders)}>"
        self.placeholders[key] = self._placeholder(key, unit, call)

    # -- runs

    def _find_runs(self) -> None:
        for unit in self.units:
            for node in own_calls(unit.node):
                parts = self.run_parts(node)
                if parts is None:
                    continue
                run = Run(node, parts[0], unit, [])
                read_feeds(run, parts[1], self.units, self.resolve)
                for block in unit.path:
                    if isinstance(block, cst.With) and any(
                        is_assert_raises(item.item) for item in block.items
                    ):
                        run.expects_error = block
                    if isinstance(block, (cst.For, cst.While)):
                        run.in_loop = True
                if _inside_comprehension(unit.node, node):
                    run.in_loop = True
                self.runs.append(run)

    # -- initializers

    def is_initializer(self, node: cst.BaseExpression) -> bool:
        """Whether an expression does nothing but initialise variables and tables."""
        if isinstance(node, (cst.List, cst.Tuple)):
            return bool(node.elements) and all(
                self.is_initializer(element.value) for element in node.elements
            )
        if isinstance(node, cst.Call):
            name = self.resolve(node.func)
            if name in INITIALIZERS:
                return True
            if name == "tensorflow.group":
                return bool(node.args) and all(
                    not arg.keyword and self.is_initializer(arg.value) for arg in node.args
                    if not (arg.keyword and arg.keyword.value == "name")
                )
            return False
        key = flow.key_of(node)
        if key is not None and key in self._init_names():
            return True
        return isinstance(node, cst.Attribute) and node.attr.value == "initializer"

    def _init_names(self) -> set[str]:
        if not self.init_names:
            self.init_names.add("")  # guards against looking again
            for unit in self.units:
                pair = flow.assigned(unit.node)
                if pair is None:
                    continue
                key = flow.key_of(pair[0])
                if key and self.is_initializer(pair[1]):
                    self.init_names.add(key)
        return self.init_names


def _writes_none(node: cst.CSTNode) -> bool:
    """Whether an assignment, or what a loop is over, is a literal that holds None somewhere."""
    pair = flow.assigned(node) if isinstance(node, cst.SimpleStatementLine) else None
    value = pair[1] if pair is not None else node
    return isinstance(value, (cst.List, cst.Tuple)) and any(
        isinstance(part, cst.Name) and part.value == "None" for part in flow.walk(value)
    )


def header_nodes(statement: cst.BaseStatement) -> Iterator[cst.CSTNode]:
    """Nodes of a compound statement outside its suites."""
    suites = {id(suite) for suite in flow.sub_bodies(statement)}
    stack: list[cst.CSTNode] = [statement]
    while stack:
        current = stack.pop()
        if id(current) in suites:
            continue
        yield current
        stack.extend(reversed(code_children(current)))


def is_assert_raises(node: cst.BaseExpression) -> bool:
    """``self.assertRaises(...)`` and its relatives."""
    return (
        isinstance(node, cst.Call)
        and isinstance(node.func, cst.Attribute)
        and node.func.attr.value.startswith("assertRaises")
    )


_COMPREHENSIONS = frozenset({cst.ListComp, cst.GeneratorExp, cst.SetComp, cst.DictComp})


def _inside_comprehension(statement: cst.CSTNode, target: cst.CSTNode) -> bool:
    for node in flow.walk(statement):
        if node.__class__ in _COMPREHENSIONS:
            if any(inner is target for inner in flow.walk(node)):
                return True
    return False
