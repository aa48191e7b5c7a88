"""Tests that look at what is built: those that compute nothing, where networks would take seconds,
and those that look for summaries."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrator.analysis.tree_walk import calls_in, last_name, walk
from migrator.transforms.eager.body import INITIALIZING

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

SESSIONS = frozenset({"test_session", "cached_session", "session"})
_INPUTS = frozenset(
    {"placeholder", "random_uniform", "random_normal", "uniform", "normal", "zeros", "ones",
     "truncated_normal"}
)  # fmt: skip
_COLLECTIONS = frozenset({"tensorflow.get_collection", "tensorflow.get_collection_ref"})
_CHANNELS_FIRST = ("NCHW", "NCDHW", "channels_first")
_IMAGE = 128  # pixels: from about this size on, a network takes seconds
_EVALUATIONS = frozenset({"run", "eval", "evaluate", "numpy", "execute", "execute_cpu"})


def makes_images(ctx: FileContext, method: ast.FunctionDef) -> bool:
    """Whether a method makes a tensor of the size of images, by the shape that is written."""
    sizes: dict[str, int] = {}
    for node in walk(method):
        if isinstance(node, ast.Assign):
            targets, values = [node.targets[0]], [node.value]
            if isinstance(targets[0], ast.Tuple) and isinstance(values[0], ast.Tuple):
                targets, values = targets[0].elts, values[0].elts
            for target, value in zip(targets, values, strict=False):
                if isinstance(target, ast.Name) and isinstance(value, ast.Constant):
                    sizes[target.id] = value.value if isinstance(value.value, int) else 0
        elif isinstance(node, ast.For) and isinstance(node.target, ast.Tuple):
            rows = node.iter.elts if isinstance(node.iter, (ast.List, ast.Tuple)) else []
            for row in rows:
                if isinstance(row, (ast.List, ast.Tuple)):
                    for target, value in zip(node.target.elts, row.elts, strict=False):
                        if isinstance(target, ast.Name):
                            sizes[target.id] = max(sizes.get(target.id, 0), _size(value, {}))
    for call in calls_in(method):
        if last_name(call.func) in _INPUTS:
            for shape in [*call.args, *(k.value for k in call.keywords)]:
                if isinstance(shape, (ast.Tuple, ast.List)) and len(shape.elts) >= 4:
                    known = [_size(item, sizes) for item in shape.elts]
                    if sum(size >= _IMAGE for size in known) >= 2 and (
                        ctx.names.resolve_node(call.func, values=False) or ""
                    ).startswith("tensorflow."):
                        return True
    return False


def puts_channels_first(method: ast.FunctionDef) -> bool:
    """Whether a method asks for a layout that a CPU has no kernels for: it can be built there only."""
    return any(isinstance(n, ast.Constant) and n.value in _CHANNELS_FIRST for n in walk(method))


def asks_for_summaries(ctx: FileContext, method: ast.FunctionDef) -> str:
    """A reason if a test looks for the summaries of its graph: eager ones are written and gone."""
    for call in calls_in(method):
        name = ctx.names.resolve_node(call.func, values=False)
        if name == "tensorflow.summary.merge_all" or name in _COLLECTIONS and any(
            ast.unparse(given).endswith((".SUMMARIES", "'summaries'"))
            for given in [*call.args[:1], *(k.value for k in call.keywords if k.arg == "key")]
        ):
            return "it looks for the summaries that its graph has"
    return ""


def _size(node: ast.expr, sizes: dict[str, int]) -> int:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, int) else 0
    return sizes.get(node.id, 0) if isinstance(node, ast.Name) else 0


def runs_nothing(
    ctx: FileContext, method: ast.FunctionDef, methods: dict[str, ast.FunctionDef], seen: set[str]
) -> bool:
    """Whether no value of a tensor is asked for: not by a session, an assertion or a helper. That
    variables get their first values asks for none."""
    for call in calls_in(method):
        func = call.func
        if not isinstance(func, ast.Attribute) or (
                func.attr in ("run", "evaluate") and len(call.args) == 1 and _initializes(ctx, call.args[0])):
            continue
        if func.attr in _EVALUATIONS or _EVALUATIONS & {last_name(arg) for arg in call.args}:
            return False
        if not (isinstance(func.value, ast.Name) and func.value.id == "self"):
            continue
        if func.attr.startswith(("assertAll", "assertNDArray", "assertNear", "assertShape")):
            if not all(_static(arg) for arg in call.args):
                return False
        elif func.attr in methods:
            if func.attr not in seen and not runs_nothing(
                ctx, methods[func.attr], methods, seen | {func.attr}
            ):
                return False
        elif not func.attr.startswith("assert") and func.attr not in SESSIONS:
            return False
    return True


def _initializes(ctx: FileContext, node: ast.expr) -> bool:
    if isinstance(node, (ast.List, ast.Tuple)):
        return bool(node.elts) and all(_initializes(ctx, element) for element in node.elts)
    return ctx.names.resolve_node(node.func if isinstance(node, ast.Call) else node) in INITIALIZING


def _static(node: ast.expr) -> bool:
    """Whether an argument is a literal or a static shape."""
    if isinstance(node, (ast.Constant, ast.List, ast.Tuple)):
        return True
    return any(
        isinstance(n, ast.Attribute) and n.attr in ("get_shape", "shape") for n in walk(node)
    )


def asserts_graph_mode(ctx: FileContext, method: ast.FunctionDef) -> str:
    """What a test that says `assertFalse(tf.executing_eagerly())` asserts, in words; else empty."""
    if "executing_eagerly" not in ctx.text:
        return ""
    for call in calls_in(method):
        asked = call.args[0] if last_name(call.func) == "assertFalse" and call.args else None
        if isinstance(asked, ast.Call) and last_name(asked.func) == "executing_eagerly":
            return "it asserts that it does not run eagerly"
    return ""
