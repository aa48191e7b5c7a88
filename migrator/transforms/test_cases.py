"""Tests that opened sessions become eager tests with the same assertions."""

from __future__ import annotations

import ast
from collections.abc import Callable

import libcst as cst

from migrator.engine.context import FileContext
from migrator.engine.registry import transform
from migrator.model import Confidence, Rung
from migrator.transforms import _flow as flow
from migrator.transforms._eager_plan import Planner
from migrator.transforms._eager_rewrite import EagerRewriter
from migrator.transforms._numpy_values import numpy_value
from migrator.transforms._session_body import (
    GRAPH_SCOPES,
    RUN_IN_HEAD,
    TEST_SESSIONS,
    Run,
    SessionBody,
    Unsupported,
    own_nodes,
)
from migrator.transforms._session_heads import (
    ambient_collections,
    other_uses,
    without_runs_in_heads,
)
from migrator.transforms.graph_tests import marked

_REWRITES = frozenset({"tensorflow.contrib.tpu.rewrite", "tensorflow.tpu.rewrite"})
_TEST_CASE = "tensorflow.test.TestCase"
# An eager loss has lost the computation that its gradient would need.
_OPTIMIZER_CALLS = frozenset({"minimize", "compute_gradients"})
_GRAPH_CALLS = frozenset(
    {*TEST_SESSIONS, "run", "placeholder", "placeholder_with_default", "as_default", "Session"}
)


@transform
class TestCases:
    """Rewrites methods of test classes; gives the classes a fresh variable store per test."""

    name = "test_cases"
    triggers = frozenset({"tensorflow.*"})
    order = 40

    def run(self, ctx: FileContext) -> cst.Module | None:
        if not _looks_like_tests(ctx.text):
            return None
        visitor = _Functions(ctx, _touched_functions(ctx.tree))
        module = ctx.module.visit(visitor)
        return module if visitor.changed else None


def _looks_like_tests(text: str) -> bool:
    return "TestCase" in text or any(f"self.{name}(" in text for name in TEST_SESSIONS)


def _touched_functions(tree: ast.Module) -> list[tuple[bool, int]]:
    """For each function of a module in source order: whether it, or a function inside it, makes a
    call that could concern a graph, and how many functions it holds."""
    found: list[tuple[bool, int]] = []

    graphs = 0  # how many classes or functions around are marked to stay in a graph

    def walk(node: ast.AST) -> bool:
        nonlocal graphs
        stays = marked(node)
        graphs += stays
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            place = len(found)
            found.append((False, 0))
            touched = _any(walk, node) and not graphs
            found[place] = (touched, len(found) - place - 1)
        else:
            touched = _any(walk, node)
        graphs -= stays
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            return touched or node.func.attr in _GRAPH_CALLS
        return touched

    walk(tree)
    return found


def _any(walk: Callable[[ast.AST], bool], node: ast.AST) -> bool:
    """Whether `walk` finds something in any child; all are walked, because walking counts."""
    found = False
    for child in ast.iter_child_nodes(node):
        found |= walk(child)
    return found


class _Functions(cst.CSTTransformer):
    """Handles outermost functions of classes, nested functions first.

    Functions without a call that could concern a graph are not entered: visiting a LibCST tree
    costs more than everything else here. `touched` is what `_touched_functions` gives.
    """

    def __init__(self, ctx: FileContext, touched: list[tuple[bool, int]]) -> None:
        super().__init__()
        self.ctx = ctx
        self.touched = touched
        self.place = -1
        self.changed = False
        self.in_method: list[bool] = []
        self.nested: dict[int, cst.BaseStatement] = {}

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        parameters = node.params.params
        method = bool(parameters) and parameters[0].name.value == "self"
        self.place += 1
        touched, inside = self.touched[self.place]
        method = method or (bool(self.in_method) and self.in_method[-1])
        self.in_method.append(method and touched)
        if not touched:
            self.place += inside
        return touched

    def visit_SimpleStatementLine(self, node: cst.SimpleStatementLine) -> bool:
        return False  # holds neither functions nor base classes

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        method = self.in_method.pop()
        result = self._leave(original_node, updated_node, method)
        if result is not original_node:
            self.nested[id(original_node)] = result
        return result

    def _leave(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef, method: bool
    ) -> cst.FunctionDef:
        if not method or not _touches_graph(self.ctx, original_node):
            return updated_node
        try:
            made = eager_function(self.ctx, original_node, "self.evaluate", self.nested)
        except Unsupported as problem:
            self.ctx.finding(
                "TF005",
                problem.node,
                f"the session in {original_node.name.value} stays: {problem.obstacle}",
                problem.advice,
                Rung.COMPAT,
                "tf.Session",
            )
            return updated_node
        if made is None:
            return updated_node
        self.changed = True
        self.ctx.change(
            "TF701",
            original_node,
            "the test evaluates eager tensors instead of running them in a session",
            confidence=Confidence.LIKELY,
        )
        return updated_node.with_changes(body=made.body)

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        if original_node.keyword is not None:
            return updated_node
        if self.in_method or self.ctx.resolve(original_node.value) != _TEST_CASE:
            return updated_node
        self.changed = True
        self.ctx.change(
            "TF702",
            original_node,
            "every test starts with an empty variable store, as it did with an empty graph",
            Rung.SUPPORT,
        )
        return updated_node.with_changes(value=self.ctx.support_expr("testing.TestCase"))


def _touches_graph(ctx: FileContext, function: cst.FunctionDef) -> bool:
    """Whether a function has a session, a placeholder or a graph of its own."""
    for node in own_nodes(function.body):
        if not isinstance(node, cst.Call):
            continue
        func = node.func
        if isinstance(func, cst.Attribute) and func.attr.value in _GRAPH_CALLS:
            return True
    return False


def eager_function(
    ctx: FileContext,
    function: cst.FunctionDef,
    evaluate: str,
    nested: dict[int, cst.BaseStatement] | None = None,
) -> cst.FunctionDef | None:
    """The eager form of a function, None where there is nothing to do.

    `evaluate` is the function that turns tensors into arrays (``self.evaluate``); empty means
    ``.numpy()``.  Raises Unsupported.
    """
    try:
        body = SessionBody(ctx, function)
    except Unsupported as problem:
        if problem.obstacle != RUN_IN_HEAD:
            raise
        function = without_runs_in_heads(function)
        body = SessionBody(ctx, function)
    asked = other_uses(function, body.graphs)
    if asked is not None:
        raise Unsupported(
            asked,
            f"{asked.attr.value} of a graph is used",
            "trace the part with tf.function and ask the graph of the concrete function",
        )
    graphs = _graph_blocks(ctx, body)
    if not body.has_session and not body.placeholders and not graphs:
        return None
    savers = _refuse_leaks(body)
    plan = Planner(body).make()
    for node in own_nodes(function.body):
        if isinstance(node, cst.Call) and ctx.resolve(node.func) in _REWRITES:
            computation, inputs = flow.argument(node, "computation", 0), flow.argument(
                node, "inputs", 1
            )
            if computation is not None:  # without a TPU the computation is just called
                arguments = [] if inputs is None else [cst.Arg(inputs, star="*")]
                plan.expressions[id(node)] = cst.Call(computation, arguments)
    for saver in savers:  # checkpoint.Saver takes no session
        plan.expressions[id(saver)] = saver.with_changes(args=saver.args[1:])

    def value(fetches: cst.BaseExpression, run: Run) -> cst.BaseExpression:
        if not evaluate:
            return numpy_value(ctx, fetches, run)
        return flow.call(evaluate, fetches)

    def graph_scope(block: cst.With) -> cst.BaseExpression | None:
        if pure_block(ctx, block):
            return None
        return cst.parse_expression(f"{ctx.support('scopes.VariableStore')}().as_default()")

    made = EagerRewriter(body, plan, value, graph_scope, nested).function()
    return ambient_collections(made, body.graphs, ctx.support_expr)


def _graph_blocks(ctx: FileContext, body: SessionBody) -> bool:
    for node in own_nodes(body.function.body):
        if isinstance(node, cst.With):
            for item in node.items:
                if isinstance(item.item, cst.Call) and ctx.resolve(item.item.func) in GRAPH_SCOPES:
                    return True
    return False


def pure_block(ctx: FileContext, block: cst.With) -> bool:
    """Whether everything called in a block is TensorFlow or NumPy without variables."""
    for node in own_nodes(block.body):
        if isinstance(node, cst.Call):
            name = ctx.resolve(node.func)
            if name is None or not name.startswith(("tensorflow.", "numpy.", "builtins.")):
                return False
            if name.startswith(("tensorflow.contrib.", "tensorflow.layers.")) or name in (
                "tensorflow.get_variable", "tensorflow.Variable", "tensorflow.variable_scope",
                "tensorflow.get_collection", "tensorflow.add_to_collection",
            ):
                return False
    return True


def _refuse_leaks(body: SessionBody) -> list[cst.Call]:
    """Sessions that are handed on or asked for anything but values cannot go.

    Returns the calls of savers, which lose their session argument.
    """
    savers: list[cst.Call] = []
    handled = {id(run.call.func) for run in body.runs}
    for node in own_nodes(body.function.body):
        if isinstance(node, cst.Call):
            if (
                isinstance(node.func, cst.Attribute)
                and node.func.attr.value in ("save", "restore")
                and node.args
                and node.args[0].keyword is None
                and flow.key_of(node.args[0].value) in body.sessions
            ):
                savers.append(node)
                continue
            if isinstance(node.func, cst.Attribute) and node.func.attr.value in _OPTIMIZER_CALLS:
                raise Unsupported(
                    node,
                    f"{node.func.attr.value} makes an operation that the session runs later",
                    "compute the loss under tf.GradientTape in a function and call that instead",
                )
            for arg in node.args:
                if flow.key_of(arg.value) in body.sessions and not _is_session_keyword(arg):
                    raise Unsupported(
                        node,
                        "the session is passed on",
                        "let the called function compute eagerly and drop the parameter",
                    )
        if isinstance(node, cst.Attribute) and id(node) not in handled:
            if flow.key_of(node.value) in body.sessions and node.attr.value not in (
                "as_default", "close",
            ):
                raise Unsupported(
                    node,
                    f"{node.attr.value} of the session is used",
                    "ask the tensors or the variables themselves",
                )
    return savers


def _is_session_keyword(arg: cst.Arg) -> bool:
    return arg.keyword is not None and arg.keyword.value == "session"
