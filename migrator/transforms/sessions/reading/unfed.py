"""Placeholders that a run need not feed: what they go into builds more than the run fetches.

``predict = sess.run(model.scores, {model.x: x})`` feeds no labels, as the scores do not depend on
them; the object that a step makes needs them all the same. It is given a tensor without a value.
"""

from __future__ import annotations

import ast

from migrator.analysis.graph_values import Expressions
from migrator.analysis.program_items import Item
from migrator.analysis.tree_walk import walk


def reaches_fetches(
    placeholder: Item, chosen: list[Item], wanted: set[str], expressions: Expressions
) -> bool:
    """Whether fetched values are computed from a placeholder, as far as the slice `chosen` shows.

    What an object or a function of the program makes of it is not shown: TF1 would have refused
    to run what does depend on it.
    """
    tainted = set(placeholder.flow.defines)
    for item in chosen:
        read = item.flow.uses & tainted
        if item is not placeholder and read and not _only_passed_on(item.stmt, read, expressions):
            tainted |= item.flow.defines
    return bool(tainted & wanted)


def _only_passed_on(stmt: ast.stmt, names: set[str], expressions: Expressions) -> bool:
    """Whether a statement calls a function or class of the program, and does no more with the names
    than to give them to it."""
    call = stmt.value if isinstance(stmt, ast.Assign) else None
    if not isinstance(call, ast.Call):
        return False
    if expressions.call_fact(call) is None:
        return False
    given = {id(a) for a in [*call.args, *(k.value for k in call.keywords)]}
    return all(
        id(node) in given for node in walk(stmt)
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load)
        and ast.unparse(node) in names
    )
