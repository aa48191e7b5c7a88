"""Methods that make the feed of runs: ``feed = {self.x: x}; if y is not None: feed[self.y] = y``.

What such a method feeds depends on the call: a parameter that a call leaves out, and that is None
then, feeds nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from migrator.analysis.arguments import none_by_default, unpacks
from migrator.analysis.program_items import Obstacle
from migrator.analysis.tree_walk import calls_in, walk
from migrator.analysis.values import argument

Entry = tuple[ast.stmt, ast.expr, ast.expr]

_RUNS = ("run", "eval")


@dataclass(frozen=True)
class FeedMethod:
    """A method that returns a feed, alone or first in a tuple.

    `always` are the entries of the dict that every call makes, `given` those that need a parameter.
    """

    node: ast.FunctionDef
    always: tuple[Entry, ...]
    given: tuple[tuple[str, Entry], ...]
    in_tuple: bool

    @property
    def keys(self) -> set[int]:
        """The nodes of its keys, by id."""
        return {id(node) for _, key, _ in self.entries for node in walk(key)}

    @property
    def entries(self) -> list[Entry]:
        """All entries that some call may make."""
        return [*self.always, *(entry for _, entry in self.given)]

    def fed_by(self, call: ast.Call) -> list[Entry]:
        """The entries that a call makes. Raises Obstacle where that cannot be told."""
        if unpacks(call):
            raise Obstacle(call, f"what {self.node.name} feeds is not known", "name its arguments")
        names = [a.arg for a in self.node.args.args[1:]]
        found = list(self.always)
        for name, entry in self.given:
            node = argument(call, names.index(name), name)
            if node is not None and not (isinstance(node, ast.Constant) and node.value is None):
                found.append(entry)
        return found


def feed_methods(defined: dict[str, ast.FunctionDef], owner: str | None) -> dict[str, FeedMethod]:
    """The methods of a class with which its runs are fed, and nothing else is done."""
    found = {}
    for name, node in defined.items():
        made = _read(node, owner)
        if made is None or not made.entries:
            continue
        uses = [(use, method) for method in defined.values() for use in walk(method)
                if isinstance(use, ast.Attribute) and use.attr == name]
        if uses and all(_is_fed(use, method, made.in_tuple) for use, method in uses):
            found[name] = made
    return found


def _read(node: ast.FunctionDef, owner: str | None) -> FeedMethod | None:
    """The entries of the dict that a method puts together, None if it does anything else with it."""
    arguments = node.args
    last = node.body[-1]
    returns = [n for n in walk(node) if isinstance(n, (ast.Return, ast.Yield, ast.YieldFrom))]
    if node.decorator_list or arguments.vararg or arguments.kwarg or arguments.kwonlyargs or (
        not isinstance(last, ast.Return) or returns != [last] or not arguments.args
        or arguments.args[0].arg != owner
    ):
        return None
    value = last.value
    in_tuple = isinstance(value, ast.Tuple)
    if isinstance(value, ast.Tuple):
        value = value.elts[0]
    if isinstance(value, ast.Dict):
        entries = _pairs(last, value)
        return None if entries is None else FeedMethod(node, tuple(entries), (), in_tuple)
    if not isinstance(value, ast.Name):
        return None
    put_together = _put_together(node, value.id)
    return None if put_together is None else FeedMethod(node, *put_together, in_tuple)


def _put_together(
    node: ast.FunctionDef, name: str
) -> tuple[tuple[Entry, ...], tuple[tuple[str, Entry], ...]] | None:
    """The entries that a method gives the dict `name` (see `FeedMethod`), which it returns; None if
    it has other uses."""
    seen = 1  # where it is returned
    always: list[Entry] | None = None
    given: list[tuple[str, Entry]] = []
    optional = none_by_default(node.args) - {
        n.id for n in walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    for stmt in node.body:
        if isinstance(stmt, ast.Assign) and ast.unparse(stmt.targets[0]) == name:
            always = _pairs(stmt, stmt.value) if always is None and len(stmt.targets) == 1 else None
            seen += 1
        elif always is not None and (entry := _set_key(stmt, name)) is not None:
            always.append(entry)
            seen += 1
        elif isinstance(stmt, ast.If) and not stmt.orelse and (
            (tested := _not_none(stmt.test)) in optional
        ):
            for inner in stmt.body:
                if (entry := _set_key(inner, name)) is not None:
                    given.append((tested, entry))
                    seen += 1
    uses = [n for n in walk(node) if isinstance(n, ast.Name) and n.id == name]
    if always is None or seen != len(uses):
        return None
    return tuple(always), tuple(given)


def _pairs(stmt: ast.stmt, node: ast.expr) -> list[Entry] | None:
    if not isinstance(node, ast.Dict):
        return None
    pairs: list[Entry] = [
        (stmt, key, value) for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, (ast.Attribute, ast.Name))
    ]
    return pairs if len(pairs) == len(node.keys) else None


def _set_key(stmt: ast.stmt, name: str) -> Entry | None:
    """The entry of ``name[key] = value``."""
    if isinstance(stmt, ast.Assign) and len(stmt.targets) == 1:
        target = stmt.targets[0]
        if isinstance(target, ast.Subscript) and ast.unparse(target.value) == name and isinstance(
            target.slice, (ast.Attribute, ast.Name)
        ):
            return stmt, target.slice, stmt.value
    return None


def _not_none(test: ast.expr) -> str:
    """The name of ``name is not None``."""
    if isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and (
        isinstance(test.ops[0], ast.IsNot) and ast.unparse(test.comparators[0]) == "None"
    ):
        return test.left.id
    return ""


def _is_fed(use: ast.Attribute, method: ast.FunctionDef, in_tuple: bool) -> bool:
    """Whether a use of a method in another one calls it for what runs are fed there."""
    for stmt in walk(method):
        if isinstance(stmt, ast.Assign) and isinstance(stmt.value, ast.Call) and (
            stmt.value.func is use and len(stmt.targets) == 1
        ):
            target: ast.expr = stmt.targets[0]
            if in_tuple != isinstance(target, ast.Tuple):
                return False
            if isinstance(target, ast.Tuple):
                target = target.elts[0]
            return isinstance(target, ast.Name) and _only_feeds(target.id, method)
    return not in_tuple and any(
        isinstance(node, ast.Call) and node.func is use for node in _feeds(method))


def _only_feeds(name: str, method: ast.FunctionDef) -> bool:
    """Whether a dict is only fed, and has keys set."""
    feeds = {id(node) for node in _feeds(method)} | {
        id(n.value) for n in walk(method)
        if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store)
    }
    return all(id(n) in feeds for n in walk(method)
               if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load))


def _feeds(method: ast.FunctionDef) -> Iterator[ast.expr]:
    for call in calls_in(method):
        if isinstance(call.func, ast.Attribute) and call.func.attr in _RUNS:
            node = argument(call, int(call.func.attr == "run"), "feed_dict")
            if node is not None:
                yield node
