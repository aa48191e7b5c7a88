"""Losses and metrics of the program's own get targets of the type of the predictions and, of one number for
each of the batch, as a column: Keras 2 fed them so, and Keras 3 hands on what the data is (`y_true * y_pred`
fails for whole numbers, and of a row and a column it makes a table)."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrator.analysis.tree_walk import calls_in, last_name, walk
from migrator.analysis.values import argument
from migrator.engine import standalone_keras
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform
from migrator.model import Rung

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "TF142"
_NAMES = ("y_true", "y_pred")


@transform
class KerasTargets:
    """TF142: type and shape of targets."""

    name = "keras_targets"
    triggers = frozenset({"tensorflow.keras.*", "keras.*"})
    order = 34

    def run(self, ctx: FileContext) -> str | None:
        if "def " not in ctx.text or not standalone_keras.is_version_2(ctx.index, ctx.text):
            return None
        lines, edits = Lines(ctx.text), []
        for function in _functions(ctx.tree):
            first = _first(function)
            if first is None or ctx.suppressed(CODE, function):
                continue
            true, pred = (argument.arg for argument in _given(function)[:2])
            targets = ctx.support("keras_functions.targets")
            start, indent = lines.span(first)[0], lines.indent(first.lineno)
            edits.append(Edit(start, start, (f"{true} = {targets}({true}, {pred})\n{indent}",)))
            ctx.change(CODE, function, "Keras 3 gives targets as the data has them", Rung.SUPPORT)
        return apply(ctx.text, edits)[0] if edits else None


def _functions(tree: ast.Module) -> list[ast.FunctionDef]:
    """Those that are losses and metrics: by what their parameters are called, or given to compile."""
    given = {
        last_name(node) for call in calls_in(tree)
        if isinstance(call.func, ast.Attribute) and call.func.attr == "compile"
        for value in (argument(call, 1, "loss"), argument(call, 2, "metrics")) if value is not None
        for node in walk(value) if isinstance(node, (ast.Name, ast.Attribute))
    }
    return [
        node for node in walk(tree)
        if isinstance(node, ast.FunctionDef) and len(_given(node)) - len(node.args.defaults) == 2
        and (tuple(a.arg for a in _given(node)[:2]) == _NAMES or node.name in given)
    ]


def _given(function: ast.FunctionDef) -> list[ast.arg]:
    """Its parameters without a method's own object."""
    taken = function.args.args
    return taken[1:] if taken and taken[0].arg == "self" else taken


def _first(function: ast.FunctionDef) -> ast.stmt | None:
    """The first statement behind the docstring of a function that computes with its targets."""
    true = _given(function)[0].arg
    if not any(isinstance(node, ast.Name) and node.id == true for node in walk(function)):
        return None
    body = function.body
    if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        body = body[1:]
    if not body or body[0].lineno == function.lineno or "keras_functions.targets(" in ast.unparse(body[0]):
        return None
    return body[0]


__all__ = ["KerasTargets"]
