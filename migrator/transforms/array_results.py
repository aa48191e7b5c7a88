"""`rews[i] = rew`, `float(done)` of what `env.step(action)` gave: an array of one, if methods give it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from migrator.analysis.facts_array_results import gives_array
from migrator.analysis.tree_walk import walk
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform
from migrator.model import Confidence
from migrator.transforms.array_numbers import CODE, number_of

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

_MAKERS = frozenset({"numpy.zeros", "numpy.ones", "numpy.empty"})
_WHOLE = (ast.Mod, ast.FloorDiv)


@transform
class ArrayResults:
    """PY229: results that may be arrays of one element are asked for it where a single number is needed.

    NumPy 2.4 puts only single numbers into an element of a row, and makes numbers of nothing else.
    """

    name = "array_results"
    triggers = frozenset({"numpy.*"})
    order = 86

    def run(self, ctx: FileContext) -> str | None:
        lines, edits = Lines(ctx.text), list[Edit]()
        for function in walk(ctx.tree):
            if isinstance(function, ast.FunctionDef):
                for value in _single(ctx, function):
                    start, end = lines.span(value)
                    numpy = ctx.require_import("numpy", None, "np")
                    edits.append(Edit(start, end, (f"{numpy}.asarray(", (start, end), ").item()")))
                    ctx.change(CODE, value, "NumPy makes numbers of arrays without dimensions only",
                               confidence=Confidence.LIKELY)
        return apply(ctx.text, edits)[0] if edits else None


def _single(ctx: FileContext, function: ast.FunctionDef) -> Iterator[ast.Name]:
    """Where a result that may be an array becomes one number."""
    nodes = [node for node in ast.walk(function) if not isinstance(node, ast.FunctionDef) or node is function]
    results = {name.id for node in nodes if isinstance(node, ast.Assign) for name in _results(ctx, node)}
    if not results:
        return
    made = _assigned(nodes)
    counts = _counts(nodes)
    rows = {name for name, values in made.items() if all(_is_row(ctx, value, counts) for value in values)}
    whole = {name for name, values in made.items() if all(_is_whole(value) for value in values)}
    whole |= {node.target.id for node in nodes
              if isinstance(node, ast.For) and isinstance(node.target, ast.Name) and _is_range(node.iter)}
    for node in nodes:
        value: ast.expr | None = None
        if isinstance(node, ast.Call):
            value = number_of(ctx, node)
        elif isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
            if (isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name)
                    and target.value.id in rows and isinstance(target.slice, ast.Name)
                    and target.slice.id in whole):
                value = node.value
        if isinstance(value, ast.Name) and value.id in results and not ctx.suppressed(CODE, node):
            yield value


def _results(ctx: FileContext, node: ast.Assign) -> Iterator[ast.Name]:
    """The names that a method's results go to, where some method by its name gives an array there."""
    call = node.value
    if len(node.targets) != 1 or not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return
    target = node.targets[0]
    if isinstance(target, ast.Tuple) and not any(isinstance(part, ast.Starred) for part in target.elts):
        for place, part in enumerate(target.elts):
            if isinstance(part, ast.Name) and part.id != "_" and call.func.attr != "run" and (
                    gives_array(ctx.index, call.func.attr, place)):
                yield part


def _assigned(nodes: list[ast.AST]) -> dict[str, list[ast.expr]]:
    found: dict[str, list[ast.expr]] = {}
    for node in nodes:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            found.setdefault(node.targets[0].id, []).append(node.value)
    return found


def _counts(nodes: list[ast.AST]) -> set[str]:
    """Names that are whole numbers, for they are counted to or divided by."""
    found = [node.right for node in nodes if isinstance(node, ast.BinOp) and isinstance(node.op, _WHOLE)]
    for node in nodes:
        if isinstance(node, ast.Call) and _is_range(node):
            found += node.args
    return {node.id for node in found if isinstance(node, ast.Name)}


def _is_range(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range"


def _is_row(ctx: FileContext, value: ast.expr, counts: set[str]) -> bool:
    """Whether an array is made with one dimension: of a number of elements."""
    if not isinstance(value, ast.Call) or (ctx.names.resolve_node(value.func) or "") not in _MAKERS:
        return False
    size = value.args[0] if value.args else None
    return isinstance(size, ast.Name) and size.id in counts or (
        isinstance(size, ast.Constant) and isinstance(size.value, int))


def _is_whole(value: ast.expr) -> bool:
    return isinstance(value, ast.BinOp) and isinstance(value.op, _WHOLE) or (
        isinstance(value, ast.Constant) and isinstance(value.value, int))
