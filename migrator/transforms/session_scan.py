"""Which rung every run site of a file gets, and why: what `migrator scan` shows of its programs."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from migrator.analysis.program import Program
from migrator.analysis.program_items import Obstacle, RunSite
from migrator.analysis.source import SourceText
from migrator.analysis.tree_walk import walk
from migrator.engine.context import FileContext
from migrator.engine.linemap import LineMap
from migrator.model import Rung
from migrator.transforms.session import PLANNING, amended_text, plans_of, settled, trial
from migrator.transforms.session_leftovers import BORROWED
from migrator.transforms.sessions.facts import FunctionTable
from migrator.transforms.sessions.helpers import looks_like_run
from migrator.transforms.sessions.objects.models import group_of
from migrator.transforms.sessions.reading.scopes import Unit, units_of
from migrator.transforms.sessions.writing.render import Decisions


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
        group = group_of(ctx.anew(ctx.text), PLANNING)
        planned: dict[str, ast.Module] = {}
        text: str | None
        if group is not None and group.makers:
            planned = {path: ast.parse(text) for path, text in group.texts.items()}
            text = group.texts[ctx.path]
        else:
            text = settled(ctx, ctx.text)
        text = amended_text(ctx, ctx.text if text is None else text, planned)
        if text != ctx.text:
            lines = LineMap(ctx.text, text)
            shown = _records(ctx.anew(text), planned)
            found = _at_original_lines(shown, records, lines)
            records = found + ([] if group is not None else _taken_away(found, records))
    return tuple(sorted(records, key=lambda record: record.line))


def _taken_away(found: list[RunRecord], first: list[RunRecord]) -> list[RunRecord]:
    """Records of runs that a text does without, as what they ran happens where it is made."""
    count = Counter(record.scope for record in found)
    lines = {(record.scope, record.line) for record in found}
    return [
        replace(record, rung=Rung.NATIVE, reason="computed eagerly", function="")
        for record in first if (record.scope, record.line) not in lines
        and count[record.scope] < sum(other.scope == record.scope for other in first)
    ]


def _at_original_lines(
    shown: list[RunRecord], first: list[RunRecord], lines: LineMap
) -> list[RunRecord]:
    """Records of a text that was put together, at the lines of the file: by the order of the runs
    in each function, which may have moved as a whole, or else by the text around them."""
    found = []
    for scope in dict.fromkeys(record.scope for record in shown):
        own = sorted((r for r in shown if r.scope == scope), key=lambda r: r.line)
        old = sorted(r.line for r in first if r.scope == scope)
        if len(old) != len(own):
            old = [lines.original(record.line) for record in own]
        found += [replace(r, line=line) for r, line in zip(own, old, strict=True)]
    return found


def _records(
    ctx: FileContext, planned: Mapping[str, ast.Module] | None = None
) -> list[RunRecord]:
    tree, names = ctx.tree, ctx.names
    source = SourceText(ctx.text, tree)
    records: list[RunRecord] = []
    seen: set[int] = set()
    for unit in units_of(ctx, tree, names, FunctionTable(ctx, tree, names, planned), told=False):
        records += _unit_records(ctx, tree, source, unit, planned)
        seen |= {id(site.call) for program in unit.programs for site in program.run_sites()}
    for node in walk(tree):
        if isinstance(node, ast.Call) and id(node) not in seen and looks_like_run(node):
            records.append(
                RunRecord(
                    ctx.path, node.lineno, _function_around(tree, node),
                    ast.unparse(node.args[0]) if node.args else "", (), Rung.COMPAT, BORROWED,
                )
            )
    return records


def _function_around(tree: ast.Module, call: ast.Call) -> str:
    """The name of the innermost function that a call is in, "" at module level."""
    around = [
        node for node in walk(tree) if isinstance(node, ast.FunctionDef)
        and node.lineno <= call.lineno <= (node.end_lineno or 0)
    ]
    return max(around, key=lambda node: node.lineno).name if around else ""


def _unit_records(
    ctx: FileContext, tree: ast.Module, source: SourceText, unit: Unit,
    planned: Mapping[str, ast.Module] | None,
) -> list[RunRecord]:
    functions: dict[int, str] = {}
    rung, reason = Rung.NATIVE, ""
    try:
        decisions = Decisions()
        own = ctx.anew(ctx.text)
        plans = plans_of(ctx, tree, ctx.names, source, unit, decisions, own.support, planned)
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
