"""Definitions and uses of statements, and backward slices over straight-line code.

Names are plain identifiers; in code of a class, ``self.x`` counts as a name of its own.  What TF1
keeps in graph collections is modelled by *resources* (names in angle brackets): a layer call may
add to ``<losses>``, and `tf.losses.get_total_loss()` reads it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from migrator.analysis.tree_walk import children, walk

LOSSES, SUMMARIES, COLLECTIONS, UPDATES = "<losses>", "<summaries>", "<collections>", "<updates>"
RESOURCES = frozenset({LOSSES, SUMMARIES, COLLECTIONS, UPDATES})

_MUTATORS = frozenset(
    {"append", "extend", "insert", "add", "update", "setdefault", "pop", "remove", "clear", "sort"}
)


@dataclass
class Flow:
    """What a statement reads, surely assigns, and may change.

    `of_module` says of a call that it is one of a module's function: ``tf.add`` changes no `tf`.
    """

    uses: set[str] = field(default_factory=set)
    defines: set[str] = field(default_factory=set)
    mutates: set[str] = field(default_factory=set)
    of_module: bool = False


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


class _Collector:
    """Gathers the flow of what it visits.

    `ast.NodeVisitor` would do, but looking a method up by name and listing fields by generators
    took most of the time of every analysis.
    """

    def __init__(self, owner: str | None, resource: Callable[[ast.Call], Flow] | None) -> None:
        self.flow = Flow()
        self.owner = owner
        self.resource = resource
        self.bound: list[set[str]] = []

    def visit(self, node: ast.AST) -> None:
        """Add what one node and the nodes below it read and change."""
        special = _SPECIAL.get(node.__class__)
        if special is not None:
            special(self, node)
        else:
            self._below(node)

    def _below(self, node: ast.AST) -> None:
        for child in children(node):
            self.visit(child)

    def _use(self, name: str) -> None:
        for names in self.bound:
            if name in names:
                return
        self.flow.uses.add(name)

    def _name(self, node: ast.Name) -> None:
        if node.ctx.__class__ is ast.Load:
            self._use(node.id)
        elif not any(node.id in names for names in self.bound):
            self.flow.defines.add(node.id)

    def _attribute(self, node: ast.Attribute) -> None:
        name = dotted_self(node, self.owner)
        if name is not None:
            if node.ctx.__class__ is ast.Load:
                self._use(name)
            else:
                self.flow.defines.add(name)
            return
        if node.ctx.__class__ is ast.Store and isinstance(node.value, ast.Name):
            self.flow.mutates.add(node.value.id)
        self.visit(node.value)

    def _subscript(self, node: ast.Subscript) -> None:
        if node.ctx.__class__ is not ast.Load:
            base = self._base(node.value)
            if base is not None:
                self.flow.mutates.add(base)
                self.flow.uses.add(base)
        self._below(node)

    def _base(self, node: ast.expr) -> str | None:
        while isinstance(node, (ast.Subscript, ast.Attribute)):
            name = dotted_self(node, self.owner)
            if name is not None:
                return name
            node = node.value
        return node.id if isinstance(node, ast.Name) else None

    def _aug_assign(self, node: ast.AugAssign) -> None:
        base = self._base(node.target)
        if base is not None:
            self.flow.uses.add(base)
        self._below(node)

    def _call(self, node: ast.Call) -> None:
        func = node.func
        of_module = False
        if self.resource is not None:
            extra = self.resource(node)
            of_module = extra.of_module
            if extra.uses:
                self.flow.uses |= extra.uses
            if extra.mutates:
                self.flow.mutates |= extra.mutates
        if func.__class__ is ast.Attribute and func.attr in _MUTATORS and not of_module:  # type: ignore[attr-defined]
            base = self._base(func.value)  # type: ignore[attr-defined]
            if base is not None:
                self.flow.mutates.add(base)
        self._below(node)

    def _lambda(self, node: ast.Lambda) -> None:
        self._inner(node.args, [node.body])

    def _function(self, node: ast.FunctionDef) -> None:
        self.flow.defines.add(node.name)
        for decorator in node.decorator_list:
            self.visit(decorator)
        self._inner(node.args, node.body)

    def _class(self, node: ast.ClassDef) -> None:
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
                if node.__class__ is ast.Name and node.ctx.__class__ is ast.Store:  # type: ignore[attr-defined]
                    names.add(node.id)  # type: ignore[attr-defined]
        self.bound.append(names)
        for statement in body:
            self.visit(statement)
        self.bound.pop()

    def _comprehension(self, node: ast.ListComp) -> None:
        names = {
            inner.id
            for generator in node.generators
            for inner in walk(generator.target)
            if isinstance(inner, ast.Name)
        }
        self.visit(node.generators[0].iter)
        self.bound.append(names)
        self._below(node)
        self.bound.pop()

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            self.flow.defines.add((alias.asname or alias.name).split(".")[0])


_SPECIAL: dict[type, Callable[[_Collector, Any], None]] = {
    ast.Name: _Collector._name,
    ast.Attribute: _Collector._attribute,
    ast.Subscript: _Collector._subscript,
    ast.AugAssign: _Collector._aug_assign,
    ast.Call: _Collector._call,
    ast.Lambda: _Collector._lambda,
    ast.FunctionDef: _Collector._function,
    ast.ClassDef: _Collector._class,
    ast.ListComp: _Collector._comprehension,
    ast.SetComp: _Collector._comprehension,
    ast.GeneratorExp: _Collector._comprehension,
    ast.DictComp: _Collector._comprehension,
    ast.Import: _Collector._import,
    ast.ImportFrom: _Collector._import,
}


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
