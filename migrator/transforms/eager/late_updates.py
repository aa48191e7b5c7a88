"""Updates that a test runs at another place than where it builds them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrator.analysis.tree_walk import calls_in
from migrator.transforms.eager.called import keeps_state

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

_VARIABLES = frozenset({"tensorflow.Variable", "tensorflow.get_variable"})
_VARIABLE_CALLS = frozenset(name.rpartition(".")[2] for name in _VARIABLES)


def late_update(ctx: FileContext, method: ast.FunctionDef) -> str:
    """An update from a project's function that is run after something else was: built eagerly it
    would happen too early, or once instead of at every run."""
    if not any(
        (ctx.names.resolve_node(c.func, values=False) or "") in _VARIABLES
        for c in calls_in(method) if getattr(c.func, "attr", "") in _VARIABLE_CALLS
        or isinstance(c.func, ast.Name)
    ):
        return ""
    runs: list[tuple[int, bool, ast.Call]] = []  # line, whether in a loop, the call
    built: dict[str, tuple[int, str]] = {}  # name -> (line, the function that gave it)

    def visit(statements: list[ast.stmt], loop: bool) -> None:
        for statement in statements:
            inner = isinstance(statement, (ast.For, ast.While))
            if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):
                target = statement.targets[0]
                name = ctx.names.resolve_node(statement.value.func, values=False)
                if isinstance(target, ast.Name) and name and not name.startswith(
                    ("tensorflow.", "numpy.", "builtins.")
                ):
                    built[target.id] = statement.lineno, name
            for name in ("body", "orelse", "finalbody"):
                visit(getattr(statement, name, []), loop or inner)
            if not getattr(statement, "body", None):
                for call in calls_in(statement):
                    if _is_run(call):
                        runs.append((call.lineno, loop, call))

    visit(method.body, False)
    runs = [run for run in runs if not _is_initializer(run[2])]
    for place, (line, loop, call) in enumerate(runs):
        fetched = call.args[0] if call.args else None
        if isinstance(fetched, ast.Name) and fetched.id in built:
            if any(built[fetched.id][0] < other[0] for other in runs[:place]) and not loop:
                return f"{fetched.id} is built before, and run after, something else is run"
            if loop and keeps_state(ctx, built[fetched.id][1]):
                return f"{fetched.id} keeps variables of its own from run to run"
        elif isinstance(fetched, (ast.List, ast.Tuple)) and loop:
            for part in fetched.elts:
                if isinstance(part, ast.Name) and part.id in built and built[part.id][0] < line:
                    return f"{part.id} is run again and again together with other fetches"
    return ""


def _is_run(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and (
        call.func.attr == "run" and isinstance(call.func.value, ast.Name)
        and call.func.value.id != "self" or call.func.attr == "evaluate"
    )


def _is_initializer(call: ast.Call) -> bool:
    return any("initializer" in getattr(c.func, "attr", "") for c in calls_in(call) if c is not call)
