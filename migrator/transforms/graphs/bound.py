"""Whether names and attributes surely have a value where a function of the graph would be made."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Sequence

from migrator.analysis.tree_walk import walk
from migrator.analysis.value_kinds import Function, Parents

Others = Callable[[], Iterable[ast.Module]]  # the modules of the project that the file has to do with


def surely_bound(used: Collection[str], place: ast.stmt, parents: Parents, others: Others) -> bool:
    """Whether all of ``model``, ``model.loss`` have a value in front of `place`, as far as the project
    tells: names of its scope, attributes that are only assigned under conditions, and those that one of
    the classes whose objects come here does not have."""
    return all(_attribute(text, used, place, parents, others) if "." in text
               else _name(text, place, parents) for text in used)  # fmt: skip


def _name(name: str, place: ast.stmt, parents: Parents) -> bool:
    scope = parents.function(place)
    if isinstance(scope, Function):
        given = scope.args
        everything = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
        if any(arg is not None and arg.arg == name for arg in everything):
            return True
    own = (node for node in walk(scope) if node is not scope and parents.function(node) is scope)
    if not any(_binds(node, name) for node in own):
        return True  # it is from elsewhere
    inner: ast.AST = place
    for around in parents.around(place):
        for block in _blocks(around):
            if inner in block and _surely(block[: block.index(inner)], name):
                return True
        if around is scope:
            return False
        inner = around
    return False


def _attribute(
    text: str, used: Iterable[str], place: ast.stmt, parents: Parents, others: Others
) -> bool:
    owner, _, name = text.rpartition(".")
    tree = list(parents.around(place))[-1]
    stores = [n for n in walk(tree) if isinstance(n, ast.Attribute) and n.attr == name
              and isinstance(n.ctx, ast.Store)]  # fmt: skip
    if not stores:
        beside = {other.rpartition(".")[2] for other in used if other.rpartition(".")[0] == owner}
        return all(_has(made, name, beside) for tree in others() for made in walk(tree)
                   if isinstance(made, ast.ClassDef))  # fmt: skip
    scopes = {id(s): s for s in map(parents.function, stores)}.values()
    return any(_surely(scope.body, "." + name) for scope in scopes)


def _has(made: ast.ClassDef, name: str, beside: set[str]) -> bool:
    """Whether objects of a class surely have an attribute, if they have any of those that are read beside
    it. What the class is derived from is not looked at."""
    methods = [node for node in made.body if isinstance(node, ast.FunctionDef)]
    stored = {n.attr for n in walk(made) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)}
    return not stored & beside or any(_surely(method.body, "." + name) for method in methods)


def _surely(block: Sequence[ast.AST], name: str) -> bool:
    """Whether the name is bound once the statements have run."""
    return any(_does(statement, name) for statement in block)


def _does(statement: ast.AST, name: str) -> bool:
    if isinstance(statement, ast.If):
        return _surely(statement.body, name) and _surely(statement.orelse, name)
    if isinstance(statement, ast.Try):
        tried = [statement.body, *(h.body for h in statement.handlers if not _ends(h.body))]
        return _surely(statement.finalbody, name) or all(_surely(part, name) for part in tried)
    if isinstance(statement, (ast.With, ast.AsyncWith)):
        items = [i.optional_vars for i in statement.items if i.optional_vars is not None]
        return _surely(statement.body, name) or any(_binds(n, name) for i in items for n in walk(i))
    if isinstance(statement, (ast.For, ast.AsyncFor, ast.While)):
        return False
    if isinstance(statement, (Function, ast.ClassDef)):
        return statement.name == name
    return any(_binds(node, name) for node in walk(statement))


def _binds(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Name):
        return node.id == name and isinstance(node.ctx, ast.Store)
    if isinstance(node, ast.Attribute):
        return "." + node.attr == name and isinstance(node.ctx, ast.Store)
    if isinstance(node, ast.alias):
        return (node.asname or node.name.partition(".")[0]) == name
    return isinstance(node, (Function, ast.ClassDef)) and node.name == name


def _ends(block: Sequence[ast.stmt]) -> bool:
    return bool(block) and isinstance(block[-1], (ast.Raise, ast.Return, ast.Continue, ast.Break))


def _blocks(node: ast.AST) -> list[list[ast.stmt]]:
    found = [getattr(node, name, None) for name in ("body", "orelse", "finalbody")]
    return [block for block in found if isinstance(block, list)]
