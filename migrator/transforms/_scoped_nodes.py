"""A file's nodes with their parents, and names told apart by the scope that they stand in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import libcst as cst

from migrator.engine.context import FileContext
from migrator.engine.cst_walk import Kind, code_children, only
from migrator.transforms import _flow as flow

_NAMED = frozenset({cst.Name, cst.Attribute})


class ScopedNodes:
    """Every node of one file.

    A *key* is an attribute of `self`, or a name with the id of the function that binds it.
    """

    def __init__(self, ctx: FileContext) -> None:
        self.ctx = ctx
        self.parents: dict[int, cst.CSTNode] = {}
        self.nodes: list[cst.CSTNode] = []
        self._bindings: dict[int, set[str]] = {}
        self._by_class: dict[type, list[Any]] = {}
        self._index(ctx.module)
        #: Names and attributes, in source order.
        self.named = [
            cast(cst.Name | cst.Attribute, n) for n in self.nodes if n.__class__ in _NAMED
        ]
        self.functions = {n.name.value: n for n in self.of(cst.FunctionDef)}

    def of(self, kind: type[Kind]) -> list[Kind]:
        """The file's nodes of one class, in source order."""
        found = self._by_class.get(kind)
        if found is None:
            found = self._by_class[kind] = only(self.nodes, kind)
        return found

    def _index(self, root: cst.CSTNode) -> None:
        stack = [root]
        while stack:
            node = stack.pop()
            self.nodes.append(node)
            for child in reversed(code_children(node)):
                self.parents[id(child)] = node
                stack.append(child)

    def enclosing(self, node: cst.CSTNode, kind: type | tuple[type, ...]) -> cst.CSTNode | None:
        """The nearest ancestor of a kind; None outside."""
        current = self.parents.get(id(node))
        while current is not None and not isinstance(current, kind):
            current = self.parents.get(id(current))
        return current

    def entered_around(self, node: cst.CSTNode) -> Iterator[cst.WithItem]:
        """What the `with`s around a node enter, those of the innermost first."""
        block = self.enclosing(node, cst.With)
        while isinstance(block, cst.With):
            yield from block.items
            block = self.enclosing(block, cst.With)

    def function_of(self, node: cst.CSTNode) -> cst.CSTNode:
        """The function that holds a node, the module at top level."""
        return self.enclosing(node, cst.FunctionDef) or self.ctx.module

    def inside(self, node: cst.CSTNode, outer: cst.CSTNode) -> bool:
        current: cst.CSTNode | None = node
        while current is not None and current is not outer:
            current = self.parents.get(id(current))
        return current is outer

    # -- names in their scopes

    def scoped(self, node: cst.CSTNode, key: str | None) -> str | None:
        """`key` as seen from `node`: a local name is told apart from the same name elsewhere."""
        if key is None or "." in key:
            return key
        function = self.function_of(node)
        while isinstance(function, cst.FunctionDef) and key not in self._bound(function):
            function = self.function_of(function)
        return f"{id(function)}:{key}"

    def _bound(self, function: cst.FunctionDef) -> set[str]:
        found = self._bindings.get(id(function))
        if found is None:
            found = flow.writes(function.body) | flow.parameters(function)
            found -= {
                item.name.value for node in flow.walk(function.body)
                if isinstance(node, cst.Global) for item in node.names
            }
            self._bindings[id(function)] = found
        return found

    def key(self, node: cst.CSTNode, expression: cst.BaseExpression) -> str | None:
        """The scoped key of an expression that stands at `node`."""
        return self.scoped(node, flow.key_of(expression))


def text_of(key: str) -> str:
    """The source text of a scoped key."""
    return key.rpartition(":")[2]
