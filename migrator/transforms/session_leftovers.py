"""Says what keeps the run sites TF1 whose session is not made where it is used."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.analysis.program_items import Obstacle
from migrator.analysis.shared_graphs import builds_shared_graph
from migrator.analysis.tree_walk import children, walk
from migrator.engine.context import FileContext
from migrator.engine.registry import transform
from migrator.transforms.sessions.facts import FunctionTable
from migrator.transforms.sessions.helpers import looks_like_run
from migrator.transforms.sessions.reading.scopes import report, units_of

Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module

#: What is in the way where nothing nearer is known.
BORROWED = "its session or graph comes from another scope"
_SHARED = ("its session runs what other code builds into the graph that they share",
           "let each part compute with functions of its own, and do without the common session")
_SCOPES = frozenset({ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef})
_PART = ("it runs a graph of the module, which stays TF1",
         "make that native first, for which another finding says what is in the way")


@transform
class SessionLeftovers:
    """Reports, once for each function, runs of sessions that come from elsewhere."""

    name = "session_leftovers"
    triggers = frozenset({"tensorflow.*", "tf1_support.*"})  # the rules may have been here
    order = 90  # after everything that makes run sites native

    def run(self, ctx: FileContext) -> None:
        """Add a finding for every function whose runs no session program accounts for."""
        if ".run(" not in ctx.text:
            return
        graphs = {c.line for c in ctx.changes if c.code == "TF321"}  # they run loaded graphs now
        sites = [site for site in run_calls(ctx.tree) if looks_like_run(site[0])
                 and ctx.line(site[0]) not in graphs]
        if not sites:
            return
        told = {f.line for f in ctx.findings if f.code == "TF390"}
        own = told | {f.line for f in ctx.findings if f.code == "TF005"}  # of one function
        known = _accounted(ctx) if told else {}
        shared = builds_shared_graph(ctx.index, ctx.path)
        done: set[int] = set()
        for call, path in sites:
            if id(path[-1]) in done or _told(ctx, path, told, own):
                continue
            part = known.get(id(call))
            if part is False:
                continue
            done.add(id(path[-1]))
            reason = _PART if part else _SHARED if shared else _reason(call, path)
            report(ctx, Obstacle(call, *reason))


def _accounted(ctx: FileContext) -> dict[int, bool]:
    """Run sites of the session programs that were kept, by id, each of which was reported once:
    with whether that is the module's, and the site one of its functions'."""
    table = FunctionTable(ctx, ctx.tree, ctx.names)
    units = units_of(ctx, ctx.tree, ctx.names, table, told=False)
    return {
        id(run.call): program.parent is not None and unit.programs[-1].parent is None
        for unit in units for program in unit.programs for run in program.run_sites()
    }


def run_calls(tree: ast.Module) -> Iterator[tuple[ast.Call, tuple[Scope, ...]]]:
    """Calls of methods named `run`, each with the scopes around it, outermost first."""
    stack: list[tuple[ast.AST, tuple[Scope, ...]]] = [(tree, (tree,))]
    while stack:
        node, path = stack.pop()
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr == "run":
                yield node, path
        for child in reversed(children(node)):
            inner = child.__class__ in _SCOPES
            stack.append((child, (*path, child) if inner else path))  # type: ignore[arg-type]


def _told(ctx: FileContext, path: tuple[Scope, ...], told: set[int], own: set[int]) -> bool:
    """Whether a reason was given for the function, or for the class that it belongs to."""
    for scope in path:
        lines = told if isinstance(scope, ast.ClassDef) else own
        if not lines or isinstance(scope, ast.Module):
            continue
        nodes = (n for n in walk(scope) if isinstance(n, ast.expr | ast.stmt))
        if not lines.isdisjoint(ctx.line(node) for node in nodes):
            return True
    return False


def _reason(call: ast.Call, path: tuple[Scope, ...]) -> tuple[str, str]:
    """(what is in the way, what to do by hand)."""
    assert isinstance(call.func, ast.Attribute)
    base = call.func.value
    function = path[-1]
    if isinstance(base, ast.Name) and isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        arguments = function.args
        names = {a.arg for a in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]}
        if base.id in names:
            return (f"{function.name} is given the session {base.id} to run",
                    "give it a function that computes what it fetches")
    if isinstance(base, ast.Attribute):
        return (f"the session {ast.unparse(base)} is made outside of the class",
                "let the class that builds the graph compute with it")
    return BORROWED, "compute it in a tf.function where the graph is built"
