"""Quick walks over LibCST trees: `node.children` re-visits every child to list it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import libcst as cst

Kind = TypeVar("Kind", bound=cst.CSTNode)

_ORDER = {
    "IfExp": ("body", "test", "orelse"),
    "Assign": ("targets", "value"),
    "Try": ("body", "handlers", "orelse", "finalbody"),
    "TryStar": ("body", "handlers", "orelse", "finalbody"),
    "FunctionDef": ("decorators", "name", "params", "returns", "body"),
    "ClassDef": ("decorators", "name", "bases", "keywords", "body"),
}
_SKIPPED = {
    *("lpar", "rpar", "comma", "semicolon", "header", "footer", "lbracket", "rbracket"),
    *("dot", "equal", "asynchronous", "newline", "colon", "lbrace", "rbrace"),
    *("__slots__", "operator", "first_colon", "second_colon", "posonly_ind", "relative"),
}
# Classes whose fields are text and layout.
_ENDS = frozenset({"Name", "SimpleString", "Integer", "Float", "Imaginary", "Pass", "Ellipsis"})
# What a field holds that is no node.
TEXT = (type(None), str, bool, cst.MaybeSentinel)
_FIELDS: dict[type, tuple[str, ...]] = {}


def code_fields(cls: type) -> tuple[str, ...]:
    """The fields of a LibCST class that can hold code, in source order."""
    found = _FIELDS.get(cls)
    if found is None:
        order = _ORDER.get(cls.__name__)
        if cls.__name__ in _ENDS:
            order = ()
        if order is None:
            order = tuple(
                name
                for name in cls.__dataclass_fields__  # type: ignore[attr-defined]
                if not name.startswith(("whitespace", "leading", "lines_", "trailing", "indent"))
                and name not in _SKIPPED
            )
        found = _FIELDS[cls] = order
    return found


def code_children(node: cst.CSTNode) -> list[cst.CSTNode]:
    """The children of `node` in source order, without white space, comments and punctuation."""
    children: list[cst.CSTNode] = []
    cls = node.__class__
    fields = _FIELDS.get(cls)
    if fields is None:
        fields = code_fields(cls)
    for name in fields:
        value: Any = getattr(node, name)
        kind = value.__class__
        if kind is tuple or kind is list:
            children += value
        elif kind not in TEXT:
            children.append(value)
    return children


def exchanged(node: Any, table: Mapping[int, cst.CSTNode | None]) -> Any:
    """`node` with parts exchanged by identity: ``{id(old): new}``; None removes a list's part.

    What holds no such part stays the same node: a visitor would make all of them anew, which costs
    as much as parsing them.
    """
    if id(node) in table:
        return table[id(node)]
    changes: dict[str, Any] = {}
    for name in code_fields(node.__class__):
        value = getattr(node, name)
        kind = value.__class__
        if kind is tuple or kind is list:
            items = [exchanged(item, table) for item in value]
            if any(new is not old for new, old in zip(items, value, strict=True)):
                changes[name] = [item for item in items if item is not None]
        elif kind not in TEXT:
            new = exchanged(value, table)
            if new is not value:
                changes[name] = new
    return node.with_changes(**changes) if changes else node


def only(nodes: Iterable[cst.CSTNode], kind: type[Kind]) -> list[Kind]:
    """Those of the class `kind` itself: `isinstance` asks an abstract base class, which is slow."""
    return [node for node in nodes if node.__class__ is kind]  # type: ignore[misc]


class Listing:
    """The nodes below one node in source order, walked once and asked often.

    `nodes[start:end]` of `span(node)` are a node and everything below it; a node that is not of
    this tree (one that was made anew) is walked when it is asked for.
    """

    def __init__(self, root: cst.CSTNode) -> None:
        self.nodes: list[cst.CSTNode] = []
        self._ends: dict[int, tuple[int, int]] = {}
        self._own: dict[int, list[cst.CSTNode]] = {}
        self._calls: dict[int, list[cst.Call]] = {}
        self._list(root)

    def _list(self, root: cst.CSTNode) -> None:
        nodes, ends = self.nodes, self._ends
        # A None on the stack closes the node whose place lies below it.
        stack: list[Any] = [root]
        while stack:
            node = stack.pop()
            if node is None:
                place = stack.pop()
                ends[id(nodes[place])] = (place, len(nodes))
                continue
            children = code_children(node)
            if children:
                stack.append(len(nodes))
                stack.append(None)
                children.reverse()
                stack += children
            else:
                ends[id(node)] = (len(nodes), len(nodes) + 1)
            nodes.append(node)

    def span(self, node: cst.CSTNode) -> tuple[int, int]:
        """(start, end) of a node of this tree or of one that was made anew."""
        found = self._ends.get(id(node))
        if found is None or self.nodes[found[0]] is not node:
            self._list(node)
            found = self._ends[id(node)]
        return found

    def holds(self, node: cst.CSTNode) -> bool:
        """Whether a node has been listed."""
        found = self._ends.get(id(node))
        return found is not None and self.nodes[found[0]] is node

    def walk(self, node: cst.CSTNode) -> list[cst.CSTNode]:
        """`node` and everything below it."""
        start, end = self.span(node)
        return self.nodes[start:end]

    def own(self, node: cst.CSTNode) -> list[cst.CSTNode]:
        """`walk` without nested functions and classes; nothing for a function or class itself."""
        start, end = self.span(node)
        found = self._own.get(start)
        if found is None:
            found = self._own[start] = []
            nodes, ends = self.nodes, self._ends
            while start < end:
                current = nodes[start]
                cls = current.__class__
                if cls is cst.FunctionDef or cls is cst.ClassDef:
                    start = ends[id(current)][1]
                    continue
                found.append(current)
                start += 1
        return found

    def own_calls(self, node: cst.CSTNode) -> list[cst.Call]:
        """The calls among ``own(node)``."""
        start = self.span(node)[0]
        found = self._calls.get(start)
        if found is None:
            found = self._calls[start] = only(self.own(node), cst.Call)
        return found


_recent: list[Listing] = []  # the one tree whose parts are being asked for


def list_once(root: cst.CSTNode) -> Listing:
    """The listing of a tree, by which `walk` and `own` answer for its parts from now on."""
    if not (_recent and _recent[0].holds(root)):
        _recent[:] = [Listing(root)]
    return _recent[0]


def forget() -> None:
    """Drop the listing of a tree that is done with."""
    _recent.clear()


def walk(node: cst.CSTNode) -> list[cst.CSTNode]:
    """`node` and everything below it, in source order."""
    if _recent and _recent[0].holds(node):
        return _recent[0].walk(node)
    found: list[cst.CSTNode] = []
    stack = [node]
    while stack:
        current = stack.pop()
        found.append(current)
        children = code_children(current)
        children.reverse()
        stack += children
    return found


def own_calls(node: cst.CSTNode) -> list[cst.Call]:
    """The calls among ``own(node)``."""
    if _recent and _recent[0].holds(node):
        return _recent[0].own_calls(node)
    return Listing(node).own_calls(node)


def own(node: cst.CSTNode) -> list[cst.CSTNode]:
    """`walk` without nested functions and classes; nothing for a function or class itself."""
    if _recent and _recent[0].holds(node):
        return _recent[0].own(node)
    return Listing(node).own(node)
