"""`if boxes == []:` of what may be an array, which NumPy refuses to compare with an empty list now."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrator.analysis.tree_walk import children, walk
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform
from migrator.model import Confidence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from migrator.engine.context import FileContext

CODE = "PY238"
#: What only arrays are asked for, of what is compared with lists.
_OF_ARRAYS = frozenset(("shape", "dtype", "ndim", "astype", "size"))
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@transform
class EmptyLists:
    """PY238: conditions that ask whether something is an empty list, where it can be an array.

    Until NumPy 1.24 an array was not equal to `[]` (or gave no elements, which are false, too); now most
    shapes raise. So the condition asked for an empty list, and is written as that.
    """

    name = "empty_lists"
    triggers: frozenset[str] = frozenset()
    words = frozenset({"== []"})
    order = 87

    def run(self, ctx: FileContext) -> str | None:
        lines, edits = Lines(ctx.text), list[Edit]()
        for function, compared, bare in _asked(ctx.tree, ctx.tree):
            name = compared.left
            if not isinstance(name, ast.Name) or not _is_array(function, name.id):
                continue
            if ctx.suppressed(CODE, compared):
                continue
            text = f"isinstance({name.id}, list) and not {name.id}"
            edits.append(Edit(*lines.span(compared), (text if bare else f"({text})",)))
            ctx.change(CODE, compared, "NumPy compares no array with an empty list",
                       confidence=Confidence.LIKELY)
        return apply(ctx.text, edits)[0] if edits else None


def _asked(node: ast.AST, function: ast.AST) -> Iterator[tuple[ast.AST, ast.Compare, bool]]:
    """``x == []`` in conditions below a node, with the function around it, and whether it stands bare."""
    if isinstance(node, _FUNCTIONS):
        function = node
    tests = [node.test] if isinstance(node, (ast.If, ast.While, ast.IfExp, ast.Assert)) else []
    for test in [*tests, *(node.ifs if isinstance(node, ast.comprehension) else [])]:
        for compared, bare in _parts(test, isinstance(node, (ast.If, ast.While))):
            yield function, compared, bare
    for child in children(node):
        yield from _asked(child, function)


def _parts(test: ast.expr, bare: bool) -> Iterator[tuple[ast.Compare, bool]]:
    """The comparisons that a condition is made of."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _parts(test.operand, bare=False)
    elif isinstance(test, ast.BoolOp):
        for value in test.values:
            yield from _parts(value, bare=False)
    elif isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq):
        other = test.comparators[0]
        if isinstance(other, ast.List) and not other.elts:
            yield test, bare


def _is_array(function: ast.AST, name: str) -> bool:
    """Whether the function asks a name for what an array has: its shape, its columns."""
    for node in walk(function):
        owner = node.value if isinstance(node, (ast.Attribute, ast.Subscript)) else None
        if not isinstance(owner, ast.Name) or owner.id != name:
            continue
        if isinstance(node, ast.Attribute) and node.attr in _OF_ARRAYS:
            return True
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple):
            return True
    return False
