"""A graph test's body as lines: blocks opened, what runs in each, what asks for the graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import libcst as cst

from migrator.engine.cst_walk import exchanged, only, own, own_calls
from migrator.transforms import _flow as flow
from migrator.transforms.eager.base import comments
from migrator.transforms.eager.body import GRAPH_SCOPES, SessionBody
from migrator.transforms.eager.plan import Planner
from migrator.transforms.eager.units import Run, Unsupported
from migrator.transforms.iterators import MAKERS

_DEFAULT_GRAPH = "tensorflow.get_default_graph"
# What a test asks of a graph that the graph of a traced function answers alike.
_QUESTIONS = frozenset({"get_operations"})


@dataclass
class Line:
    """One statement of the flattened body."""

    node: cst.BaseStatement
    reads: set[str]  # without what runs in it fetch and what they feed
    writes: set[str]
    runs: list[Run] = field(default_factory=list)
    graphs: list[cst.BaseExpression] = field(default_factory=list)  # expressions that are the graph
    built: bool = False
    soft: bool = False  # could stay outside as well

    @property
    def plain(self) -> bool:
        return not self.built and not self.runs and not self.graphs


class LineReader:
    """Reads the lines of `body`. Raises Unsupported for what no traced function can stand for."""

    def __init__(self, body: SessionBody, nested: dict[int, cst.BaseStatement]) -> None:
        self.body = body
        self.ctx = body.ctx
        self.nested = nested
        self.planner = Planner(body)
        self.lines: list[Line] = []
        self.dropped: set[int] = set()
        self.scopes = 0
        self.iterators: set[str] = set()  # names of the test's own
        self.started: set[str] = set()
        self.leads: dict[int, list[cst.EmptyLine]] = {}  # comments of blocks that are opened
        self.fed: dict[int, list[tuple[str, cst.BaseExpression]]] = {}

    def read(self) -> None:
        """Fills `runs`, `fed` and `lines`."""
        body = self.body
        if any(not key.isidentifier() for key in body.placeholders):
            raise self._refusal(body.function, "a placeholder has no name of its own")
        self.runs = [*body.runs, *self._evaluations()]
        for run in body.runs:
            if run.zipped is not None or run.expects_error is not None and run.feeds:
                raise self._refusal(run.call, "the feed is computed")
            self.fed[id(run)] = self.planner._feeds_of(run)
            self.dropped |= {id(unit.node) for unit in run.feed_units}
        self._flatten(flow.statements(body.function.body))

    def _refusal(self, node: cst.CSTNode, obstacle: str) -> Unsupported:
        return Unsupported(
            node, obstacle, "trace the part with tf.function and ask the graph of the concrete function"
        )

    def _evaluations(self) -> list[Run]:
        """``self.evaluate(x)``, which runs in the session as well."""
        found = []
        for unit in self.body.units:
            for call in own_calls(unit.node):
                if flow.key_of(call.func) == "self.evaluate" and len(call.args) == 1:
                    found.append(Run(call, call.args[0].value, unit, []))
        return found

    def _flatten(self, statements: Sequence[cst.BaseStatement]) -> None:
        """The statements of a body, blocks of its session and its graph opened."""
        for statement in statements:
            if id(statement) in self.dropped or id(statement) in self.body.session_statements:
                continue
            if isinstance(statement, cst.With) and self._opens(statement):
                inner = flow.statements(statement.body)
                self.leads[id(inner[0])] = [*self.leads.get(id(statement), ()), *comments(statement)]
                self._flatten(inner)
                continue
            line = self._line(statement)
            if line is not None:
                self.lines.append(line)

    def _opens(self, statement: cst.With) -> bool:
        sessions = {id(item) for item in self.body.session_withs.get(id(statement), ())}
        kinds = []
        for item in statement.items:
            if id(item) in sessions:
                kinds.append("session")
            elif self._is_graph_scope(item.item):
                kinds.append("graph")
            else:
                kinds.append("")
        if not any(kinds):
            return False
        if not all(kinds):
            raise self._refusal(statement, "the session is opened together with something else")
        self.scopes += kinds.count("graph")
        if self.scopes > 1:
            raise self._refusal(statement, "the test makes several graphs")
        return True

    def _is_graph_scope(self, node: cst.BaseExpression) -> bool:
        if not isinstance(node, cst.Call):
            return False
        if self.body.resolve(node.func) in GRAPH_SCOPES:
            return True
        return (
            isinstance(node.func, cst.Attribute)
            and node.func.attr.value == "as_default"
            and flow.key_of(node.func.value) in self.body.graphs
        )

    def _line(self, node: cst.BaseStatement) -> Line | None:
        body = self.body
        nodes = own(node) if not isinstance(node, (cst.FunctionDef, cst.ClassDef)) else []
        inside = {id(part) for part in nodes}
        runs = [run for run in self.runs if id(run.call) in inside]
        initial = [run for run in runs if body.is_initializer(run.fetches)]
        pair = flow.assigned(node)
        if pair is not None and flow.key_of(pair[0]) in body._init_names() - {""}:
            return None
        if pair is not None and flow.key_of(pair[0]) in body.graphs:
            return None
        if pair is not None and makes_iterator(node):
            self.iterators.add(flow.key_of(pair[0]) or "")
        if initial:
            for part in only(nodes, cst.Attribute):
                if part.attr.value == "initializer" and flow.key_of(part.value) in self.iterators:
                    self._starts(part)
            small = flow.simple(node)
            if len(runs) > 1 or not (isinstance(small, cst.Expr) and small.value is runs[0].call):
                raise self._refusal(node, "the result of running initializers is used")
            return None
        graphs = self._graph_expressions(node, nodes)
        skipped = {id(part) for part in [*(run.call for run in runs), *graphs]}
        line = Line(node, _reads_without(node, skipped), flow.writes(node), runs, graphs)
        for run in runs:
            for _, value in self.fed.get(id(run), ()):
                line.reads |= flow.reads(value)
        left = (line.reads | {n for run in runs for n in flow.reads(run.fetches)}) & (
            body.sessions | body.graphs
        )
        if left:
            raise self._refusal(node, "the session is passed on")
        if pair is not None and flow.key_of(pair[0]) in body.placeholders:
            line.built = True
        elif any(body._is_placeholder(part) for part in nodes):
            raise self._refusal(node, "a placeholder is made in a block")
        return line

    def _starts(self, initializer: cst.Attribute) -> None:
        """Iterators begin where they are made: starting one a second time is not dropped."""
        key = flow.key_of(initializer.value) or ""
        if key in self.started:
            raise self._refusal(initializer, f"{key} is started again")
        self.started.add(key)

    def _graph_expressions(
        self, node: cst.BaseStatement, nodes: list[cst.CSTNode]
    ) -> list[cst.BaseExpression]:
        """Expressions that are the test's graph; each must ask something that is known."""
        found: list[cst.BaseExpression] = []
        asked: set[int] = set()
        for part in only(nodes, cst.Attribute):
            if part.attr.value not in _QUESTIONS:
                continue
            owner = part.value
            if (
                isinstance(owner, cst.Call)
                and self.body.resolve(owner.func) == _DEFAULT_GRAPH
                or isinstance(owner, cst.Attribute)
                and owner.attr.value == "graph"
                and flow.key_of(owner.value) in self.body.sessions
                or flow.key_of(owner) in self.body.graphs
            ):
                found.append(owner)
                asked |= {id(x) for x in flow.walk(owner)}
        for call in only(nodes, cst.Call):
            if id(call) not in asked and self.body.resolve(call.func) == _DEFAULT_GRAPH:
                raise self._refusal(call, "the operations of the graph are asked for")
        return found


def makes_iterator(node: cst.BaseStatement) -> bool:
    """Whether a statement makes an iterator of a data set."""
    return any(
        isinstance(call.func, cst.Attribute) and call.func.attr.value in MAKERS
        for call in own_calls(node)
    )


def _reads_without(node: cst.CSTNode, skipped: set[int]) -> set[str]:
    """What a statement reads apart from the expressions whose ids are given."""
    if not skipped:
        return flow.reads(node)
    blanks: dict[int, cst.CSTNode | None] = {part: cst.Name("None") for part in skipped}
    made = exchanged(node, blanks)
    assert isinstance(made, cst.CSTNode)
    return flow.reads(made)
