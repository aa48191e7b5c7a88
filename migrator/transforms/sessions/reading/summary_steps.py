"""Where a fetched summary is written: behind its run, and with which step; what a merge lists.

A step that the run fetches as well was read by TF1 when the training op had counted; what is fetched
natively is read behind the update, too. The summaries are written before it, so the step that they
carry is counted ahead.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from migrator.analysis import graph_kinds as k
from migrator.analysis.program_items import Item, Obstacle
from migrator.analysis.tree_walk import calls_in, walk
from migrator.analysis.values import argument
from migrator.transforms.sessions.records import Leaf

_COUNTED = "the step of a summary is fetched together with it"
_ADVICE = "count the steps in Python, or use optimizer.iterations"


def fetched_step(step: ast.expr, leaves: list[Leaf], call: ast.Call) -> ast.expr:
    """The variable that a summary's `step` was fetched from. Raises Obstacle if it is none."""
    for leaf in leaves:
        if leaf.target == ast.unparse(step) and leaf.value.kind == k.VARIABLE:
            return leaf.expr
    raise Obstacle(call, _COUNTED, _ADVICE)


def test_in_step(test: ast.expr, name: str) -> bool:
    """Whether a condition can be computed in the step: from the fetched step and literals only."""
    return all(
        isinstance(node, (ast.Compare, ast.BinOp, ast.Constant, ast.operator, ast.cmpop,
                          ast.expr_context))
        or isinstance(node, ast.Name) and node.id == name
        for node in walk(test)
    ) and isinstance(test, ast.Compare) and len(test.ops) == 1


def counted_by(items: list[Item], variable: str) -> str:
    """What the statements of a step add to a variable, as text: "" for nothing.

    Raises Obstacle where that is not known.
    """
    added = []
    for item in items:
        for call in calls_in(item.stmt):
            name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
            passed = [*call.args, *(a.value for a in call.keywords)]
            given = any(ast.unparse(a) == variable for a in passed)
            if name in ("minimize", "apply_gradients", "create_train_op"):
                if given:
                    added.append("1")
            elif name == "assign_add" and given:
                amount = argument(call, 1, "value")
                if not (isinstance(amount, ast.Constant) and isinstance(amount.value, int | float)):
                    raise Obstacle(call, _COUNTED, _ADVICE)
                added.append(ast.unparse(amount).removesuffix(".0"))
            elif "assign" in name and (
                given and ast.unparse(passed[0]) == variable
                or ast.unparse(call.func).rpartition(".")[0] == variable
            ):
                raise Obstacle(call, _COUNTED, _ADVICE)
    if len(added) > 1:
        raise Obstacle(items[-1].stmt, _COUNTED, _ADVICE)
    return "".join(added)


class WrittenLater(Obstacle):
    """A summary is written where several runs may have fetched it, or apart from its run."""

    def __init__(self, node: ast.AST) -> None:
        super().__init__(node, "a summary is written elsewhere than it is fetched",
                         "write the summaries inside the step with a default writer")


def listed_summaries(call: ast.Call | None, symbol: Callable[[ast.Call], str]) -> list[ast.expr]:
    """The summaries that a merge makes where it lists them; the others have names, and statements."""
    inputs = None if call is None else argument(call, 0, "inputs")
    found = []
    for element in getattr(inputs, "elts", [] if inputs is None else [inputs]):
        made = [c for c in calls_in(element) if k.call_kind(symbol(c)) == k.SUMMARY]
        if made and made != [element]:
            raise Obstacle(element, "summaries are made while they are merged",
                           "make each summary in a statement of its own")
        found += [element] if made else []
    return found
