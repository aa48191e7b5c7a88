"""Lists, dicts and objects that a program fills: what they hold, and which belong to steps."""

from __future__ import annotations

import ast

from migrator.analysis import graph_kinds as k
from migrator.analysis.dataflow import Flow
from migrator.analysis.graph_values import Expressions
from migrator.analysis.program_items import KEEP, LAZY, TRACE, Item
from migrator.analysis.tree_walk import walk
from migrator.analysis.values import Value


def is_empty(node: ast.expr) -> bool:
    """Whether an expression makes an empty list or dict."""
    if isinstance(node, ast.Call):
        return not node.args and not node.keywords and ast.unparse(node.func) in (
            "list", "dict", "OrderedDict", "collections.OrderedDict")
    return (isinstance(node, ast.List) and not node.elts) or (
        isinstance(node, ast.Dict) and not node.keys)


class Containers:
    """Follows what statements put into containers."""

    env: dict[str, Value]
    items: list[Item]
    expressions: Expressions

    def _name(self, node: ast.expr) -> str | None:
        raise NotImplementedError

    def _lookup(self, name: str) -> Value | None:
        raise NotImplementedError

    def _containers(self) -> None:
        """Empty lists and dicts, and objects of the module's classes, that only a step fills are
        made anew in each step."""
        filled = set().union(*(i.flow.mutates for i in self.items if i.role == TRACE))
        for item in self.items if filled else ():
            stmt = item.stmt
            if item.role != KEEP or item.target not in filled or not (
                isinstance(stmt, ast.Assign)
                and (is_empty(stmt.value) or self._makes_object(stmt.value))
            ):
                continue
            if not any(other.role in (KEEP, LAZY) and other is not item
                       and item.target in other.flow.uses | other.flow.defines | other.flow.mutates
                       for other in self.items):
                item.role, item.kind = TRACE, k.TENSOR

    def _makes_object(self, node: ast.expr) -> bool:
        """Whether an expression makes an object of a class of this module, and would make the same
        one again: its arguments are at hand, and the class draws no numbers."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            return False
        made = next((n for n in self.expressions.names.tree.body
                     if isinstance(n, ast.ClassDef) and n.name == node.func.id), None)
        given = [*node.args, *(a.value for a in node.keywords)]
        return made is not None and not any(
            isinstance(n, ast.Call) for a in given for n in walk(a)
        ) and not any(
            word in name.lower() for n in walk(made) for word in ("rand", "rng", "shuffle")
            for name in (getattr(n, "attr", None) or getattr(n, "id", None) or "",)
        )

    def _spread(self, stmt: ast.stmt, value: Value, flow: Flow) -> Value:
        """``layers.append(conv)`` makes `layers` hold tensors, as ``net.build(images)`` does `net`;
        the statement's value."""
        if isinstance(stmt, ast.Assign) and isinstance(stmt.targets[0], ast.Subscript):
            base = self._name(stmt.targets[0].value)
            if base and value.kind == k.VARIABLE and not value.needs_graph:
                self._keep_variable(base)
            elif base and (value.traced or value.kind == k.OP):
                old = self._lookup(base)
                if old is None or old.kind == k.PY:
                    self.env[base] = Value(k.TENSOR if value.traced else k.OP, container=True)
        if not isinstance(stmt, ast.Expr) or not isinstance(stmt.value, ast.Call):
            return value
        func = stmt.value.func
        if not isinstance(func, ast.Attribute):
            return value
        base = self._name(func.value)
        if base is None:
            return value
        old = self._lookup(base)
        call = stmt.value
        given = [*call.args, *(a.value for a in call.keywords)]
        arguments = [self.expressions.value(a) for a in given]
        if old is not None and old.kind == k.PY and any(a.traced for a in arguments):
            self.env[base] = Value(k.TENSOR, container=True)
            flow.mutates.add(base)
        elif func.attr == "append" and [a.kind for a in arguments] == [k.VARIABLE] and not (
            arguments[0].needs_graph
        ) and self._keep_variable(base):
            return Value(k.PY)
        return value

    def _keep_variable(self, base: str) -> bool:
        """Whether a list or dict that is given a variable was made empty, and holds nothing else."""
        old = self._lookup(base)
        if old is not None and old.kind == k.PY and old.empty:
            self.env[base] = Value(k.VARIABLE, container=True)
        elif old is not None and old.kind == k.PY:
            self.env[base] = Value(k.OP, container=True)
        found = self.env.get(base)
        return found is not None and found.kind == k.VARIABLE and found.container
