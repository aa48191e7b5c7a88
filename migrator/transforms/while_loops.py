"""`tf.while_loop` over one variable: TF 1 gave the tensor itself, TF 2 the list that it is in."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrator.analysis.tree_walk import walk
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform
from migrator.model import Confidence, Rung

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "TF136"
_SYMBOL = "tensorflow.while_loop"


@transform
class WhileLoops:
    """TF136: the one variable of a loop is given by itself.

    TF 1 unwrapped it if it was a single tensor, unless `return_same_structure` was set, and took it
    so from the body. What takes the list apart was written for TF 2.
    """

    name = "while_loops"
    triggers = frozenset({_SYMBOL})
    order = 84

    def run(self, ctx: FileContext) -> str | None:
        if "while_loop(" not in ctx.text:
            return None
        lines, edits = Lines(ctx.text), []
        apart: set[int] = set()
        for node in walk(ctx.tree):
            if isinstance(node, (ast.Subscript, ast.Starred)):
                apart.add(id(node.value))
            elif isinstance(node, ast.For):
                apart.add(id(node.iter))
            elif isinstance(node, ast.Assign) and any(
                isinstance(target, (ast.List, ast.Tuple)) for target in node.targets
            ):
                apart.add(id(node.value))
            elif isinstance(node, ast.Expr):
                apart.add(id(node.value))
            if not (isinstance(node, ast.Call) and _single(node)):
                continue
            if id(node) in apart and not any(
                keyword.arg == "return_same_structure" for keyword in node.keywords
            ):
                continue
            if ctx.suppressed(CODE, node) or ctx.names.resolve_node(node.func) != _SYMBOL:
                continue
            edits.append(Edit(*lines.span(node.func), (ctx.support("control_flow.while_loop"),)))
            ctx.change(CODE, node, "TF 2 takes and gives the one variable of a loop in a list",
                       Rung.SUPPORT, confidence=Confidence.LIKELY)
        return apply(ctx.text, edits)[0] if edits else None


def _single(call: ast.Call) -> bool:
    """Whether a while_loop has one variable, which is no nest as far as one sees."""
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    variables = given.get("loop_vars", call.args[2] if len(call.args) > 2 else None)
    if not isinstance(variables, (ast.List, ast.Tuple)) or len(variables.elts) != 1:
        return False
    return not isinstance(
        variables.elts[0], (ast.List, ast.Tuple, ast.Dict, ast.ListComp, ast.Starred)
    )
