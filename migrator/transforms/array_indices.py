"""`rows[[slice(0, n), 1]]`: NumPy 1.23 takes a list for the numbers of rows; a tuple is what was meant."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from migrator.analysis.tree_walk import walk
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "PY241"
_Scope = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@transform
class ArrayIndices:
    """PY241: lists that hold slices become tuples where something is indexed by them.

    Only arrays (and tensors) can be indexed by a list, and one with a slice in it always was an index of
    several axes.
    """

    name = "array_indices"
    triggers: frozenset[str] = frozenset()
    words = frozenset({"slice("})
    order = 87

    def run(self, ctx: FileContext) -> str | None:
        lines, edits = Lines(ctx.text), list[Edit]()
        for scope, nodes in _scopes(ctx.tree):
            named = _named(scope, nodes)
            for node in nodes:
                if not isinstance(node, ast.Subscript) or ctx.suppressed(CODE, node):
                    continue
                index = node.slice
                if _holds_slices(index) or isinstance(index, ast.Name) and index.id in named:
                    span = lines.span(index)
                    edits.append(Edit(*span, ("tuple(", span, ")")))
                    ctx.change(CODE, node, "NumPy 1.23 takes a list with slices for the numbers of rows, "
                                           "before it was taken as a tuple is")
        return apply(ctx.text, edits)[0] if edits else None


def _scopes(tree: ast.Module) -> Iterator[tuple[_Scope, list[ast.AST]]]:
    """The functions of a module and the module, each with its own nodes."""
    todo: list[_Scope] = [tree]
    while todo:
        scope, own = todo.pop(), list[ast.AST]()
        inner = list(ast.iter_child_nodes(scope))
        while inner:
            node = inner.pop()
            if isinstance(node, _Scope):
                todo.append(node)
            else:
                own.append(node)
                inner.extend(ast.iter_child_nodes(node))
        yield scope, own


def _named(scope: _Scope, nodes: list[ast.AST]) -> set[str]:
    """Names that hold such lists (or what was made a tuple of them), and nothing else."""
    values: dict[str, list[ast.expr]] = {}
    for node in nodes:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            values.setdefault(node.targets[0].id, []).append(node.value)
    bound = Counter(
        node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    taken = {a.arg for a in walk(scope.args) if isinstance(a, ast.arg)} if not isinstance(
        scope, ast.Module) else set[str]()
    return {
        name for name, found in values.items()
        if name not in taken and len(found) == bound[name]
        and any(_holds_slices(value) for value in found)
        and all(_holds_slices(value) or _is_tuple(value) for value in found)
    }


def _is_tuple(node: ast.expr) -> bool:
    return isinstance(node, ast.Tuple) or isinstance(node, ast.Call) and (
        isinstance(node.func, ast.Name) and node.func.id == "tuple")


def _holds_slices(node: ast.expr) -> bool:
    """Whether an expression is a list with a slice in it."""
    if isinstance(node, ast.List):
        return any(map(_is_slice, node.elts))
    if isinstance(node, ast.ListComp):
        return _is_slice(node.elt)
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mult)):
        return _holds_slices(node.left) or _holds_slices(node.right)
    return False


def _is_slice(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "slice"
