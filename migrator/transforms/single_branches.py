"""`tf.cond` whose branches give one tensor in a list: TF 1 gave the tensor, TF 2 gives the list."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrator.analysis.tree_walk import walk
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform
from migrator.model import Confidence

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "TF144"
_KEPT = {ast.List: ("list((", ",))"), ast.Tuple: ("tuple([", "])")}
_SYMBOLS = frozenset({"tensorflow.cond", "tensorflow.case"})


@transform
class SingleBranches:
    """TF144: branches give the tensor itself, as everything behind them expects.

    Only TF 1 took a list of one apart, unless `strict` was set, so branches are changed where all
    are seen: lambdas, and functions of the file that nothing else uses.
    """

    name = "single_branches"
    triggers = _SYMBOLS
    order = 83

    def run(self, ctx: FileContext) -> str | None:
        lines, edits = Lines(ctx.text), []
        functions = {n.name: n for n in walk(ctx.tree) if isinstance(n, ast.FunctionDef)}
        apart = {  # written for TF 2: a tensor of TF 1's graphs cannot be taken apart
            id(n.value) for n in walk(ctx.tree) if isinstance(n, ast.Assign)
            and any(isinstance(target, (ast.List, ast.Tuple)) for target in n.targets)
        }  # fmt: skip
        for node in walk(ctx.tree):
            if not isinstance(node, ast.Call) or ctx.suppressed(CODE, node):
                continue
            if ctx.names.resolve_node(node.func) not in _SYMBOLS or id(node) in apart:
                continue
            strict = _strict(node)
            for argument in _branches(node):
                branch: ast.AST = argument
                if isinstance(branch, ast.Name) and _uses(ctx.tree, branch.id) == 1:
                    branch = functions.get(branch.id, branch)
                for value in _single(branch):
                    start, end = lines.span(value)
                    tensor = lines.span(value.elts[0])
                    if not strict:
                        edits.append(Edit(start, end, (tensor,)))
                        reason = "TF 1 took a branch's list of one tensor apart"
                    else:  # without `strict`, which TF 2 does not have, still no list of TF 1
                        before, after = _KEPT[type(value)]
                        edits.append(Edit(start, end, (before, tensor, after)))
                        reason = "TF 2's branches give their lists as they are"
                    ctx.change(CODE, value, reason, confidence=Confidence.LIKELY)
        return apply(ctx.text, edits)[0] if edits else None


def _strict(call: ast.Call) -> bool:
    return any(
        k.arg == "strict" and not (isinstance(k.value, ast.Constant) and not k.value.value)
        for k in call.keywords
    )


def _branches(call: ast.Call) -> list[ast.expr]:
    """What a call chooses from: arguments after the first, or the pairs' second items."""
    found = [*call.args[1:3], *(k.value for k in call.keywords if k.arg in
                                ("true_fn", "false_fn", "fn1", "fn2", "default"))]  # fmt: skip
    pairs = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "pred_fn_pairs")]
    for pair in pairs:
        for item in pair.elts if isinstance(pair, (ast.List, ast.Tuple)) else ():
            if isinstance(item, ast.Tuple) and len(item.elts) == 2:
                found.append(item.elts[1])
    return found


def _uses(tree: ast.Module, name: str) -> int:
    return sum(isinstance(n, ast.Name) and n.id == name for n in walk(tree))


def _single(branch: ast.AST) -> list[ast.List | ast.Tuple]:
    """The lists of one that a branch returns, none if it returns anything else as well."""
    if isinstance(branch, ast.Lambda):
        values: list[ast.expr | None] = [branch.body]
    elif isinstance(branch, ast.FunctionDef):
        values = [n.value for n in walk(branch) if isinstance(n, ast.Return)]
    else:
        return []
    found = [
        value for value in values
        if isinstance(value, (ast.List, ast.Tuple)) and len(value.elts) == 1
        and not isinstance(value.elts[0], ast.Starred)
    ]  # fmt: skip
    return found if len(found) == len(values) else []
