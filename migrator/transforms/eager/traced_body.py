"""The rung between eager and graph tests: what a test builds is traced, its runs call that.

A test that asks for the operations of its graph, or asserts static shapes with unknown dimensions,
cannot compute as it builds. Its statements that build go into a ``tf.function``; placeholders are
its parameters, runs are calls of it, and the graph is that of its concrete function. Where runs
fetch different parts, each part becomes a function of its own (``graph_parts.separate``), since
TensorFlow 1 computed only what was fetched.
"""

from __future__ import annotations

import libcst as cst

from migrator.analysis import graph_kinds as k
from migrator.engine.context import FileContext
from migrator.engine.cst_walk import exchanged, only
from migrator.transforms import _flow as flow
from migrator.transforms.eager.base import comments
from migrator.transforms.eager.heads import body_of
from migrator.transforms.eager.traced_built import BuiltLines
from migrator.transforms.eager.units import Run


def traced_function(
    ctx: FileContext,
    function: cst.FunctionDef,
    nested: dict[int, cst.BaseStatement] | None = None,
) -> cst.FunctionDef:
    """`function`, a test, with what it builds in a traced function. Raises Unsupported."""
    return _Tracer(body_of(ctx, function), nested or {}).make()


class _Tracer(BuiltLines):
    """Writes the traced function and the calls that take the place of the runs."""

    def make(self) -> cst.FunctionDef:
        self._refuse_updates()
        self.read()
        self.decide()
        return self._written()

    def _refuse_updates(self) -> None:
        """An optimizer makes an operation for a session only in a graph of TF 1."""
        for call in only(flow.walk(self.body.function), cst.Call):
            if isinstance(call.func, cst.Attribute) and call.func.attr.value in k.TRAINING_METHODS:
                raise self._refusal(call, "a training operation is run beside other parts")

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
