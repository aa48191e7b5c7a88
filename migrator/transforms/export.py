"""Scripts that freeze a graph: the graph function is traced and frozen, no session."""

from __future__ import annotations

from types import SimpleNamespace

import libcst as cst

from migrator.engine.context import FileContext
from migrator.engine.cst_walk import own
from migrator.engine.registry import transform
from migrator.model import Rung
from migrator.transforms import _flow as flow
from migrator.transforms.eager.base import EagerPlan
from migrator.transforms.eager.body import GRAPH_SCOPES, SESSIONS
from migrator.transforms.eager.rewrite import EagerRewriter

FREEZERS = frozenset(
    {
        "tensorflow.graph_util.convert_variables_to_constants",
        "tensorflow.python.framework.graph_util.convert_variables_to_constants",
        "tensorflow.python.framework.graph_util_impl.convert_variables_to_constants",
    }
)


class _Refused(Exception):
    def __init__(self, node: cst.CSTNode, obstacle: str, advice: str) -> None:
        super().__init__(obstacle)
        self.node = node
        self.obstacle = obstacle
        self.advice = advice


@transform
class Export:
    """Rewrites functions that build a graph with a function of the module and freeze it."""

    name = "export"
    triggers = FREEZERS
    order = 6

    def run(self, ctx: FileContext) -> cst.Module | None:
        functions = {n.name.value: n for n in ctx.module.body if isinstance(n, cst.FunctionDef)}
        table: dict[int, cst.FunctionDef] = {}
        for function in functions.values():
            calls = [
                node
                for node in own(function.body)
                if isinstance(node, cst.Call) and ctx.resolve(node.func) in FREEZERS
            ]
            for call in calls:
                try:
                    table.update(_Freeze(ctx, functions, function, call).rewritten())
                except _Refused as problem:
                    ctx.finding(
                        "TF391",
                        problem.node,
                        f"what is frozen is the graph that is built: {problem.obstacle}",
                        f"To freeze a function: {problem.advice}",
                        Rung.SUPPORT,
                        "tf.graph_util.convert_variables_to_constants",
                    )
        if not table:
            return None
        return ctx.module.with_changes(
            body=[table.get(id(statement), statement) for statement in ctx.module.body]
        )


class _Freeze:
    """One freezing function and the function that builds its graph."""

    def __init__(
        self,
        ctx: FileContext,
        functions: dict[str, cst.FunctionDef],
        function: cst.FunctionDef,
        call: cst.Call,
    ) -> None:
        self.ctx = ctx
        self.functions = functions
        self.function = function
        self.call = call

    def rewritten(self) -> dict[int, cst.FunctionDef]:
        statement, builder = self._builder_call()
        inputs = self._inputs(builder)
        new_builder = self._new_builder(builder, inputs)
        new_function = self._new_function(statement, builder, inputs)
        self.ctx.change(
            "TF322",
            self.call,
            "the traced graph function is frozen with the values of its variables",
            Rung.SUPPORT,
            symbol="tf.graph_util.convert_variables_to_constants",
        )
        return {id(builder): new_builder, id(self.function): new_function}

    # -- what is there

    def _builder_call(self) -> tuple[cst.SimpleStatementLine, cst.FunctionDef]:
        """The statement that calls the function with the placeholders, and that function."""
        for node in own(self.function.body):
            small = flow.simple(node)
            if (
                isinstance(node, cst.SimpleStatementLine)
                and isinstance(small, cst.Expr)
                and isinstance(small.value, cst.Call)
                and isinstance(small.value.func, cst.Name)
            ):
                builder = self.functions.get(small.value.func.value)
                if builder is not None and self._placeholders(builder):
                    uses = sum(
                        isinstance(n, cst.Name) and n.value == builder.name.value
                        for n in flow.walk(self.ctx.module)
                    )
                    if uses != 2 or small.value.args or builder.params.params:
                        break
                    return node, builder
        raise _Refused(
            self.call,
            "no function of this module builds the graph from placeholders alone",
            "write the graph as a function of its inputs that returns its outputs by name, and "
            "call freezing.freeze on it",
        )

    def _placeholders(self, builder: cst.FunctionDef) -> list[tuple[cst.BaseStatement, cst.Call]]:
        found = []
        for statement in flow.statements(builder.body):
            pair = flow.assigned(statement)
            if (
                pair
                and isinstance(pair[0], cst.Name)
                and isinstance(pair[1], cst.Call)
                and self.ctx.resolve(pair[1].func) == "tensorflow.placeholder"
            ):
                found.append((statement, pair[1]))
        return found

    def _inputs(self, builder: cst.FunctionDef) -> list[tuple[str, cst.BaseStatement, str]]:
        """(parameter, statement, TensorSpec) of each placeholder."""
        found = []
        for statement, call in self._placeholders(builder):
            pair = flow.assigned(statement)
            assert pair is not None and isinstance(pair[0], cst.Name)
            dtype = flow.argument(call, "dtype", 0)
            shape = flow.argument(call, "shape", 1)
            name = flow.argument(call, "name", 2)
            local = flow.writes(builder.body)
            for value in (dtype, shape, name):
                if value is not None and flow.reads(value) & local:
                    raise _Refused(
                        statement,
                        "the shape of an input is computed where the graph is built",
                        "compute it before and pass it to the graph function",
                    )
            if dtype is None:
                raise _Refused(statement, "an input without dtype", "give its dtype")
            parts = [
                flow.code_of(shape) if shape is not None else "None",
                flow.code_of(dtype),
                flow.code_of(name) if name is not None else repr(pair[0].value),
            ]
            assert isinstance(call.func, cst.Attribute)
            spec = f"{flow.code_of(call.func.value)}.TensorSpec({', '.join(parts)})"
            found.append((pair[0].value, statement, spec))
        return found

    # -- the graph function: inputs are parameters, named tensors the result

    def _new_builder(
        self, builder: cst.FunctionDef, inputs: list[tuple[str, cst.BaseStatement, str]]
    ) -> cst.FunctionDef:
        if any(isinstance(node, cst.Return) for node in own(builder.body)):
            raise _Refused(
                builder,
                "the graph function returns something already",
                "let it return the outputs by name",
            )
        made: list[cst.BaseStatement] = []
        entries: list[str] = []
        gone = {id(statement) for _, statement, _ in inputs}
        result: cst.BaseStatement | None = None
        comments: list[cst.EmptyLine] = []
        for statement in flow.statements(builder.body):
            if id(statement) in gone:
                continue
            looped = self._named_in_loop(statement)
            named = self._named(statement)
            if looped is not None:
                result = cst.parse_statement(looped)
                result = result.with_changes(leading_lines=getattr(statement, "leading_lines", ()))
            elif named is not None:
                entries.append(named)
                comments += [
                    item for item in getattr(statement, "leading_lines", ()) if item.comment
                ]
            else:
                made.append(statement)
        if result is not None and entries or (result is None and not entries):
            raise _Refused(
                builder,
                "the outputs get their names in a way that is not followed",
                "let the graph function return a dict of its outputs by name",
            )
        if result is None:
            result = flow.line(f"return {{{', '.join(entries)}}}")
            result = result.with_changes(leading_lines=comments)
        parameters = [cst.Param(cst.Name(name)) for name, _, _ in inputs]
        body = builder.body
        assert isinstance(body, cst.IndentedBlock)
        return builder.with_changes(
            params=builder.params.with_changes(params=parameters),
            body=body.with_changes(body=[*made, result]),
        )

    def _identity(self, node: cst.CSTNode) -> tuple[cst.BaseExpression, cst.BaseExpression] | None:
        """(tensor, name) of a statement ``tf.identity(tensor, name=name)``."""
        small = flow.simple(node)
        value = small.value if isinstance(small, (cst.Expr, cst.Assign)) else None
        if not isinstance(value, cst.Call) or self.ctx.resolve(value.func) != "tensorflow.identity":
            return None
        tensor = flow.argument(value, "input", 0)
        name = flow.argument(value, "name", 1)
        return (tensor, name) if tensor is not None and name is not None else None

    def _named(self, statement: cst.BaseStatement) -> str | None:
        found = self._identity(statement)
        if found is None:
            return None
        return f"{flow.code_of(found[1])}: {flow.code_of(found[0])}"

    def _named_in_loop(self, statement: cst.BaseStatement) -> str | None:
        if not isinstance(statement, cst.For) or statement.orelse is not None:
            return None
        body = flow.statements(statement.body)
        found = self._identity(body[0]) if len(body) == 1 else None
        if found is None:
            return None
        target, source = flow.code_of(statement.target), flow.code_of(statement.iter)
        return (
            f"return {{{flow.code_of(found[1])}: {flow.code_of(found[0])} "
            f"for {target} in {source}}}"
        )

    # -- the function that freezes

    def _new_function(
        self,
        statement: cst.SimpleStatementLine,
        builder: cst.FunctionDef,
        inputs: list[tuple[str, cst.BaseStatement, str]],
    ) -> cst.FunctionDef:
        ctx = self.ctx
        names = flow.argument(self.call, "output_node_names", 2)
        if names is None:
            raise _Refused(self.call, "no output names", "name the outputs")
        plan = EagerPlan()
        withs: dict[int, list[cst.WithItem]] = {}
        sessions: set[str] = set()
        for node in own(self.function.body):
            if isinstance(node, cst.With):
                for item in node.items:
                    if isinstance(item.item, cst.Call) and ctx.resolve(item.item.func) in SESSIONS:
                        withs.setdefault(id(node), []).append(item)
                        if item.asname is not None:
                            sessions.add(flow.code_of(item.asname.name))
        local = builder.name.value
        plan.dropped.add(id(statement))
        specs = ", ".join(spec for _, _, spec in inputs)
        signature = f"[{specs}]"
        graph_function = ctx.support("scopes.graph_function")
        plan.before[id(statement)] = [
            flow.line(f"input_signature = {signature}"),
            flow.line(
                f"graph_function = {graph_function}({local}, input_signature=input_signature)"
            ),
            flow.line("graph_function.graph()  # makes the variables"),
        ]
        freeze = flow.call(
            ctx.support("freezing.freeze"),
            cst.Name("graph_function"),
            cst.Name("input_signature"),
            flow.keyword("output_names", names),
        )
        plan.expressions[id(self.call)] = freeze
        for node in own(self.function.body):
            if not isinstance(node, cst.Call) or node is self.call:
                continue
            func = node.func
            if isinstance(func, cst.Attribute) and func.attr.value in ("restore", "save"):
                if node.args and flow.code_of(node.args[0].value) in sessions:
                    plan.expressions[id(node)] = node.with_changes(args=node.args[1:])
            elif any(
                flow.key_of(arg.value) in sessions for arg in node.args
            ) or (isinstance(func, cst.Attribute) and flow.key_of(func.value) in sessions):
                raise _Refused(
                    node, "the session is used for more", "compute that from the restored variables"
                )
        body = SimpleNamespace(
            runs=[],
            session_withs=withs,
            session_statements=set(),
            graphs=set(),
            function=self.function,
            resolve=lambda node: ctx.resolve(node)
            if ctx.resolve(node) in GRAPH_SCOPES
            else None,
        )
        store = ctx.support("scopes.VariableStore")
        return EagerRewriter(
            body,  # type: ignore[arg-type]
            plan,
            lambda fetches, run: fetches,
            lambda block: cst.parse_expression(f"{store}().as_default()"),
        ).function()
