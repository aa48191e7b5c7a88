"""Definitions and uses of statements, and backward slices over straight-line code.

Names are plain identifiers; in code of a class, ``self.x`` counts as a name of its own.  What TF1
keeps in graph collections is modelled by *resources* (names in angle brackets): a layer call may
add to ``<losses>``, and `tf.losses.get_total_loss()` reads it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from migrator.analysis.tree_walk import walk

LOSSES, SUMMARIES, COLLECTIONS, UPDATES = "<losses>", "<summaries>", "<collections>", "<updates>"
RESOURCES = frozenset({LOSSES, SUMMARIES, COLLECTIONS, UPDATES})

_MUTATORS = frozenset(
    {"append", "extend", "insert", "add", "update", "setdefault", "pop", "remove", "clear", "sort"}
)


@dataclass
class Flow:
    """What a statement reads, surely assigns, and may change."""

    uses: set[str] = field(default_factory=set)
    defines: set[str] = field(default_factory=set)
    mutates: set[str] = field(default_factory=set)


def dotted_self(node: ast.AST, owner: str | None) -> str | None:
    """``self.x`` for an attribute of the method's own object, None for anything else."""
    if (
        owner
        and isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == owner
    ):
        return f"{owner}.{node.attr}"
    return None


class _Collector(ast.NodeVisitor):
    def __init__(self, owner: str | None, resource: Callable[[ast.Call], Flow] | None) -> None:
        self.flow = Flow()
        self.owner = owner
        self.resource = resource
        self.bound: list[set[str]] = []

    def _use(self, name: str) -> None:
        if not any(name in names for names in self.bound):
            self.flow.uses.add(name)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self._use(node.id)
        elif not any(node.id in names for names in self.bound):
            self.flow.defines.add(node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        name = dotted_self(node, self.owner)
        if name is None:
            if isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name):
                self.flow.mutates.add(node.value.id)
            self.generic_visit(node)
        elif isinstance(node.ctx, ast.Load):
            self._use(name)
        else:
            self.flow.defines.add(name)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if not isinstance(node.ctx, ast.Load):
            base = self._base(node.value)
            if base is not None:
                self.flow.mutates.add(base)
                self.flow.uses.add(base)
        self.generic_visit(node)

    def _base(self, node: ast.expr) -> str | None:
        while isinstance(node, (ast.Subscript, ast.Attribute)):
            name = dotted_self(node, self.owner)
            if name is not None:
                return name
            node = node.value
        return node.id if isinstance(node, ast.Name) else None

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        base = self._base(node.target)
        if base is not None:
            self.flow.uses.add(base)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        func = node.func
        if isinstance(func, ast.Attribute) and func.attr in _MUTATORS:
            base = self._base(func.value)
            if base is not None:
                self.flow.mutates.add(base)
        if self.resource is not None:
            extra = self.resource(node)
            self.flow.uses |= extra.uses
            self.flow.mutates |= extra.mutates
        self.generic_visit(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._inner(node.args, [node.body])

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.flow.defines.add(node.name)
        for decorator in node.decorator_list:
            self.visit(decorator)
        self._inner(node.args, node.body)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.flow.defines.add(node.name)
        inner = statement_flow(node.body, None, self.resource)
        self.flow.uses |= inner.uses - inner.defines

    def _inner(self, args: ast.arguments, body: Sequence[ast.AST]) -> None:
        for default in [*args.defaults, *(d for d in args.kw_defaults if d is not None)]:
            self.visit(default)
        every = [*args.posonlyargs, *args.args, *args.kwonlyargs]
        names = {a.arg for a in every}
        names |= {a.arg for a in (args.vararg, args.kwarg) if a is not None}
        for statement in body:
            for node in walk(statement):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    names.add(node.id)
        self.bound.append(names)
        for statement in body:
            self.visit(statement)
        self.bound.pop()

    def _comprehension(self, node: ast.AST, generators: list[ast.comprehension]) -> None:
        names = {
            inner.id
            for generator in generators
            for inner in walk(generator.target)
            if isinstance(inner, ast.Name)
        }
        self.visit(generators[0].iter)
        self.bound.append(names)
        self.generic_visit(node)
        self.bound.pop()

    def visit_ListComp(self, node: ast.ListComp) -> None:
        self._comprehension(node, node.generators)

    visit_SetComp = visit_GeneratorExp = visit_DictComp = visit_ListComp  # type: ignore[assignment]

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self.flow.defines.add((alias.asname or alias.name).split(".")[0])

    visit_ImportFrom = visit_Import  # type: ignore[assignment]


def statement_flow(
    nodes: ast.AST | Sequence[ast.AST],
    owner: str | None = None,
    resource: Callable[[ast.Call], Flow] | None = None,
) -> Flow:
    """The flow of one statement or expression (or of several together).

    `resource` says which resources a call reads and changes. Names that a compound statement
    defines on only some of its ways are in `mutates` as well as in `defines`.
    """
    collector = _Collector(owner, resource)
    for node in [nodes] if isinstance(nodes, ast.AST) else nodes:
        collector.visit(node)
        if isinstance(node, (ast.If, ast.For, ast.While, ast.Try)):
            collector.flow.mutates |= collector.flow.defines
    return collector.flow


class Sliceable(Protocol):
    """A statement with its flow; `killing` says whether its definitions replace old values."""

    flow: Flow

    @property
    def killing(self) -> bool: ...


S = TypeVar("S", bound=Sliceable)


def backward_slice(items: Sequence[S], wanted: Iterable[str]) -> tuple[list[S], set[str]]:
    """The items that `wanted` names depend on, in order, and the names left without definition.

    One pass from the end: linear in the size of the program.
    """
    live = set(wanted)
    chosen: list[S] = []
    for item in reversed(items):
        flow = item.flow
        touched = flow.defines | flow.mutates
        if not touched & live:
            continue
        chosen.append(item)
        if item.killing:
            live -= flow.defines - flow.mutates
        live |= flow.uses
    chosen.reverse()
    return chosen, live
