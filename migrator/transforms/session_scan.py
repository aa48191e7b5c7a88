"""Which rung every run site of a file gets, and why: what `migrator scan` shows of its programs."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace

from migrator.analysis.program import Program
from migrator.analysis.program_items import Obstacle, RunSite
from migrator.analysis.source import SourceText
from migrator.analysis.tree_walk import walk
from migrator.engine.context import FileContext
from migrator.engine.linemap import LineMap
from migrator.model import Rung
from migrator.transforms._session_facts import FunctionTable
from migrator.transforms._session_helpers import looks_like_run
from migrator.transforms._session_render import Decisions
from migrator.transforms._session_scopes import Unit, units_of
from migrator.transforms.session import plans_of, settled, trial
from migrator.transforms.session_leftovers import BORROWED


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One place that runs a graph.

    `line` is 1-based; `scope` the function or method it is in ("" at module level); `fetches` the
    fetched expressions as written, `feeds` the names of what is fed; `function` the name of the
    function that it will call, if one is made; `reason` says why it gets its `rung`.
    """

    path: str
    line: int
    scope: str
    fetches: str
    feeds: tuple[str, ...]
    rung: Rung
    reason: str
    function: str = ""


def summarise(ctx: FileContext) -> tuple[RunRecord, ...]:
    """The run sites of one file in source order; nothing is changed and nothing reported."""
    records = _records(ctx)
    if any(record.rung is Rung.COMPAT for record in records):
        text = settled(ctx, ctx.text)
        if text is not None:
            lines = LineMap(ctx.text, text)
            shown = _records(FileContext.of(ctx.path, text, ctx.index, ctx.options))
            records = [replace(r, line=lines.original(r.line)) for r in shown]
    return tuple(sorted(records, key=lambda record: record.line))


def _records(ctx: FileContext) -> list[RunRecord]:
    tree, names = ctx.tree, ctx.names
    source = SourceText(ctx.text, tree)
    records: list[RunRecord] = []
    seen: set[int] = set()
    for unit in units_of(ctx, tree, names, FunctionTable(ctx, tree, names), told=False):
        records += _unit_records(ctx, tree, source, unit)
        seen |= {id(site.call) for program in unit.programs for site in program.run_sites()}
    for node in walk(tree):
        if isinstance(node, ast.Call) and id(node) not in seen and looks_like_run(node):
            records.append(
                RunRecord(
                    ctx.path, node.lineno, "", ast.unparse(node.args[0]) if node.args else "", (),
                    Rung.COMPAT, BORROWED,
                )
            )
    return records


def _unit_records(
    ctx: FileContext, tree: ast.Module, source: SourceText, unit: Unit
) -> list[RunRecord]:
    functions: dict[int, str] = {}
    rung, reason = Rung.NATIVE, ""
    try:
        decisions = Decisions()
        own = FileContext.of(ctx.path, ctx.text, ctx.index, ctx.options)
        plans = plans_of(ctx, tree, ctx.names, source, unit, decisions, own.support)
        trial(own, source, tree, decisions)
        for plan in plans:
            for site in plan.sites:
                if site.function is not None:
                    functions[id(site.run.call)] = site.function.name
    except Obstacle as obstacle:
        line = getattr(obstacle.node, "lineno", 0)
        rung, reason = Rung.COMPAT, f"line {line}: {obstacle.reason}"
    return [
        _record(ctx.path, program, site, rung, reason, functions.get(id(site.call), ""))
        for program in unit.programs
        for site in program.run_sites()
    ]


def _record(
    path: str, program: Program, site: RunSite, rung: Rung, reason: str, function: str
) -> RunRecord:
    node = program.scope.node
    return RunRecord(
        path, site.call.lineno, getattr(node, "name", ""), ast.unparse(site.fetch),
        tuple(name for name, _ in site.feeds) or ((site.feed_name,) if site.feed_name else ()),
        rung, reason or ("a call of a tf.function" if function else "computed eagerly"), function,
    )
