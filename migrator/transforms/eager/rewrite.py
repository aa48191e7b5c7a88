"""Writes a function anew under an EagerPlan: sessions gone, runs become evaluated tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import libcst as cst

from migrator.engine.cst_walk import exchanged, own
from migrator.transforms import _flow as flow
from migrator.transforms.eager.base import EagerPlan
from migrator.transforms.eager.body import GRAPH_SCOPES, SessionBody
from migrator.transforms.eager.units import Run

Evaluate = Callable[[cst.BaseExpression, Run], cst.BaseExpression]


class EagerRewriter:
    """`function()` gives the eager function; `evaluate` writes the value of fetched tensors,
    `graph_scope` what replaces ``tf.Graph().as_default()`` (None: the block is opened)."""

    def __init__(
        self,
        body: SessionBody,
        plan: EagerPlan,
        evaluate: Evaluate,
        graph_scope: Callable[[cst.With], cst.BaseExpression | None],
        nested: dict[int, cst.BaseStatement] | None = None,
        items: dict[int, cst.WithItem] | None = None,
        keep_graphs: bool = False,
    ) -> None:
        self.body = body
        self.plan = plan
        self.evaluate = evaluate
        self.graph_scope = graph_scope
        self.nested = nested or {}
        self.items = items or {}  # contexts that are entered instead of others, by id
        self.keep_graphs = keep_graphs  # leaves ``with tf.Graph().as_default()`` as it is
        self.runs_in: dict[int, list[Run]] = {}
        for run in body.runs:
            self.runs_in.setdefault(id(run.unit.node), []).append(run)

    def function(self) -> cst.FunctionDef:
        """The whole function, rewritten."""
        suite = self._suite(self.body.function.body)
        return self.body.function.with_changes(body=suite)

    def _suite(self, suite: cst.BaseSuite) -> cst.BaseSuite:
        statements, rest = self._block(flow.statements(suite))
        if not isinstance(suite, cst.IndentedBlock):
            if not statements:
                return cst.SimpleStatementSuite([cst.Pass()])
            return cst.IndentedBlock(statements)
        if not _does_something(statements):
            statements = [*statements, cst.SimpleStatementLine([cst.Pass()])]
        return suite.with_changes(body=statements, footer=[*rest, *suite.footer])

    def _block(
        self, statements: Sequence[cst.BaseStatement]
    ) -> tuple[list[cst.BaseStatement], list[cst.EmptyLine]]:
        result: list[cst.BaseStatement] = []
        pending: list[cst.EmptyLine] = []
        for statement in statements:
            leading = list(getattr(statement, "leading_lines", ()))
            if self._is_elsewhere(statement):
                leading = [line for line in leading if line.comment is None]
            made, after = self._statement(statement)
            if made:
                first = made[0]
                own = list(getattr(first, "leading_lines", ()))
                if [flow.code_of(line) for line in own[: len(leading)]] == [
                    flow.code_of(line) for line in leading
                ]:
                    own = own[len(leading) :]
                lead = [*_joined(pending, leading), *own]
                if pending and not result:
                    lead = _no_blank_start(lead)
                made[0] = first.with_changes(leading_lines=lead)
                pending = []
            else:
                pending = _merge(pending, leading)
            result.extend(made)
            pending = [*pending, *after]
        return result, [line for line in pending if line.comment is not None]

    def _statement(
        self, statement: cst.BaseStatement
    ) -> tuple[list[cst.BaseStatement], list[cst.EmptyLine]]:
        made: list[cst.BaseStatement] = list(self.plan.before.get(id(statement), ()))
        after: list[cst.EmptyLine] = []
        if id(statement) in self.plan.dropped or id(statement) in self.body.session_statements:
            if isinstance(statement, cst.SimpleStatementLine) and not made:
                after = _trailing(statement)
            if self._is_elsewhere(statement):
                after = []
        elif isinstance(statement, cst.With) and self._special_with(statement):
            opened, after = self._with(statement)
            made.extend(opened)
        elif isinstance(
            statement, (cst.SimpleStatementLine, cst.FunctionDef, cst.ClassDef)
        ) or not flow.sub_bodies(statement):
            made.extend(self._leaf(statement))
        else:
            made.append(self._compound(statement))
        made.extend(self.plan.functions.get(id(statement), ()))
        return made, after

    def _is_elsewhere(self, statement: cst.BaseStatement) -> bool:
        """Whether a statement was moved, its comments with it."""
        return id(statement) in self.plan.dropped & self.plan.moved

    def _special_with(self, statement: cst.With) -> bool:
        return id(statement) in self.body.session_withs or any(
            isinstance(item.item, cst.Call)
            and self.body.resolve(item.item.func) in GRAPH_SCOPES
            for item in statement.items
        ) or any(self._graph_default(item) for item in statement.items)

    def _graph_default(self, item: cst.WithItem) -> bool:
        node = item.item
        return (
            isinstance(node, cst.Call)
            and isinstance(node.func, cst.Attribute)
            and node.func.attr.value == "as_default"
            and flow.key_of(node.func.value) in self.body.graphs
        )

    def _with(
        self, statement: cst.With
    ) -> tuple[list[cst.BaseStatement], list[cst.EmptyLine]]:
        sessions = {id(item) for item in self.body.session_withs.get(id(statement), ())}
        kept: list[cst.WithItem] = []
        for item in statement.items:
            if id(item) in self.items:
                kept.append(self.items[id(item)])
                continue
            if id(item) in sessions:
                scope = self.graph_scope(statement) if self._own_graph(item) else None
                if scope is not None:
                    kept.append(item.with_changes(item=scope, asname=None))
                continue
            if self._graph_default(item) or (
                isinstance(item.item, cst.Call)
                and self.body.resolve(item.item.func) in GRAPH_SCOPES
            ):
                if self.keep_graphs:
                    kept.append(item)
                    continue
                scope = self.graph_scope(statement)
                if scope is None:
                    continue
                item = item.with_changes(item=scope, asname=None)
            kept.append(item)
        if kept:
            kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
            return [statement.with_changes(items=kept, body=self._suite(statement.body))], []
        suite = statement.body
        made, rest = self._block(flow.statements(suite))
        header = getattr(suite, "header", None)
        lines = list(statement.leading_lines)
        if header is not None and header.comment is not None:
            lines.append(cst.EmptyLine(comment=header.comment))
        if made:
            first = made[0]
            own = _no_blank_start(list(getattr(first, "leading_lines", ())))
            made[0] = first.with_changes(leading_lines=[*lines, *own])
        footer = [line for line in getattr(suite, "footer", ()) if line.comment is not None]
        return made, [*rest, *footer]

    def _own_graph(self, item: cst.WithItem) -> bool:
        """Whether a session was opened on an empty graph of its own (``graph=tf.Graph()``)."""
        call = item.item
        return isinstance(call, cst.Call) and any(
            isinstance(arg.value, cst.Call)
            and self.body.resolve(arg.value.func) == "tensorflow.Graph"
            for arg in call.args
        )

    def _compound(self, statement: cst.BaseStatement) -> cst.BaseStatement:
        """A compound statement with its suites and its head rewritten."""
        return statement.visit(_Suites(self, statement))  # type: ignore[return-value]

    def _leaf(self, statement: cst.BaseStatement) -> list[cst.BaseStatement]:
        if id(statement) in self.nested:
            return [self.nested[id(statement)]]
        table: dict[int, cst.CSTNode | None] = {}
        nodes = list(own(statement))
        for node in nodes:
            if id(node) in self.plan.expressions:
                table[id(node)] = self.plan.expressions[id(node)]
        runs = self.runs_in.get(id(statement), [])
        small = flow.simple(statement)
        for run in runs:
            if isinstance(small, cst.Expr) and small.value is run.call:
                return self._effect_only(statement, run, table)
        for run in reversed(runs):  # inner runs are listed after outer ones
            fetches = exchanged(run.fetches, table)
            assert isinstance(fetches, cst.BaseExpression)
            value = self.evaluate(fetches, run)
            table[id(run.call)] = value.with_changes(
                lpar=[*run.call.lpar, *value.lpar], rpar=[*value.rpar, *run.call.rpar]
            )
        if not table:
            return [statement]
        new = exchanged(statement, table)
        assert isinstance(new, (cst.SimpleStatementLine, cst.BaseCompoundStatement))
        return [new]

    def _effect_only(
        self, statement: cst.BaseStatement, run: Run, table: dict[int, cst.CSTNode | None]
    ) -> list[cst.BaseStatement]:
        """``sess.run(x)`` whose value nobody reads: what made `x` has had its effect."""
        assert isinstance(statement, cst.SimpleStatementLine)
        node = table.get(id(run.fetches), run.fetches)
        assert isinstance(node, cst.BaseExpression)
        values = [node]
        if isinstance(node, (cst.List, cst.Tuple)):
            values = [e.value for e in node.elements if not self.body.is_initializer(e.value)]
        calls = [v for v in values if isinstance(v, cst.Call)]
        made: list[cst.BaseStatement] = []
        for value in calls:
            new = exchanged(value, table)
            assert isinstance(new, cst.BaseExpression)
            made.append(cst.SimpleStatementLine([cst.Expr(new)]))
        if not made and run.expects_error is not None and not self.plan.before.get(id(statement)):
            kept = list(values)
            return [
                cst.SimpleStatementLine([cst.Expr(self.evaluate(kept[0], run))])
            ] if kept else []
        if made:
            made[-1] = made[-1].with_changes(trailing_whitespace=statement.trailing_whitespace)
        return made


class _Suites(cst.CSTTransformer):
    """Rewrites the suites that belong to one compound statement (through elif and else)."""

    def __init__(self, rewriter: EagerRewriter, statement: cst.CSTNode) -> None:
        super().__init__()
        self.rewriter = rewriter
        self.suites = {id(suite) for suite in flow.sub_bodies(statement)}
        self.originals = {id(suite): suite for suite in flow.sub_bodies(statement)}

    def on_visit(self, node: cst.CSTNode) -> bool:
        return id(node) not in self.suites

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode):  # type: ignore
        if id(original_node) in self.suites:
            return self.rewriter._suite(self.originals[id(original_node)])
        replaced = self.rewriter.plan.expressions.get(id(original_node))
        return replaced if replaced is not None else updated_node


def _does_something(statements: Sequence[cst.BaseStatement]) -> bool:
    return bool(statements)


def _trailing(statement: cst.SimpleStatementLine) -> list[cst.EmptyLine]:
    comment = statement.trailing_whitespace.comment
    return [cst.EmptyLine(comment=comment)] if comment is not None else []


def _merge(one: list[cst.EmptyLine], two: list[cst.EmptyLine]) -> list[cst.EmptyLine]:
    """Lines before a removed statement joined to what stood before; blank lines do not pile up."""
    if not any(line.comment for line in two):
        return one or two[:1]
    return _joined(one, two)


def _joined(one: list[cst.EmptyLine], two: list[cst.EmptyLine]) -> list[cst.EmptyLine]:
    """Lines one after the other, with one blank line where both have one."""
    while one and two and one[-1].comment is None and two[0].comment is None:
        two = two[1:]
    return [*one, *two]


def _no_blank_start(lines: list[cst.EmptyLine]) -> list[cst.EmptyLine]:
    while lines and lines[0].comment is None:
        lines = lines[1:]
    return lines
