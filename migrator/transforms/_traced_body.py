"""The rung between eager and graph tests: what a test builds is traced, its runs call that.

A test that asks for the operations of its graph, or asserts static shapes with unknown dimensions,
cannot compute as it builds. Its statements that build go into a ``tf.function``; placeholders are
its parameters, runs are calls of it, and the graph is that of its concrete function. Where runs
fetch different parts, each part becomes a function of its own (``graph_parts.separate``), since
TensorFlow 1 computed only what was fetched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import libcst as cst

from migrator.engine.context import FileContext
from migrator.engine.cst_walk import exchanged, only, own, own_calls
from migrator.transforms import _flow as flow
from migrator.transforms._eager_base import comments
from migrator.transforms._eager_plan import Planner
from migrator.transforms._session_body import GRAPH_SCOPES, SessionBody
from migrator.transforms._session_heads import body_of
from migrator.transforms._session_units import Run, Unsupported

_DEFAULT_GRAPH = "tensorflow.get_default_graph"
# What a test asks of a graph that the graph of a traced function answers alike.
_QUESTIONS = frozenset({"get_operations"})
_PYTHON = ("numpy.", "builtins.", "math.", "six.", "collections.", "os.", "tempfile.", "copy.")
# Assertions that look at the Python object, whatever it is.
_OF_OBJECTS = frozenset(
    "assertIsNone assertIsNotNone assertIsInstance assertNotIsInstance assertIs assertIsNot "
    "assertIn assertNotIn assertLen assertTrue assertFalse".split()
)
_STATIC = frozenset({"get_shape", "shape", "dtype", "name", "op"})
_BUILDS_GRAPHS = "the graph is changed after it was asked"


@dataclass
class _Line:
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


def traced_function(
    ctx: FileContext,
    function: cst.FunctionDef,
    nested: dict[int, cst.BaseStatement] | None = None,
) -> cst.FunctionDef:
    """`function`, a test, with what it builds in a traced function. Raises Unsupported."""
    return _Tracer(body_of(ctx, function), nested or {}).make()


class _Tracer:
    def __init__(self, body: SessionBody, nested: dict[int, cst.BaseStatement]) -> None:
        self.body = body
        self.ctx = body.ctx
        self.nested = nested
        self.planner = Planner(body)
        self.lines: list[_Line] = []
        self.dropped: set[int] = set()
        self.scopes = 0
        self.leads: dict[int, list[cst.EmptyLine]] = {}  # comments of blocks that are opened
        self.fed: dict[int, list[tuple[str, cst.BaseExpression]]] = {}

    def make(self) -> cst.FunctionDef:
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
        self._find_built()
        self._settle()
        return self._written()

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

    # -- statements

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

    def _line(self, node: cst.BaseStatement) -> _Line | None:
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
        if initial:
            small = flow.simple(node)
            if len(runs) > 1 or not (isinstance(small, cst.Expr) and small.value is runs[0].call):
                raise self._refusal(node, "the result of running initializers is used")
            return None
        graphs = self._graph_expressions(node, nodes)
        skipped = {id(part) for part in [*(run.call for run in runs), *graphs]}
        line = _Line(node, _reads_without(node, skipped), flow.writes(node), runs, graphs)
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

    # -- what is built

    def _find_built(self) -> None:
        """Marks what depends on placeholders, and before the first run or question whatever makes
        tensors."""
        first = next(
            (i for i, line in enumerate(self.lines) if line.runs or line.graphs), len(self.lines)
        )
        self.first = first
        fed = set(self.body.placeholders)
        made: set[str] = set()
        for index, line in enumerate(self.lines):
            if line.runs or line.graphs:
                if line.reads & fed:
                    raise self._refusal(line.node, "the graph is used outside of its runs")
            elif line.built or line.reads & fed:
                if index > first:
                    self._check_late(line, fed)
                line.built = True
                fed |= line.writes - {"self"}
                continue
            elif index < first and (line.reads & made or self._makes_tensors(line)):
                line.built = line.soft = True
                made |= line.writes - {"self"}
                continue
            fed -= line.writes
            made -= line.writes

    def _check_late(self, line: _Line, fed: set[str]) -> None:
        """Assertions after a run are made before it: they may only look at what is static."""
        if not any("assert" in (flow.key_of(c.func) or "") for c in own_calls(line.node)):
            return
        static = {
            id(node.value) for node in own(line.node)
            if isinstance(node, cst.Attribute) and node.attr.value in _STATIC
        }
        for node in own(line.node):
            if isinstance(node, cst.Name) and node.value in fed and id(node) not in static:
                raise self._refusal(line.node, "the graph is looked at after it ran")

    def _makes_tensors(self, line: _Line) -> bool:
        if isinstance(line.node, (cst.FunctionDef, cst.ClassDef)):
            return False
        for call in own_calls(line.node):
            if (flow.key_of(call.func) or "").startswith("self.assert"):
                continue
            name = self.body.resolve(call.func)
            if name is None and isinstance(call.func, cst.Attribute):
                owner = flow.root_of(call.func.value)
                if owner is not None and owner not in self._local:
                    continue  # a method of something that is made elsewhere, or of a string
                return True
            if name is None or not name.startswith(_PYTHON):
                return True
        return False

    @cached_property
    def _local(self) -> set[str]:
        return {name for line in self.lines for name in line.writes}

    def _last_writer(self, name: str, before: int) -> int | None:
        for index in range(before - 1, -1, -1):
            if name in self.lines[index].writes:
                return index
        return None

    def _settle(self) -> None:
        """Makes what is built whole: definitions it needs come along, what is needed outside
        stays there."""
        lines = self.lines
        changed = True
        while changed:
            changed = False
            for index, line in enumerate(lines):
                if line.built:
                    for name in line.reads | line.writes:
                        at = self._last_writer(name, index)
                        if at is None or at < self.first or lines[at].built:
                            continue
                        if not lines[at].plain:
                            raise self._refusal(line.node, "values of a run are built upon")
                        lines[at].built = changed = True
                    continue
                for name in line.reads:
                    at = self._last_writer(name, index)
                    if at is None or not lines[at].built:
                        continue
                    if not lines[at].soft:
                        raise self._refusal(line.node, "the graph is used outside of its runs")
                    lines[at].built = lines[at].soft = False
                    changed = True
        built = [i for i, line in enumerate(lines) if line.built]
        if not built:
            raise self._refusal(self.body.function, "nothing is built")
        self.anchor = self.first if self.first < len(lines) else built[-1]
        for index, line in enumerate(lines):
            if line.graphs and built[-1] > index and any(
                i > index and self._makes_tensors(lines[i]) for i in built
            ):
                raise self._refusal(line.node, _BUILDS_GRAPHS)
            if line.built:
                self._check(index, line)

    def _check(self, index: int, line: _Line) -> None:
        """A statement that is moved finds there what it found here, and looks at no values."""
        low, high = sorted((index, self.anchor))
        between = [
            other for other in self.lines[low:high] if not other.built and other is not line
        ]
        for other in between:
            clash = other.writes & (line.reads | line.writes) - {"_"}
            if clash:
                raise self._refusal(
                    other.node, f"{sorted(clash)[0]} changes between the graph and its run"
                )
        tensors = {n for other in self.lines if other.built for n in other.writes}
        for call in own_calls(line.node):
            key = flow.key_of(call.func) or ""
            if not key.startswith("self."):
                continue
            member = key.removeprefix("self.")
            given = {flow.key_of(arg.value) for arg in call.args} | {
                flow.root_of(arg.value) for arg in call.args
                if isinstance(arg.value, cst.Subscript)
            }
            if member in _OF_OBJECTS or not given & tensors:
                continue
            if member.startswith("assert") or isinstance(flow.simple(line.node), cst.Expr):
                raise self._refusal(call, "tensors are compared before they are run")
        if any(
            isinstance(node, (cst.Return, cst.Yield)) for node in own(line.node)
        ):
            raise self._refusal(line.node, "the test returns what it builds")

    # -- writing

    def _groups(self) -> list[tuple[cst.BaseExpression, list[Run]]]:
        """Distinct fetches with the runs that fetch them; what is not built is left as it is."""
        groups: list[tuple[tuple[str, tuple[int | None, ...]], cst.BaseExpression, list[Run]]] = []
        for index, line in enumerate(self.lines):
            for run in line.runs:
                names = sorted(flow.reads(run.fetches))
                writers = [self._last_writer(name, index) for name in names]
                inside = [at is not None and self.lines[at].built for at in writers]
                outside = [
                    at for at in writers
                    if at is not None and not self.lines[at].built and at >= self.anchor
                ]
                if not any(inside):
                    if run.feeds or not self.body.placeholders:
                        raise self._refusal(run.call, "what is run depends on no placeholder")
                    continue
                if outside:
                    raise self._refusal(run.call, "values of a run are run again")
                text = "".join(flow.code_of(run.fetches).split())
                key = (text, tuple(writers))
                for known, _, runs in groups:
                    if known == key:
                        runs.append(run)
                        break
                else:
                    groups.append((key, run.fetches, [run]))
        return [(fetches, runs) for _, fetches, runs in groups]

    def _written(self) -> cst.FunctionDef:
        planner, body = self.planner, self.body
        groups = self._groups()
        asked = any(line.graphs for line in self.lines)
        holders = sorted(body.placeholders.values(), key=lambda holder: holder.unit.order)
        making = {id(holder.unit.node) for holder in holders}
        tf = self._tensorflow()
        inner = [
            self._moved(line.node) for line in self.lines
            if line.built and id(line.node) not in making
        ]
        table: dict[int, cst.CSTNode | None] = {}
        names: list[str] = []
        calls: list[tuple[Run, str]] = []
        for fetches, runs in groups:
            name = planner._function_name(fetches)
            names.append(name)
            calls += [(run, name) for run in runs]
        calls.sort(key=lambda item: len(flow.walk(item[0].call)))  # what is fed may be run itself
        for run, name in calls:
            table[id(run.call)] = self._call(run, name, len(groups) > 1, table)
        results = [fetches.deep_clone() for fetches, _ in groups]
        if len(results) == 1:
            kind = cst.Expr if all(run.is_statement for run in groups[0][1]) else cst.Return
            inner.append(cst.SimpleStatementLine([kind(results[0])]))
        elif results:
            inner.append(
                cst.SimpleStatementLine([cst.Return(cst.Tuple(
                    [cst.Element(result) for result in results], lpar=[], rpar=[]))])
            )
        specs = [planner._spec(holder) for holder in holders]
        parameters = [holder.key for holder in holders]
        made: list[cst.BaseStatement] = []
        if len(groups) > 1:
            separate = self.ctx.support("graph_parts.separate")
            builder = planner._fresh("build")
            planner._used_functions.add(builder)
            made.append(self._definition("", builder, parameters, inner))
            made.append(
                flow.line(f"{', '.join(names)} = " + _wrapped(f"{separate}({builder}, [", specs, "])"))
            )
            graph = f"{names[0]}.graph"
        else:
            name = names[0] if names else planner._fresh("build")
            planner._used_functions.add(name)
            head = f"@{tf}.function(autograph=False"
            head += _wrapped(", input_signature=[", specs, "])\n") if specs else ")\n"
            made.append(self._definition(head, name, parameters, inner))
            graph = f"{name}.get_concrete_function().graph"
        if asked:
            holder = planner._fresh("graph")
            planner.names.add(holder)
            made.append(flow.line(f"{holder} = {graph}"))
            for line in self.lines:
                for expression in line.graphs:
                    table[id(expression)] = cst.Name(holder)
        elif not names:
            made.append(flow.line(f"{name}.get_concrete_function()"))
        return self._with_body(made, table)

    def _definition(
        self, head: str, name: str, parameters: list[str], inner: list[cst.BaseStatement]
    ) -> cst.FunctionDef:
        text = _wrapped(f"def {name}(", parameters, "):\n")
        function = cst.parse_statement(f"{head}{text}    pass\n")
        assert isinstance(function, cst.FunctionDef)
        if not inner:
            return function
        return function.with_changes(body=cst.IndentedBlock(inner))

    def _moved(self, node: cst.BaseStatement) -> cst.BaseStatement:
        lead = [*self.leads.get(id(node), ()), *comments(node)]
        node = self.nested.get(id(node), node)
        return node.with_changes(leading_lines=lead)

    def _tensorflow(self) -> str:
        for holder in self.body.placeholders.values():
            return self.planner._tf_name(holder)
        return self.ctx.require_import("tensorflow", None, "tf")

    def _call(
        self, run: Run, name: str, apart: bool, table: dict[int, cst.CSTNode | None]
    ) -> cst.BaseExpression:
        planner = self.planner
        given = dict(self.fed.get(id(run), ()))
        arguments: list[cst.BaseExpression | cst.Arg] = []
        for holder in sorted(self.body.placeholders.values(), key=lambda h: h.unit.order):
            value = given.get(holder.key)
            if value is None:
                if apart and holder.default is None:
                    continue
                if holder.default is None:
                    raise self._refusal(run.call, f"{holder.key} is fed in no run or not in all")
                value = holder.default
            replaced = exchanged(planner._evaluated(value), table)
            assert isinstance(replaced, cst.BaseExpression)
            value = replaced
            if apart:
                arguments.append(flow.keyword(holder.key, value.deep_clone()))
            else:
                arguments.append(planner._tensor(holder, value))
        call = _one_a_line(flow.call(name, *arguments))
        return call if run.is_statement else flow.call("self.evaluate", call)

    def _with_body(
        self, made: list[cst.BaseStatement], table: dict[int, cst.CSTNode | None]
    ) -> cst.FunctionDef:
        statements: list[cst.BaseStatement] = []
        for index, line in enumerate(self.lines):
            if index == self.anchor:
                statements += made
            if line.built:
                continue
            node = self.nested.get(id(line.node), line.node)
            used = dict(table)
            for run in line.runs:
                if id(run.call) not in used:  # of eager values
                    used[id(run.call)] = (
                        None if run.is_statement
                        else flow.call("self.evaluate", run.fetches.deep_clone())
                    )
            if line.runs and any(r.is_statement and used[id(r.call)] is None for r in line.runs):
                continue
            if line.runs or line.graphs:
                new = exchanged(node, used)
                assert isinstance(new, (cst.SimpleStatementLine, cst.BaseCompoundStatement))
                node = new
            statements.append(flow.with_leading(node, self.leads.get(id(line.node), ())))
        block = self.body.function.body
        if not isinstance(block, cst.IndentedBlock):
            raise self._refusal(block, "the test is written on one line")
        return self.body.function.with_changes(body=block.with_changes(body=statements))


_LONG = 80


def _wrapped(start: str, items: list[str], end: str) -> str:
    """``start`` item, item, ... ``end``; over several lines where that is long."""
    text = f"{start}{', '.join(items)}{end}"
    if len(text) <= _LONG:
        return text
    rows: list[str] = []
    for item in items:
        if rows and len(rows[-1]) + len(item) < _LONG:
            rows[-1] += f" {item},"
        else:
            rows.append(f"{item},")
    inner = "\n".join(f"        {row}" for row in rows)
    return f"{start}\n{inner}\n    {end}"


def _one_a_line(call: cst.Call) -> cst.Call:
    """A call with one argument a line, where it is long otherwise."""
    if len(flow.code_of(call)) <= _LONG or len(call.args) < 2:
        return call
    space = cst.ParenthesizedWhitespace(indent=True, last_line=cst.SimpleWhitespace("    "))
    args = [
        arg.with_changes(comma=cst.Comma(whitespace_after=space)) for arg in call.args[:-1]
    ]
    return call.with_changes(whitespace_before_args=space, args=[*args, call.args[-1]])


def _reads_without(node: cst.CSTNode, skipped: set[int]) -> set[str]:
    """What a statement reads apart from the expressions whose ids are given."""
    if not skipped:
        return flow.reads(node)
    blanks: dict[int, cst.CSTNode | None] = {part: cst.Name("None") for part in skipped}
    made = exchanged(node, blanks)
    assert isinstance(made, cst.CSTNode)
    return flow.reads(made)
