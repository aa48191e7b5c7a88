"""One name for two hoisted things becomes two names: a function sees only the last one bound.

TF1 code reuses ``w`` for the weights of every layer. In a graph each op keeps the tensor it was
made with; a function that is traced later would read the last.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.analysis.source import Edit, SourceText
from migrator.analysis.tree_walk import children, walk

_INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def split_names(text: str, wanted: set[str]) -> str | None:
    """`text` in which each value of the `wanted` names has a name, where that is clear."""
    tree = ast.parse(text)
    source = SourceText(text, tree)
    used = {n.id for n in walk(tree) if isinstance(n, ast.Name)}
    used |= {n.arg for n in walk(tree) if isinstance(n, ast.arg)}
    edits: list[Edit] = []
    scopes: list[ast.Module | ast.FunctionDef] = [
        tree, *(n for n in walk(tree) if isinstance(n, ast.FunctionDef))
    ]
    for scope in scopes:
        for name in sorted(wanted):
            edits += _split(scope, name, source, used) or []
    if not edits:
        return None
    return source.splice(0, len(text), edits)


def _split(
    scope: ast.Module | ast.FunctionDef, name: str, source: SourceText, used: set[str]
) -> list[Edit] | None:
    """Edits that rename all but the last value of `name` in one scope; None if there is one."""
    if isinstance(scope, ast.FunctionDef) and any(
        isinstance(a, ast.arg) and a.arg == name for a in walk(scope.args)
    ):
        return None
    straight = list(_straight(scope.body, ""))
    bindings = [(stmt, label) for stmt, label in straight if _binds(stmt, name)]
    stores = sum(
        isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load)
        for stmt in scope.body for n in unnested(stmt)
    )
    inner = any(
        isinstance(n, ast.Name) and n.id == name
        for stmt in scope.body for node in walk(stmt) if isinstance(node, _INNER)
        for n in walk(node)
    )
    if len(bindings) < 2 or stores != len(bindings) or inner:
        return None
    names = []
    for _, label in bindings[:-1]:
        new = f"{label}_{name}" if label and not name.startswith(label) else f"{name}_1"
        number = 1
        while new in used:
            number += 1
            new = f"{name}_{number}"
        used.add(new)
        names.append(new)
    names.append(name)
    edits: list[Edit] = []
    current = -1
    for stmt, _ in straight:
        binds = any(stmt is bound for bound, _ in bindings)
        for node in unnested(stmt):
            if isinstance(node, ast.With):
                continue
            if isinstance(node, ast.Name) and node.id == name:
                position = current + (not isinstance(node.ctx, ast.Load))
                if position < 0:
                    return None
                if names[position] != name:
                    edits.append((*source.span(node), names[position]))
        current += binds
    return edits


def _straight(statements: list[ast.stmt], label: str) -> Iterator[tuple[ast.stmt, str]]:
    """Statements that run once, in order, each with the variable scope around it."""
    for stmt in statements:
        if isinstance(stmt, ast.With):
            own = label
            for item in stmt.items:
                call = item.context_expr
                if isinstance(call, ast.Call) and call.args and ast.unparse(call.func).endswith(
                    ("variable_scope", "name_scope")
                ):
                    first = call.args[0]
                    if isinstance(first, ast.Constant) and isinstance(first.value, str):
                        word = first.value.strip("/").rpartition("/")[2].lower()
                        own = word if word.isidentifier() else own
            yield from ((ast.Expr(item.context_expr), label) for item in stmt.items)
            yield from _straight(stmt.body, own)
        elif isinstance(stmt, ast.If) and not stmt.orelse and is_main(stmt):
            yield ast.Expr(stmt.test), label
            yield from _straight(stmt.body, label)
        else:
            yield stmt, label


def is_main(stmt: ast.If) -> bool:
    """``if __name__ == "__main__":``"""
    names = (n.id for n in walk(stmt.test) if isinstance(n, ast.Name))
    values = (n.value for n in walk(stmt.test) if isinstance(n, ast.Constant))
    return "__name__" in names and "__main__" in values


def _binds(stmt: ast.stmt, name: str) -> bool:
    if not isinstance(stmt, ast.Assign):
        return False
    return any(
        isinstance(n, ast.Name) and n.id == name
        for target in stmt.targets for n in walk(target)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    )


def unnested(node: ast.AST) -> Iterator[ast.AST]:
    """Nodes of a statement, not of the functions and classes in it."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        if not isinstance(current, _INNER):
            stack.extend(children(current))
