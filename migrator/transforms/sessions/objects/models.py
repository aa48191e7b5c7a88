"""Objects that build a graph for others to run: which of them go native, with all their users.

A class and the files that run its graph are a group: all of it is rewritten, or none. Its texts are
made by `grouping`, or where the class makes its own inputs by `input_users`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from migrator.analysis.facts_graph_classes import graph_classes
from migrator.analysis.index import ProjectIndex
from migrator.analysis.names import NameTable
from migrator.analysis.program_items import Obstacle
from migrator.engine.context import FileContext
from migrator.engine.options import Options
from migrator.transforms.sessions.objects.classes import constructor
from migrator.transforms.sessions.objects.grouping import Grouping
from migrator.transforms.sessions.objects.input_users import given_group
from migrator.transforms.sessions.objects.outside import Unknown
from migrator.transforms.sessions.objects.stand_ins import Group, function_names, text_of


@dataclass(frozen=True)
class Planning:
    """How texts are planned: `rewrite` and `settled` of `transforms.session`, `runs_left` of
    `sessions.reshaping.gather`."""

    rewrite: Callable[..., bool]
    settled: Callable[..., str | None]
    left: Callable[..., bool]


def group_of(ctx: FileContext, planning: Planning) -> Group | None:
    """The group that the file belongs to, if every file of it goes native as a whole."""
    for home in [ctx.path, *ctx.index.imported(ctx.path)]:
        if home != ctx.path and not ctx.index.fact(home, "graph_classes", ctx.path):
            continue
        text = text_of(ctx, home)
        if text is None or "placeholder" not in text:
            continue
        for name in _classes(ctx, home, text):
            if name not in ctx.text:
                continue  # the file cannot belong to the group of that class
            key = ("graph class", home, name, ctx.options)
            known = ctx.text == ctx.original and key in ctx.index.answers
            group = ctx.index.answers[key] if known else _whole(ctx, home, text, name, planning)
            if ctx.text == ctx.original:  # what every importer of the class would find as well
                ctx.index.answers[key] = group
            if group is not None and ctx.path in group.texts:
                return group
    return None


def groups_of(index: ProjectIndex, options: Options, planning: Planning) -> list[Group]:
    """The groups of all classes of a project that keep placeholders."""
    found = []
    for home, info in index.modules.items():
        if "graph_classes" not in info.summary.facts:
            continue
        text = text_of(FileContext.of("", "", index, options), home)
        if text is None:
            continue
        ctx = FileContext.of(home, text, index, options)
        for name in _classes(ctx, home, ctx.text):
            group = _whole(ctx, home, ctx.text, name, planning)
            index.answers["graph class", home, name, options] = group
            if group is not None:
                found.append(group)
    return found


def _whole(
    ctx: FileContext, home: str, text: str, name: str, planning: Planning
) -> Group | None:
    """The group of the class `name`, None unless it goes native as a whole."""
    for make in (Grouping.of, given_group):
        try:
            group = make(ctx, home, text, name)
            if group is not None and _native(ctx, group, planning):
                return group
        except (Unknown, Obstacle, SyntaxError, AssertionError, LookupError, ValueError):
            continue
    return None


def _native(ctx: FileContext, group: Group, planning: Planning) -> bool:
    """Whether all texts of a group go native; fills in the names of its functions."""
    others = {path: ast.parse(text) for path, text in group.texts.items()}
    for path in sorted(group.texts, key=lambda p: p != group.home):
        trial = ctx.anew(group.texts[path], path)
        if not planning.rewrite(trial, others):
            found = planning.settled(ctx.anew(group.texts[path], path), group.texts[path], others)
            if found is None or not group.makers:
                return False
            group.texts[path] = found
            trial = ctx.anew(found, path)
            planning.rewrite(trial, others)
        if path == group.home:
            group.names = function_names(trial.text, group.owner)
        tree = ast.parse(group.finished(path, trial.text))
        if planning.left(tree, NameTable.of(tree, trial.module_name, trial.is_package)):
            return False
    return bool(group.names or group.makers)


def _classes(ctx: FileContext, home: str, text: str) -> list[str]:
    """The classes of a module that keep placeholders, with a constructor."""
    known = ctx.index.fact(home, "graph_classes")
    if known is None and home in ctx.index.modules and text == ctx.original:
        return []
    tree = ast.parse(text)
    if known is None:
        known = graph_classes(tree, NameTable.of(tree), home) or {}
    return [
        node.name
        for node in tree.body
        if isinstance(node, ast.ClassDef)
        and node.name in known
        and constructor(node) is not None
    ]
