"""Feeds that a local name holds: a dict of inputs that is made in front of the runs that it is fed to."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from migrator.analysis.run_sites import Site
from migrator.analysis.tree_walk import walk
from migrator.analysis.value_kinds import Function, Parents, Values

_SIMPLE = (ast.Name, ast.Attribute, ast.Constant, ast.Load, ast.Subscript, ast.UnaryOp, ast.USub)


@dataclass(frozen=True)
class Resolved:
    """The runs of a file with the feeds that names held, and the statements that bound those names."""

    sites: tuple[Site, ...]
    gone: tuple[ast.Assign, ...]


def resolved(found: Sequence[Site], values: Values, parents: Parents) -> Resolved:
    """Runs that are fed a name say what they feed, where the text tells and nothing else reads the name."""
    by_name: dict[tuple[int, str], list[Site]] = {}
    for site in found:
        if isinstance(site.feed, ast.Name):
            by_name.setdefault((id(values.home(site.feed)), site.feed.id), []).append(site)
    new: dict[int, Site] = {}
    gone: list[ast.Assign] = []
    for (_, name), fed in by_name.items():
        made = [_dict_of(site, values, parents) for site in fed]
        statements = {id(stmt): stmt for stmt, _ in filter(None, made)}
        if None in made or _read_elsewhere(name, fed, list(statements.values()), values):
            continue
        for site, pair in zip(fed, made, strict=True):
            assert pair is not None
            stmt, display = pair
            uses = sum(other is not None and other[0] is stmt for other in made)
            if not _same_there(stmt, display, parents.statement(site.call), parents, uses):
                break
            pairs = tuple(zip(filter(None, display.keys), display.values, strict=True))
            new[id(site)] = replace(site, feed=None, feeds=pairs)
        else:
            gone += statements.values()
            continue
        for site in fed:
            new.pop(id(site), None)
    return Resolved(tuple(new.get(id(site), site) for site in found), tuple(gone))


def _dict_of(site: Site, values: Values, parents: Parents) -> tuple[ast.Assign, ast.Dict] | None:
    """The statement in front of the run, or of a statement around it, that binds what is fed last,
    with the dict that it makes."""
    assert isinstance(site.feed, ast.Name)
    for statement in _around(parents.statement(site.call), parents):
        block = parents.block(statement)
        for other in reversed(block[: block.index(statement)]):
            if isinstance(other, ast.Assign) and len(other.targets) == 1 and isinstance(
                    other.targets[0], ast.Name) and other.targets[0].id == site.feed.id:
                display = other.value
                if isinstance(display, ast.Dict) and None not in display.keys:
                    return other, display
                return None
            if any(isinstance(n, ast.Name) and n.id == site.feed.id and not isinstance(n.ctx, ast.Load)
                   for n in walk(other)):
                return None
    return None


def _around(statement: ast.stmt, parents: Parents) -> Iterator[ast.stmt]:
    """A statement and those around it, of the same function."""
    yield statement
    for holder in parents.around(statement):
        if isinstance(holder, (Function, ast.ClassDef, ast.Lambda, ast.Module)):
            return
        if isinstance(holder, ast.stmt):
            yield holder


def _read_elsewhere(
    name: str, fed: list[Site], made: list[ast.Assign], values: Values
) -> bool:
    """Whether a name is more than bound by those statements and fed to those runs."""
    assert isinstance(fed[0].feed, ast.Name)
    home = values.home(fed[0].feed)
    known = {id(site.feed) for site in fed} | {id(stmt.targets[0]) for stmt in made}
    return any(isinstance(node, ast.Name) and node.id == name and id(node) not in known
               for node in walk(home))


def _same_there(
    made: ast.Assign, display: ast.Dict, run: ast.stmt, parents: Parents, uses: int
) -> bool:
    """Whether the values mean the same where they are fed as where the dict was made."""
    block = parents.block(made)
    outer = next(stmt for stmt in _around(run, parents) if stmt in block)
    between = block[block.index(made) + 1 : block.index(outer)]
    simple = all(isinstance(node, _SIMPLE) for value in display.values for node in walk(value))
    if not simple and (between or uses > 1 or outer is not run):
        return False
    if outer is not run:  # which may be in a loop, with other calls in it
        between.append(outer)
        if any(isinstance(node, (ast.Attribute, ast.Subscript))
               for value in display.values for node in walk(value)):
            return False
    read = {ast.unparse(node) for value in display.values for node in walk(value)
            if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript))}
    return not any(
        isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load)
        and ast.unparse(node) in read for stmt in between for node in walk(stmt))
