"""What the names of a program hold, and small questions about calls."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from migrator.analysis import graph_kinds as k
from migrator.analysis.tree_walk import calls_in, last_name

#: Flags of a function that say which form its value has, see `facts_functions`.
FORMS = frozenset({"single", "tuple", "dict", "container"})
# What makes a variable -> the position at which it is told whether that is trained.
_TRAINED = {"tensorflow.Variable": 1, "tensorflow.get_variable": 5}
# What flags are by what defines them.
_DEFINED = {"DEFINE_integer": int, "DEFINE_float": float, "DEFINE_bool": bool, "DEFINE_boolean": bool}


@dataclass(eq=False)
class Value:
    """What a name holds: its kind, the call that made it, and the parts of a literal container.

    `function` is the project function it came out of, `needs_graph` whether making it needed
    values that only exist inside a step.
    """

    kind: str
    call: ast.Call | None = None
    parts: list[Value] | None = None
    literal: ast.expr | None = None
    needs_graph: bool = False
    function: str = ""
    source: str = ""  # the name it was first bound to
    base: Value | None = None  # the object it is a part or a method result of
    single: bool = False  # known to be one tensor, not a container of them
    container: bool = False  # known to be a list or dict that tensors were put into
    empty: bool = False  # a list or dict without anything in it

    @property
    def traced(self) -> bool:
        return self.kind in k.TRACED or self.needs_graph


@dataclass(frozen=True)
class FunctionFact:
    """What the index knows of one function (see `facts_functions`)."""

    kind: str = k.PY
    parts: tuple[str, ...] = ()
    flags: frozenset[str] = frozenset()
    node: ast.FunctionDef | None = field(default=None, compare=False)


PYTHON_VALUE = Value(k.PY)


def join(values: list[Value]) -> str:
    """The kind of an expression made of several."""
    kinds = {value.kind for value in values}
    if any(value.traced for value in values):
        return k.TENSOR
    if kinds & {k.OP, k.VARIABLE, k.SCHEDULE, k.EMA}:
        return k.OP
    return k.PY


def collection_key(node: ast.Call) -> str | None:
    """The collection that a `get_collection` call names: the constant, or GraphKeys' member."""
    argument: Any = node.args[0] if node.args else None
    for keyword in node.keywords:
        if keyword.arg == "key" or (keyword.arg == "name" and argument is None):
            argument = keyword.value
    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
        return argument.value
    if isinstance(argument, ast.Attribute):
        return argument.attr
    return None


def argument(
    node: ast.Call, position: int, name: str, default: ast.expr | None = None
) -> ast.expr | None:
    """The argument `name` of a call, by keyword or position."""
    for keyword in node.keywords:
        if keyword.arg == name:
            return keyword.value
    if position >= 0 and len(node.args) > position:
        hidden = any(a.__class__ is ast.Starred for a in node.args[: position + 1])
        return None if hidden else node.args[position]
    return default


def is_trained(call: ast.Call, symbol: str) -> bool:
    """Whether the variable that a call of `symbol` makes may be trained: it does not say otherwise."""
    place = _TRAINED.get(symbol)
    given = None if place is None else argument(call, place, "trainable")
    return not (isinstance(given, ast.Constant) and given.value is False)


def defined_flags(tree: ast.AST) -> dict[str, type]:
    """The types of the flags that a module defines, by name."""
    found: dict[str, type] = {}
    for call in calls_in(tree):
        kind = _DEFINED.get(last_name(call.func))
        if kind is not None and call.args and isinstance(call.args[0], ast.Constant):
            found.setdefault(str(call.args[0].value), kind)
    return found


def keywords(node: ast.Call) -> Mapping[str, ast.expr]:
    """The keyword arguments of a call by name."""
    return {a.arg: a.value for a in node.keywords if a.arg is not None}
