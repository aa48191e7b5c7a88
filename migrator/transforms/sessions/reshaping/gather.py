"""Other ways to write a file of session programs, in which the planner may see all of a graph."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from migrator.analysis import graph_kinds as k
from migrator.analysis.names import NameTable
from migrator.analysis.tree_walk import calls_in
from migrator.engine.context import FileContext
from migrator.transforms.sessions.helpers import looks_like_run
from migrator.transforms.sessions.reshaping.handed import unhanded
from migrator.transforms.sessions.reshaping.inline import inlined
from migrator.transforms.sessions.reshaping.nested import nested

#: Programs with more helpers than this keep them.
_MOST = 8


def gathered(ctx: FileContext) -> Iterator[str]:
    """Texts that mean the same graph, to be tried in turn and kept only if all of it goes native."""
    text = repeated(inlined, ctx, ctx.text)
    if text != ctx.text:
        yield text
    handed = unhanded(ctx, text)
    if handed is not None:
        yield handed
    moved = repeated(nested, ctx, text)
    if moved != text:
        yield moved


def repeated(
    change: Callable[[FileContext, str], str | None], ctx: FileContext, text: str
) -> str:
    """`text` changed until there is nothing left to change."""
    for _ in range(_MOST):
        new = change(ctx, text)
        if new is None:
            break
        text = new
    return text


def runs_left(tree: ast.Module, names: NameTable) -> bool:
    """Whether a program still makes or runs sessions, or makes placeholders."""
    return any(
        looks_like_run(call) or k.kind_of(names.resolve_node(call.func, values=False)) in (
            k.SESSION, k.PLACEHOLDER, k.INIT)
        for call in calls_in(tree)
    )
