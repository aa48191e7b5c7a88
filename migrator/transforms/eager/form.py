"""The eager form of one function that opens sessions: planned, checked and written."""

from __future__ import annotations

import libcst as cst

from migrator.engine.context import FileContext
from migrator.engine.cst_walk import only, own, own_calls
from migrator.transforms import _flow as flow
from migrator.transforms._numpy_values import numpy_value
from migrator.transforms.eager.body import GRAPH_SCOPES, SessionBody
from migrator.transforms.eager.heads import ambient_collections, body_of, other_uses
from migrator.transforms.eager.plan import Planner
from migrator.transforms.eager.rewrite import EagerRewriter
from migrator.transforms.eager.units import Run, Unsupported

_REWRITES = frozenset({"tensorflow.contrib.tpu.rewrite", "tensorflow.tpu.rewrite"})
# An eager loss has lost the computation that its gradient would need.
_OPTIMIZER_CALLS = frozenset({"minimize", "compute_gradients"})


def eager_function(
    ctx: FileContext,
    function: cst.FunctionDef,
    evaluate: str,
    nested: dict[int, cst.BaseStatement] | None = None,
    keep_graphs: bool = False,
) -> cst.FunctionDef | None:
    """The eager form of a function, None where there is nothing to do.

    `keep_graphs` leaves ``with tf.Graph().as_default()`` in place.
    `evaluate` is the function that turns tensors into arrays (``self.evaluate``); empty means
    ``.numpy()``.  Raises Unsupported.
    """
    body = body_of(ctx, function)
    function = body.function
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
    for node in own_calls(function.body):
        if ctx.resolve(node.func) in _REWRITES:
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
        if _pure_block(ctx, block):
            return None
        return cst.parse_expression(f"{ctx.support('scopes.VariableStore')}().as_default()")

    rewriter = EagerRewriter(body, plan, value, graph_scope, nested, keep_graphs=keep_graphs)
    if keep_graphs:
        return rewriter.function()
    made = rewriter.function()
    return ambient_collections(made, body.graphs, ctx.support_expr)


def _graph_blocks(ctx: FileContext, body: SessionBody) -> bool:
    for node in only(own(body.function.body), cst.With):
        for item in node.items:
            if isinstance(item.item, cst.Call) and ctx.resolve(item.item.func) in GRAPH_SCOPES:
                return True
    return False


def _pure_block(ctx: FileContext, block: cst.With) -> bool:
    """Whether everything called in a block is TensorFlow or NumPy without variables."""
    for node in own_calls(block.body):
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
    for node in own(body.function.body):
        cls = node.__class__
        if cls is cst.Call:
            assert isinstance(node, cst.Call)
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
        elif cls is cst.Attribute and id(node) not in handled:
            assert isinstance(node, cst.Attribute)
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
