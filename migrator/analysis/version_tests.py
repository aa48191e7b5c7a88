"""What a test about versions says: ``LooseVersion(tf.__version__) < "1.4"``, ``sys.version_info[0] == 2``.

A small reader of expressions: nothing of the program is executed.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from packaging.version import InvalidVersion, Version

from migrator.analysis.names import NameTable

#: The function that an expression names, and the names of its module.
Finder = Callable[[ast.expr], tuple[ast.FunctionDef, NameTable] | None]


class Undecided(Exception):
    """The test asks for something else."""


@dataclass(frozen=True)
class World:
    """What a program asks about: the version of TensorFlow, and which of its names there are.

    `has` is None where that is not known. `function` finds the project's function that an expression
    names, with the names of its module.
    """

    tensorflow: str
    has: Callable[[str], bool | None]
    function: Finder = lambda node: None
    python: tuple[int, int, int] = (3, 11, 0)


_COMPARED = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip
_VERSIONS = frozenset({
    "distutils.version.LooseVersion", "distutils.version.StrictVersion", "packaging.version.parse",
    "packaging.version.Version", "pkg_resources.parse_version", "builtins.LooseVersion",
})  # fmt: skip
_TEXTS = frozenset({"split", "startswith", "endswith", "strip", "replace", "partition", "rpartition"})


def decide(test: ast.expr, names: NameTable, world: World) -> bool:
    """What a test says in a world. Raises Undecided."""
    return bool(decided(test, names, world))


def decided(node: ast.expr, names: NameTable, world: World) -> Any:
    """The value of an expression in a world. Raises Undecided."""
    return _Reader(names, world).value(node)


def asks_for_version(
    test: ast.expr, names: NameTable, function: Finder = lambda node: None, depth: int = 3,
) -> bool:
    """Whether anything in a test is about versions, so that it may be worth reading."""
    for node in ast.walk(test):
        if isinstance(node, ast.Call) and depth and (found := function(node.func)) is not None:
            answer = returned(found[0])
            if answer is not None and asks_for_version(answer, found[1], depth=depth - 1):
                return True
        if isinstance(node, (ast.Name, ast.Attribute)):
            name = names.resolve_node(node)
            if name in _ASKED or name is not None and name.startswith("sys.version_info"):
                return True
            value = _assigned(node, names) if isinstance(node, ast.Name) and depth else None
            if value is not None and asks_for_version(value, names, function, depth - 1):
                return True
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
            if node.func.id in ("hasattr", "dir") and _tensorflow(node.args[0], names):
                return True
    return False


_VERSION = frozenset((
    "tensorflow.__version__", "tensorflow.VERSION", "tensorflow.version.VERSION",
    "tensorflow.python.framework.versions.VERSION", "tensorflow.python.framework.versions.__version__",
))  # fmt: skip
_ASKED = _VERSION | {"six.PY2", "six.PY3", "sys.version_info"}


def _assigned(node: ast.Name, names: NameTable) -> ast.expr | None:
    """What a name is given, if that is one thing."""
    found = names.find(node.id, names.scope_of(node))
    statement = found[1][0].node if found is not None and len(found[1]) == 1 else None
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        return statement.value
    return None


def returned(function: ast.FunctionDef) -> ast.expr | None:
    """What a function of one statement returns."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return body[0].value if len(body) == 1 and isinstance(body[0], ast.Return) else None


def _tensorflow(node: ast.expr, names: NameTable) -> str | None:
    found = names.resolve_node(node)
    return found if found is not None and found.split(".")[0] == "tensorflow" else None


class _Reader:
    def __init__(self, names: NameTable, world: World, given: dict[str, Any] | None = None) -> None:
        self.names = names
        self.world = world
        self.given = given or {}  # values of a function's parameters
        self.depth = 0

    def value(self, node: ast.expr) -> Any:
        self.depth += 1
        if self.depth > 200:
            raise Undecided
        try:
            return self._value(node)
        except (TypeError, ValueError, IndexError, AttributeError, InvalidVersion) as error:
            raise Undecided from error

    def _value(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, (ast.Tuple, ast.List)):
            return [self.value(e) for e in node.elts]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return not self.value(node.operand)
        if isinstance(node, ast.BoolOp):
            return self._several(node)
        if isinstance(node, ast.Compare):
            return self._compare(node)
        if isinstance(node, ast.Subscript):
            return self._part(node)
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
            return self._each(node)
        if isinstance(node, ast.Call):
            return self._call(node)
        return self._name(node)

    def _several(self, node: ast.BoolOp) -> bool:
        """``and``, ``or``: one side may be enough."""
        wanted = isinstance(node.op, ast.Or)
        undecided = False
        for value in node.values:
            try:
                if bool(self.value(value)) is wanted:
                    return wanted
            except Undecided:
                undecided = True
        if undecided:
            raise Undecided
        return not wanted

    def _compare(self, node: ast.Compare) -> bool:
        left = node.left
        for op, right in zip(node.ops, node.comparators, strict=True):
            if isinstance(op, (ast.In, ast.NotIn)):
                found = self._member(left, right)
                good = found if isinstance(op, ast.In) else not found
            else:
                one, other = self.value(left), self.value(right)
                if isinstance(one, Version) and isinstance(other, str):
                    other = Version(other)
                if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
                    one, other = list(one), list(other)
                if type(op) not in _COMPARED:
                    raise Undecided
                good = bool(_COMPARED[type(op)](one, other))
            if not good:
                return False
            left = right
        return True

    def _member(self, one: ast.expr, other: ast.expr) -> bool:
        """``"name" in dir(tf)``, ``"1.4" in tf.__version__``."""
        if isinstance(other, ast.Call) and isinstance(other.func, ast.Name) and other.func.id == "dir":
            return self._has(other.args[0], self.value(one))
        return bool(self.value(one) in self.value(other))

    def _part(self, node: ast.Subscript) -> Any:
        whole = self.value(node.value)
        if isinstance(node.slice, ast.Slice):
            parts = (node.slice.lower, node.slice.upper, node.slice.step)
            return whole[slice(*(None if part is None else self.value(part) for part in parts))]
        return whole[self.value(node.slice)]

    def _each(self, node: ast.ListComp | ast.GeneratorExp) -> list[Any]:
        """``[int(x) for x in tf.__version__.split(".")]``."""
        (loop,) = node.generators
        element = node.elt
        if loop.ifs or not isinstance(loop.target, ast.Name) or not isinstance(element, ast.Call):
            raise Undecided
        if ast.unparse(element) not in (f"int({loop.target.id})", f"float({loop.target.id})"):
            raise Undecided
        return [int(part) for part in self.value(loop.iter)]

    def _of_project(self, call: ast.Call, function: ast.FunctionDef, names: NameTable) -> Any:
        """What one of the project's functions returns, if that is all that it does."""
        answer, arguments = returned(function), function.args
        taken = [a.arg for a in arguments.args]
        if answer is None or len(taken) != len(call.args) or arguments.vararg or arguments.kwarg or (
                arguments.kwonlyargs or arguments.posonlyargs):
            raise Undecided
        given = dict(zip(taken, map(self.value, call.args), strict=True))
        alone = World(self.world.tensorflow, self.world.has, python=self.world.python)
        return _Reader(names, alone, given).value(answer)

    def _call(self, node: ast.Call) -> Any:
        if node.keywords:
            raise Undecided
        if (found := self.world.function(node.func)) is not None:
            return self._of_project(node, *found)
        if isinstance(node.func, ast.Name) and node.func.id == "hasattr" and len(node.args) == 2:
            return self._has(node.args[0], self.value(node.args[1]))
        if isinstance(node.func, ast.Name) and node.func.id == "map" and len(node.args) == 2:
            if ast.unparse(node.args[0]) != "int":
                raise Undecided
            return [int(part) for part in self.value(node.args[1])]
        name = self.names.resolve_node(node.func, values=False)
        if name in _VERSIONS and len(node.args) == 1:
            return Version(self.value(node.args[0]))
        if name in ("builtins.int", "builtins.float", "builtins.str", "builtins.tuple", "builtins.list"):
            kind = {"int": int, "float": float, "str": str}.get(name.partition(".")[2], list)
            return kind(self.value(node.args[0]))
        if isinstance(node.func, ast.Attribute):
            owner = node.func.value
            if node.func.attr == "join" and isinstance(owner, ast.Constant):
                return str(owner.value).join(self.value(node.args[0]))
            if node.func.attr in _TEXTS:
                text = self.value(owner)
                given = [self.value(argument) for argument in node.args]
                if isinstance(text, str):
                    given = [tuple(g) if isinstance(g, list) else g for g in given]
                    return getattr(text, node.func.attr)(*given)
        raise Undecided

    def _has(self, owner: ast.expr, member: Any) -> bool:
        module = _tensorflow(owner, self.names)
        found = self.world.has(f"{module}.{member}") if module and isinstance(member, str) else None
        if found is None:
            raise Undecided
        return found

    def _name(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Name) and node.id in self.given:
            return self.given[node.id]
        name = self.names.resolve_node(node)
        if name in _VERSION:
            return self.world.tensorflow
        if name == "sys.version_info":
            return list(self.world.python)
        if name in ("sys.version_info.major", "sys.version_info.minor"):
            return self.world.python[name.endswith("minor")]
        if name in ("six.PY2", "six.PY3"):
            return name == "six.PY3"
        value = _assigned(node, self.names) if isinstance(node, ast.Name) else None
        if value is None:
            raise Undecided
        return self.value(value)
