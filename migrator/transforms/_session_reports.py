"""What a program prints of its variables: it stays, behind the functions that make them."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrator.analysis import graph_kinds as k
from migrator.analysis.dataflow import RESOURCES
from migrator.analysis.program import Program
from migrator.analysis.program_items import KEEP, TRACE, Item
from migrator.transforms._session_step import StepFunction

_PRINTERS = frozenset({"builtins.print"})
_LOGS = ("logging.", "absl.logging.", "tensorflow.logging.", "sys.stdout.", "sys.stderr.")


def keep_reports(
    items: Sequence[Item], functions: Sequence[StepFunction], program: Program
) -> set[int]:
    """Makes statements that print lists of variables, which no run needs, and what they need stay.

    Gives the ids of these items. A print of a tensor is part of the function that computes it. One of the variables is asked
    outside: it would be gone with what no run fetches.
    """
    kept: set[int] = set()
    inside = {id(item) for function in functions for item in function.items}
    for index, item in enumerate(items):
        if item.role != TRACE or id(item) in inside or not _prints(item.stmt, program):
            continue
        needed = _of_variables(item, items[:index], inside, program)
        for other in needed or ():
            other.role = KEEP
            kept.add(id(other))
    return kept


def _prints(stmt: ast.stmt, program: Program) -> bool:
    for node in ast.walk(stmt):
        if isinstance(node, ast.Call):
            symbol = program.expressions.symbol(node.func) or ""
            if symbol in _PRINTERS or symbol.startswith(_LOGS):
                return True
    return False


def _of_variables(
    report: Item, earlier: Sequence[Item], inside: set[int], program: Program
) -> list[Item] | None:
    """The statement and what it needs, where all of that comes from lists of variables."""
    chosen, wanted = [report], report.flow.uses - RESOURCES
    from_lists = _lists_variables(report, program)
    for item in reversed(earlier):
        if not item.flow.defines & wanted:
            continue
        if item.kind == k.VARIABLES:
            from_lists = True
        elif item.role == KEEP:
            from_lists |= _lists_variables(item, program)
            continue
        elif item.role != TRACE or id(item) in inside or not isinstance(item.stmt, ast.Assign):
            return None
        chosen.append(item)
        wanted |= item.flow.uses - RESOURCES
        from_lists |= _lists_variables(item, program)
    return chosen if from_lists else None


def _lists_variables(item: Item, program: Program) -> bool:
    return any(
        isinstance(node, ast.Call) and program.expressions.value(node).kind == k.VARIABLES
        for node in ast.walk(item.stmt)
    )
