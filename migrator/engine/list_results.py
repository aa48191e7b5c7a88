"""Lists of Python 2 that are iterators or views in Python 3: PY104 writes `list(map(...))` for them.

``len(map(f, rows))``, ``names = d.keys()`` and ``names.sort()``: what follows raises in Python 3 (or, with
NumPy, makes an array of one iterator), so that ``list()`` cannot be wrong there. So it is with the items of
a list that becomes an array (``rows.append(map(float, line.split()))``), or of whose items places are asked.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TypeGuard

from migrator.analysis.names import NameTable
from migrator.analysis.tree_walk import walk
from migrator.engine.edits import Edit, Lines
from migrator.engine.name_places import Places, assigned
from migrator.model import Change, Confidence

CODE = "PY104"
ITERATOR, VIEW, RANGE = "iterator", "view", "range"
_EVERY = frozenset({ITERATOR, VIEW, RANGE})

_MADE = {"builtins.map": ITERATOR, "builtins.filter": ITERATOR, "builtins.zip": ITERATOR,
         "builtins.range": RANGE}
_VIEWS = frozenset({"keys", "values", "items"})
_THROUGH = frozenset({"list", "sorted", "tuple", "set", "dict", "enumerate", "zip", "map", "sum", "max"})
# What is done with a list -> the kinds that cannot have it done to them.
# What has `keys` may be of the project's own and give a list that is kept: no copy of that is changed.
_CHANGED = {name: frozenset({ITERATOR, RANGE}) for name in ("append", "extend", "insert", "remove", "pop")}
_ASKED = {name: frozenset({ITERATOR, VIEW}) for name in ("index", "count", "copy")}
_METHODS = {"sort": _EVERY, "reverse": _EVERY, **_CHANGED, **_ASKED}
_CALLS = {
    "builtins.len": frozenset({ITERATOR}), "random.shuffle": _EVERY, "numpy.random.shuffle": _EVERY,
    "random.choice": frozenset({ITERATOR, VIEW}), "json.dumps": _EVERY, "json.dump": _EVERY,
    **{f"numpy.{name}": frozenset({ITERATOR, VIEW}) for name in (
        "array", "asarray", "mean", "sum", "max", "min", "argmax", "argmin", "std", "median", "prod",
        "concatenate", "stack", "vstack", "hstack", "unique")},
    **{f"tensorflow.{name}": frozenset({ITERATOR, VIEW}) for name in (
        "stack", "concat", "add_n", "convert_to_tensor", "constant")},
}  # fmt: skip

_ARRAYS = ("numpy.", "tensorflow.")


def list_results(
    text: str, names: NameTable, wanted: Callable[[int], bool] = bool, original: Callable[[int], int] = int,
) -> tuple[list[Edit], list[Change]]:
    """Edits that make the lists of Python 2 where a module needs them, and what to report of them.

    `wanted` says of a line whether it may be changed, `original` which line of the file it was.
    """
    edits: list[Edit] = []
    changes: list[Change] = []
    tree = names.tree
    assert isinstance(tree, ast.Module)
    if not _kept(tree):
        return edits, changes
    places = Places(tree, names)
    needed: dict[tuple[int, str], frozenset[str]] = {}
    direct: dict[int, ast.Call] = {}
    for value, kinds in _uses(tree, places):
        if isinstance(value, ast.Call) and _kind(value, places) in kinds:
            direct[id(value)] = value
        elif isinstance(value, (ast.Name, ast.Attribute)) and (key := places.key(value)) is not None:
            needed[key] = needed.get(key, frozenset()) | kinds
    for key, value in assigned(tree, places):
        if key in needed and isinstance(value, ast.Call) and _kind(value, places) in needed[key]:
            direct[id(value)] = value
    for call in _items_needed(tree, places):
        direct[id(call)] = call
    lines = Lines(text)
    for call in direct.values():
        if wanted(call.lineno):
            span = lines.span(call)
            edits.append(Edit(*span, ("list(", span, ")")))
            changes.append(Change(
                CODE, original(call.lineno), original(call.end_lineno or call.lineno),
                "Python 3 gives no list here, and one is needed", confidence=Confidence.LIKELY,
            ))  # fmt: skip
    return edits, changes


def _kept(tree: ast.Module) -> bool:
    """Whether any of the calls is more than gone through once: most are not, and that is soon seen."""
    through: set[int] = set()
    makers = {name.rpartition(".")[2] for name in _MADE}
    for node in walk(tree):  # what is around comes first
        if isinstance(node, (ast.For, ast.comprehension)):
            through.add(id(node.iter))
        elif isinstance(node, ast.Call):
            func = node.func
            if isinstance(func, ast.Name) and func.id in _THROUGH:
                through.update(map(id, node.args))
            if id(node) not in through and (
                    isinstance(func, ast.Name) and func.id in makers
                    or isinstance(func, ast.Attribute) and func.attr in _VIEWS and not node.args):
                return True
    return False


def _kind(call: ast.Call, places: Places) -> str:
    """What a call gives in Python 3 for a list of Python 2; "" where nothing changed."""
    name = places.called(call)
    if name is not None and name in _MADE:
        return _MADE[name]
    method = isinstance(call.func, ast.Attribute) and call.func.attr in _VIEWS
    return VIEW if method and not call.args and not call.keywords else ""


def _uses(tree: ast.Module, places: Places) -> Iterator[tuple[ast.expr, frozenset[str]]]:
    """(expression, the kinds of which it must be none) for what is done with lists only."""
    called = {id(n.func) for n in walk(tree) if isinstance(n, ast.Call)}
    for node in walk(tree):
        if isinstance(node, ast.Subscript):
            index = node.slice
            place = isinstance(index, (ast.UnaryOp, ast.BinOp)) or (
                isinstance(index, ast.Constant) and not isinstance(index.value, str))
            view = {VIEW} if place else set()  # arrays, too, have slices; HParams.values() is a dict of names
            stored = set() if isinstance(node.ctx, ast.Load) else {RANGE}
            yield node.value, frozenset({ITERATOR} | view | stored)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            yield node.left, _added(node.right, places)
            yield node.right, _added(node.left, places)
        elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
            yield node.target, _added(node.value, places)
        elif isinstance(node, ast.Attribute) and id(node) in called and node.attr in _METHODS:
            yield node.value, _METHODS[node.attr]
        elif isinstance(node, ast.Call) and node.args and (kinds := _CALLS.get(places.called(node) or "")):
            yield node.args[0], kinds


def _items_needed(tree: ast.Module, places: Places) -> Iterator[ast.Call]:
    """Iterators that are items of lists of which an array is made, or whose items are asked by place."""
    held: set[tuple[int, str]] = set()
    displays: list[ast.expr] = []
    for node in walk(tree):
        if isinstance(node, ast.Call) and node.args and (places.called(node) or "").startswith(_ARRAYS):
            value = node.args[0] if places.called(node) in _CALLS else None
        elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Subscript):
            value = None if isinstance(node.value.slice, ast.Slice) else node.value.value
        else:
            continue
        if isinstance(value, (ast.Name, ast.Attribute)) and (key := places.key(value)) is not None:
            held.add(key)
        elif value is not None:
            displays.append(value)
    if held:
        displays += [value for key, value in assigned(tree, places) if key in held]
    for display in displays:
        items = display.elts if isinstance(display, ast.List) else [
            display.elt] if isinstance(display, ast.ListComp) else []
        yield from (item for item in items if _is_iterator(item, places))
    for node in walk(tree) if held else ():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "append":
            if len(node.args) == 1 and places.key(node.func.value) in held:
                yield from (item for item in node.args if _is_iterator(item, places))


def _is_iterator(node: ast.expr, places: Places) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and _kind(node, places) == ITERATOR


def _added(other: ast.expr, places: Places) -> frozenset[str]:
    """The kinds that cannot be added to `other`; what has `keys` may give an array, which can."""
    listed = isinstance(other, (ast.List, ast.ListComp)) or (
        isinstance(other, ast.Call) and _kind(other, places))
    return _EVERY if listed else frozenset({ITERATOR, RANGE})
