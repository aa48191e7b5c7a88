"""What the project's functions that a test calls need and keep, by themselves or through others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from migrator.analysis.graph_kinds import ELEMENT

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

_MOST_CALLED = 200  # functions of the project followed from one call


def graph_needs(ctx: FileContext, name: str) -> list[str]:
    """The graph-only symbols that the project's function `name` calls, directly or not."""
    key = ("graph needs", ctx.path, name)
    if key not in ctx.index.answers:
        ctx.index.answers[key] = _found_needs(ctx, name)
    found: list[str] = ctx.index.answers[key]
    return found


def _found_needs(ctx: FileContext, name: str) -> list[str]:
    for path, function, _ in _called_functions(ctx, name):
        needs = (ctx.index.fact(path, "graph_only") or {}).get(function)
        if needs:
            return list(needs)
    return []


def asks_for_names(ctx: FileContext, name: str) -> str:
    """The function that asks for the names of tensors that it is given: the project's `name`, or one that
    it calls, directly or not; empty if none does."""
    for path, function, _ in _called_functions(ctx, name):
        asking = (ctx.index.fact(path, "named_tensors") or {}).get(function)
        if asking:
            return str(asking[0])
    return ""


def runs_by_default(ctx: FileContext, name: str) -> str:
    """The function that runs operations in the session around it: the project's `name`, or one that it
    calls, directly or not; empty if none does."""
    for path, function, _ in _called_functions(ctx, name):
        running = (ctx.index.fact(path, "runs_by_default") or {}).get(function)
        if running:
            return str(running[0])
    return ""


def _called_functions(
    ctx: FileContext, name: str
) -> Iterator[tuple[str, str, dict[str, Any] | None]]:
    """(path, name, facts) of the project's function or class `name` and those that it calls, directly or
    not; no facts where it is no function that was looked into."""
    seen: set[str] = set()
    queue = [name]
    while queue and len(seen) < _MOST_CALLED:
        current = queue.pop()
        if current in seen:
            continue
        seen.add(current)
        found = ctx.index.definition(current, ctx.path)
        if found is None:
            continue
        module, function = found
        facts = (ctx.index.fact(module.path, "functions") or {}).get(function)
        yield module.path, function, facts
        called = facts or (ctx.index.fact(module.path, "constructors") or {}).get(function)
        if called:
            queue += called["calls"]


def keeps_state(ctx: FileContext, name: str) -> bool:
    """Whether a function of the project may make variables, directly or not."""
    return any(
        facts is None or {"variables", "layers"} & set(facts["flags"])
        for _, _, facts in _called_functions(ctx, name)
    )


def gives_elements(ctx: FileContext, name: str) -> bool:
    """Whether a function of the project gives what comes next of a data set among other things, so that it
    is not that data set's own."""
    return any(facts is not None and "elements" in facts["flags"] and facts["kind"] != ELEMENT
               for _, _, facts in _called_functions(ctx, name))
