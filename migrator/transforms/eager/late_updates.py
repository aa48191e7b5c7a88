"""Updates that a test runs at another place than where it builds them."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from migrator.analysis.tree_walk import calls_in
from migrator.transforms.eager.called import gives_elements, keeps_state

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

_VARIABLES = frozenset({"tensorflow.Variable", "tensorflow.get_variable"})
_VARIABLE_CALLS = frozenset(name.rpartition(".")[2] for name in _VARIABLES)


@dataclass(frozen=True)
class _Run:
    """A run in a test: whether it stands in a loop, and whether nobody looks at what it gives."""

    call: ast.Call
    loop: bool
    alone: bool

    @property
    def fetched(self) -> ast.expr | None:
        return self.call.args[0] if self.call.args else None


def late_update(ctx: FileContext, method: ast.FunctionDef) -> str:
    """An update from a project's function that is run after something else was, or several times, or an
    element of a data set that is: built eagerly it would come too early, or once instead of at every run."""
    runs: list[_Run] = []
    built: dict[str, tuple[int, str]] = {}  # name -> (line, the function that gave it)

    def visit(statements: list[ast.stmt], loop: bool) -> None:
        for statement in statements:
            inner = isinstance(statement, (ast.For, ast.While))
            if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):
                name = ctx.names.resolve_node(statement.value.func, values=False)
                if name is None and isinstance(statement.value.func, ast.Name):
                    name = f"{ctx.module_name}.{statement.value.func.id}"
                if name and not name.startswith(("tensorflow.", "numpy.", "builtins.")):
                    targets = ast.walk(statement.targets[0])
                    built.update((t.id, (statement.lineno, name)) for t in targets if isinstance(t, ast.Name))
            for name in ("body", "orelse", "finalbody"):
                visit(getattr(statement, name, []), loop or inner)
            if not getattr(statement, "body", None):
                alone = statement.value if isinstance(statement, ast.Expr) else None
                runs.extend(_Run(call, loop, call is alone) for call in calls_in(statement)
                            if _is_run(call) and not _is_initializer(call))

    visit(method.body, False)
    counts = Counter(run.fetched.id for run in runs if run.alone and isinstance(run.fetched, ast.Name))
    asked = Counter(name for run in runs for name in _names(run.fetched) for _ in range(1 + run.loop))
    for name, (_, function) in built.items():
        if asked[name] > 1 and gives_elements(ctx, function):
            return f"each run of {name} takes what comes next"
    makes_variables = any(
        (ctx.names.resolve_node(c.func, values=False) or "") in _VARIABLES
        for c in calls_in(method) if getattr(c.func, "attr", "") in _VARIABLE_CALLS
        or isinstance(c.func, ast.Name))
    for place, run in enumerate(runs):
        fetched, line = run.fetched, run.call.lineno
        if isinstance(fetched, ast.Name) and fetched.id in built and (run.alone or makes_variables):
            begun, function = built[fetched.id]
            if not run.loop and any(begun < other.call.lineno for other in runs[:place]):
                return f"{fetched.id} is built before, and run after, something else is run"
            if run.alone and (run.loop or counts[fetched.id] > 1):
                return f"{fetched.id} is run again and again"
            if run.loop and keeps_state(ctx, function):
                return f"{fetched.id} keeps variables of its own from run to run"
        elif isinstance(fetched, (ast.List, ast.Tuple)) and run.loop and makes_variables:
            for part in fetched.elts:
                if isinstance(part, ast.Name) and part.id in built and built[part.id][0] < line:
                    return f"{part.id} is run again and again together with other fetches"
    return ""


def _names(fetched: ast.expr | None) -> set[str]:
    return {node.id for node in ast.walk(fetched) if isinstance(node, ast.Name)} if fetched else set()


def _is_run(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and (
        call.func.attr == "run" and isinstance(call.func.value, ast.Name)
        and call.func.value.id != "self" or call.func.attr == "evaluate"
    )


def _is_initializer(call: ast.Call) -> bool:
    return any("initializer" in getattr(c.func, "attr", "") for c in calls_in(call) if c is not call)
