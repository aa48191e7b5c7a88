"""`ast.walk` and `ast.iter_child_nodes` without their generators: walks are most of an analysis.

Contexts and operators (`ast.Load`, `ast.Add`, ...), which say nothing that their parent does not
say, are left out; the order is that of `ast`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

_TEXT = frozenset(
    [
        *("ctx", "op", "ops", "type_comment", "type_ignores", "kind", "simple", "conversion"),
        *("id", "attr", "arg", "asname", "module", "level", "is_async", "kwd_attrs", "rest"),
        "name",
    ]
)
_LEAVES = (ast.Constant, ast.Global, ast.Nonlocal, ast.alias, ast.MatchSingleton)
_FIELDS: dict[type, tuple[str, ...]] = {}


def _fields(cls: type) -> tuple[str, ...]:
    """The fields of a class that hold nodes."""
    names: tuple[str, ...] = ()
    if not issubclass(cls, _LEAVES):
        fields: tuple[str, ...] = cls._fields  # type: ignore[attr-defined]
        names = tuple(name for name in fields if name not in _TEXT)
    _FIELDS[cls] = names
    return names


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes directly below `node`."""
    found: list[ast.AST] = []
    cls = node.__class__
    fields = _FIELDS.get(cls)
    for name in _fields(cls) if fields is None else fields:
        value = getattr(node, name, None)
        if value.__class__ is list:
            found += value
        elif value is not None:
            found.append(value)
    if cls is ast.Dict or cls is ast.arguments:  # None stands for a missing key or default
        return [item for item in found if item is not None]
    return found


_last: list[tuple[ast.AST, tuple[ast.AST, ...]]] = []  # the module that was walked last


def walk(node: ast.AST) -> Sequence[ast.AST]:
    """`node` and all nodes below it, level by level.

    The nodes of a module are kept until another one is walked, as every transform that looks at
    a file asks for them anew; a tree must not be changed in between.
    """
    if node.__class__ is not ast.Module:
        return _walked(node)
    if not _last or _last[0][0] is not node:
        _last[:] = [(node, tuple(_walked(node)))]
    return _last[0][1]


def _walked(node: ast.AST) -> list[ast.AST]:
    found = [node]
    known = _FIELDS
    for current in found:  # grows on the way
        cls = current.__class__
        fields = known.get(cls)
        if fields is None:
            fields = _fields(cls)
        if not fields:
            continue
        if cls is ast.Dict or cls is ast.arguments:
            found += children(current)
            continue
        for name in fields:
            value = getattr(current, name, None)
            if value.__class__ is list:
                found += value
            elif value is not None:
                found.append(value)
    return found


#: What runs a part of itself again and again.
LOOPS = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def statements(tree: ast.Module) -> list[ast.stmt]:
    """All statements of a module, level by level, without a look into expressions."""
    found: list[ast.AST] = list(tree.body)
    for current in found:  # grows on the way
        for name in _BLOCKS:
            block = getattr(current, name, None)
            if block.__class__ is list:
                found += block
    return [node for node in found if isinstance(node, ast.stmt)]


def blocks_of(stmt: ast.AST) -> Iterator[list[ast.stmt]]:
    """The blocks of a statement, in the order of the source; those of a `match` are left out."""
    for name in ("body", "handlers", "orelse", "finalbody"):
        block = getattr(stmt, name, None)
        if block.__class__ is not list:
            continue
        if name == "handlers":
            for handler in block:
                yield handler.body
        else:
            yield block


def blocks_in(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """The blocks of a node and of all that is in it, each once."""
    for inner in walk(node):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(inner, name, None)
            if block.__class__ is list:
                yield block


def has_functions(tree: ast.Module) -> bool:
    """Whether a module defines functions of its own, outside of classes."""
    return any(node.__class__ is ast.FunctionDef for node in tree.body)


_KEPT = 256
_calls: dict[int, tuple[ast.AST, list[ast.Call]]] = {}


def calls_in(node: ast.AST) -> list[ast.Call]:
    """The calls among ``walk(node)``; the same nodes are asked for again and again, so that their
    answers are kept for a while (in which the tree must not be changed)."""
    found = _calls.get(id(node))
    if found is None:
        if len(_calls) >= _KEPT:
            _calls.clear()
        # the node is kept with its answer, so that its id stays its own
        found = _calls[id(node)] = node, [n for n in walk(node) if n.__class__ is ast.Call]  # type: ignore[misc]
    return found[1]


def nodes_below(node: ast.AST, closed: tuple[type, ...]) -> Iterator[ast.AST]:
    """The nodes below `node`, from left to right; of those of the kinds `closed` not what is in them."""
    for child in children(node):
        yield child
        if not isinstance(child, closed):
            yield from nodes_below(child, closed)


def last_name(node: ast.AST) -> str:
    """The name at the end of a dotted name, empty for other expressions."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def elements(node: ast.expr) -> list[ast.expr]:
    """What is inside of a nest of lists, tuples and values of dicts: the expression itself, if it is none."""
    if isinstance(node, (ast.List, ast.Tuple)):
        return [inner for part in node.elts for inner in elements(part)]
    if isinstance(node, ast.Dict):
        return [inner for part in node.values for inner in elements(part)]
    return [node]


def first_line(node: ast.AST) -> int:
    """The line (1-based) that a statement begins on, decorators included."""
    decorators = getattr(node, "decorator_list", ())
    return min(item.lineno for item in (node, *decorators))  # type: ignore[attr-defined]


def self_attribute(node: ast.AST) -> str | None:
    """``x`` for ``self.x``, None for other expressions."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return node.attr if node.value.id == "self" else None
    return None


def forget() -> None:
    """Drop what is kept of the trees of a file that is done with."""
    _last.clear()
    _calls.clear()


__all__ = ["LOOPS", "blocks_in", "blocks_of", "calls_in", "children", "forget", "has_functions", "last_name",
           "self_attribute", "statements", "walk"]
