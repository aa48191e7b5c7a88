"""What a program prints or saves of its variables stays, behind the functions that make them."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrator.analysis import graph_kinds as k
from migrator.analysis.dataflow import RESOURCES
from migrator.analysis.program import Program
from migrator.analysis.program_items import KEEP, RUN, TRACE, Item, Obstacle
from migrator.analysis.tree_walk import calls_in, walk
from migrator.transforms.sessions.step import StepFunction

_LOGS = ("tensorflow.logging.", "tensorflow.compat.v1.logging.")
_TELLS = ("builtins.print", "pprint.pprint", "logging.", *_LOGS)
#: What writes or shows what it is given.
_WRITES = ("numpy.save", "pickle.", "cPickle.", "json.", "yaml.", "joblib.", "scipy.io.", "matplotlib.")
_WRITING = frozenset({"write", "writelines", "writerow", "writerows"})
_TELLING = frozenset({"info", "debug", "warning", "warn", "error", "log"})


def keep_reports(
    items: Sequence[Item], functions: Sequence[StepFunction], program: Program
) -> set[int]:
    """Makes statements about lists of variables, which no run needs, and what they need stay.

    Gives the ids of these items. A print of a tensor is part of the function that computes it. One
    of the variables is asked outside: it would be gone with what no run fetches.
    """
    kept: set[int] = set()
    inside = {id(item) for function in functions for item in function.items}
    for index, item in enumerate(items):
        if item.role != TRACE or id(item) in inside or not _acts(item.stmt, program):
            continue
        needed = _of_variables(item, items[:index], inside, program)
        if needed is None and _writes(item.stmt, program):
            raise Obstacle(item.stmt, "what no run computes is written",
                           "write what a run computed")
        for other in needed or ():
            other.role = KEEP
            kept.add(id(other))
    return kept


def _writes(stmt: ast.stmt, program: Program) -> bool:
    """Whether a statement is a call that writes or shows something: it cannot go."""
    call = stmt.value if isinstance(stmt, ast.Expr) else None
    return isinstance(call, ast.Call) and (
        (program.expressions.symbol(call.func) or "").startswith(_WRITES)
        or isinstance(call.func, ast.Attribute) and call.func.attr in _WRITING)


def lost_reports(
    programs: Sequence[Program], functions: Sequence[StepFunction]
) -> list[Item]:
    """Prints of what no function computes, which therefore go with it: also in loops and branches."""
    inside = {id(item) for function in functions for item in function.items}
    return [
        item for program in programs for item in program.items
        if item.role == TRACE and id(item) not in inside and is_print(item.stmt, program)
    ]


def is_print(stmt: ast.stmt, program: Program) -> bool:
    """Whether a statement does nothing but print or log, a loop or a branch of such ones too."""
    if isinstance(stmt, (ast.For, ast.If)):
        return all(is_print(inner, program) for inner in [*stmt.body, *stmt.orelse])
    return isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Call) and _tells(stmt.value, program)


def _tells(call: ast.Call, program: Program) -> bool:
    """Whether a call prints or logs."""
    symbol = program.expressions.symbol(call.func) or ""
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    named = ast.unparse(call.func).partition(".")[0].lower().endswith(("log", "logger", "logging"))
    return symbol.startswith(_TELLS) or symbol == "print" or named and method in _TELLING


def _acts(stmt: ast.stmt, program: Program) -> bool:
    """Whether a statement calls something for its effect that is none of TensorFlow."""
    for node in walk(stmt):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            symbol = program.expressions.symbol(node.value.func) or ""
            if symbol.startswith(_LOGS) or not symbol.startswith("tensorflow."):
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
        elif item.role in (KEEP, RUN):
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
        program.expressions.value(call).kind == k.VARIABLES for call in calls_in(item.stmt)
    )
