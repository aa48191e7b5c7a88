"""Names that are a dimension only for a while: what each use of them is, where statements follow each other.

`height = height.value` is the integer from there on, and `b, h = x.get_shape()` in a loop may give names
that have another meaning further down. A use counts if the last binding before it, in its own block or in
those around it, is the only one that can reach it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from migrator.analysis.static_shapes import DIMENSION, SHAPE, kind
from migrator.analysis.tree_walk import children, walk

_SCOPES = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.ListComp, ast.SetComp,
    ast.GeneratorExp, ast.DictComp,
)  # fmt: skip
Known = dict[str, str]  # name -> what it is here


def dimensions_for_a_while(tree: ast.Module) -> set[int]:
    """The ids of the `ast.Name`s that are a dimension where they are read."""
    found: set[int] = set()
    for node in walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Module)):
            _block(node.body, {}, found)
    return found


def _block(statements: Sequence[ast.stmt], known: Known, found: set[int]) -> None:
    """Follows the statements; `known` is then what holds behind them."""
    for statement in statements:
        if isinstance(statement, (ast.If, ast.With, ast.AsyncWith)):
            heads = [statement.test] if isinstance(statement, ast.If) else statement.items
            _read(heads, known, found)
            _forget(_bound(heads), known)
            _block(statement.body, dict(known), found)
            _block(getattr(statement, "orelse", ()), dict(known), found)
            _forget(_bound([statement]), known)
        elif isinstance(statement, (ast.For, ast.AsyncFor, ast.While)):
            if not isinstance(statement, ast.While):
                _read([statement.iter], known, found)
            _forget(_bound([statement]), known)  # what is bound the last time around is there again
            if isinstance(statement, ast.While):
                _read([statement.test], known, found)
            _block(statement.body, dict(known), found)
            _block(statement.orelse, dict(known), found)
        elif isinstance(statement, _SCOPES):
            known.pop(statement.name, None)  # type: ignore[union-attr]
        elif isinstance(statement, (ast.Try, ast.TryStar, ast.Match)):
            _forget(_bound([statement]), known)
        else:
            _read([statement], known, found)
            value = getattr(statement, "value", None)
            kinds = _kinds(known)
            _forget(_bound([statement]), known)
            if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
                _bind(statement.targets[0], kind(statement.value, kinds), known)
            elif isinstance(statement, ast.AnnAssign) and value is not None:
                _bind(statement.target, kind(value, kinds), known)


def _kinds(known: Known) -> dict[str, tuple[str | None, int]]:
    return {name: (found, 0) for name, found in known.items()}


def _bind(target: ast.expr, value: str | None, known: Known) -> None:
    if isinstance(target, ast.Name) and value is not None:
        known[target.id] = value
    elif isinstance(target, (ast.Tuple, ast.List)) and value == SHAPE:
        for element in target.elts:
            _bind(element, DIMENSION, known)


def _read(nodes: Iterable[ast.AST], known: Known, found: set[int]) -> None:
    """Notes the uses of dimensions in expressions, which are read before the statement binds anything."""
    todo = list(nodes)
    while todo:
        node = todo.pop()
        if isinstance(node, _SCOPES) or isinstance(node, ast.NamedExpr):
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and known.get(node.id) == DIMENSION:
            found.add(id(node))
        todo += children(node)


def _bound(nodes: Iterable[ast.AST]) -> set[str]:
    """All names that something in there binds or declares."""
    names: set[str] = set()
    for top in nodes:
        for node in ast.walk(top):
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                names.add(node.id)
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler)):
                names.add(node.name or "")
            elif isinstance(node, (ast.Global, ast.Nonlocal)):
                names.update(node.names)
            elif isinstance(node, ast.alias):
                names.add((node.asname or node.name).partition(".")[0])
    return names


def _forget(names: Iterable[str], known: Known) -> None:
    for name in names:
        known.pop(name, None)
