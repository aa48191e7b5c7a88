"""What the arguments of a call come to without running it: constants, defaults of flags and of command lines,
what is written in other modules. What is left of it is a guess, where a size is meant, or not known."""

from __future__ import annotations

import ast
import contextlib
import operator
import re
from collections.abc import Callable, Iterator
from typing import Any, TypeGuard

from migrator.measure.modules import Module, Modules, called, own
from migrator.workload.models import GUESS

_SIZE = re.compile(
    r"(^|_)(n|num|size|len|length|count|dim|classes|labels|vocab|width|height|depth|units)(_|$)"
)
_OPERATORS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
}  # fmt: skip
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "int": int, "float": float, "str": str, "bool": bool, "len": len, "list": list, "tuple": list,
    "max": max, "min": min,
}  # fmt: skip
_LONGEST = 10_000  # characters of a value, or items of it: what is written down is for people
_DEEPEST = 30


class Unknown(Exception):
    """What a value depends on, as it stands in the code."""


class Arguments:
    """The values of expressions in one scope of a file.

    They are what TOML holds: numbers, strings, lists, tables. `{call = "module:function", args = [...]}`
    is what a function of the repository gives, with the attributes in `set`, if there are some;
    `{namespace = {...}}` an object with attributes.
    """

    def __init__(self, modules: Modules, path: str, scope: ast.AST | None = None) -> None:
        self.modules, self.path = modules, path
        self.guessed: list[str] = []  # what a size was guessed for
        tree = modules.trees[path]
        self._scopes = [s for s in (scope, tree) if s is not None]
        self._bound = [_bindings(s) for s in self._scopes]
        self._depth = 0

    def value(self, node: ast.expr, name: str = "") -> Any:
        """What an expression is; `name` is what it is given for.

        Raises Unknown.
        """
        try:
            return self.known(node)
        except Unknown:
            if not _is_size(node, name):
                raise
            self.guessed.append(name or ast.unparse(node))
            return GUESS

    def known(self, node: ast.expr) -> Any:
        """The same without guesses. Raises Unknown."""
        guessed = len(self.guessed)
        try:
            return self._value(node)
        except (Unknown, TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as error:
            del self.guessed[guessed:]
            raise error if isinstance(error, Unknown) else Unknown(_short(node)) from error

    def assigned(self, name: str) -> ast.expr | None:
        """What a name of the scope, or of the module around it, is assigned, once."""
        for bound in self._bound:
            if name in bound:
                return bound[name][0] if len(bound[name]) == 1 else None
        return None

    def _value(self, node: ast.expr) -> Any:
        self._depth += 1
        try:
            if self._depth > _DEEPEST:
                raise Unknown(_short(node))
            made = self._made(node)
            if isinstance(made, (str, list)) and len(made) > _LONGEST:
                raise Unknown(_short(node))
            return made
        finally:
            self._depth -= 1

    def _made(self, node: ast.expr) -> Any:
        if isinstance(node, _Known):
            return node.known
        if isinstance(node, ast.Constant) and type(node.value) in (bool, int, float, str, type(None)):
            return node.value
        if isinstance(node, (ast.List, ast.Tuple)):
            return [self._value(item) for item in node.elts]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -self._value(node.operand)
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            left, right = self._value(node.left), self._value(node.right)
            if isinstance(node.op, ast.Mult) and not all(isinstance(v, (int, float)) for v in (left, right)):
                raise Unknown(_short(node))
            return _OPERATORS[type(node.op)](left, right)
        if isinstance(node, ast.Subscript):
            return self._value(node.value)[self._value(node.slice)]
        if isinstance(node, ast.Name):
            return self._name(node)
        if isinstance(node, ast.Attribute):
            return self._attribute(node)
        if isinstance(node, ast.Call) and not any(k.arg is None for k in node.keywords):
            return self._call(node)
        raise Unknown(_short(node))

    def _name(self, node: ast.Name) -> Any:
        for bound in self._bound:
            if node.id in bound:
                values = bound[node.id]
                if len(values) != 1:
                    raise Unknown(node.id)
                if _called_like(values[0], "parse_args"):
                    return self._command_line(node.id)
                if values[0] is not None:
                    return self._value(values[0])
        meant = self.modules.names(self.path).get(node.id)
        if meant and meant[1] and self.modules.definition(meant) is None:
            return self._elsewhere(meant[0], meant[1])
        return self._command_line(node.id)

    def _attribute(self, node: ast.Attribute) -> Any:
        if isinstance(node.value, ast.Name):
            name = node.value.id
            meant = self.modules.names(self.path).get(name)
            if meant and not meant[1]:
                return self._elsewhere(meant[0], node.attr)
            if (flag := self._flag(node.attr)) is not _NOTHING and name.lower().endswith("flags"):
                return flag
        owner = self._value(node.value)
        if isinstance(owner, dict) and node.attr in owner.get("namespace", {}):
            return owner["namespace"][node.attr]
        raise Unknown(_short(node))

    def _elsewhere(self, module: Module, name: str) -> Any:
        other = Arguments(self.modules, module.path)
        other._depth = self._depth
        return other._value(ast.Name(name, ast.Load()))

    def _call(self, node: ast.Call) -> Any:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name == "map" and len(node.args) == 2 and isinstance(node.args[0], ast.Name):
            return [_FUNCTIONS[node.args[0].id](v) for v in self._value(node.args[1])]
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if isinstance(node.func, ast.Attribute) and method in ("split", "strip") and not node.keywords:
            owner = self._value(node.func.value)
            if isinstance(owner, str):
                return getattr(owner, method)(*(self._value(a) for a in node.args))
        given = [self._value(a) for a in node.args]
        if name in _FUNCTIONS and not node.keywords:
            if any(isinstance(v, dict) for v in given):
                return {"call": f"builtins:{name}", "args": given}
            return _FUNCTIONS[name](*given)
        meant = called(node.func, self.modules.names(self.path))
        if meant is None or node.keywords or not isinstance(self.modules.definition(meant), ast.FunctionDef):
            raise Unknown(_short(node))
        made: dict[str, Any] = {"call": f"{meant[0].dotted}:{meant[1]}", "args": given}
        if empty := _empty_sizes(self.modules.definition(meant)):
            self.guessed += empty
            made["set"] = dict.fromkeys(empty, GUESS)
        return made

    # ---- flags and command lines -----------------------------------------------------------------
    def _flag(self, name: str) -> Any:
        """The default of a flag of any module."""
        for tree in self.modules.trees.values():
            for node in ast.walk(tree):
                if _called_like(node, "DEFINE_") and len(node.args) > 1 and _text(node.args[0]) == name:
                    return self._value(node.args[1])
        return _NOTHING

    def _command_line(self, name: str) -> Any:
        """What `parse_args` gives without arguments, where that is what a name is for in this file."""
        tree = self.modules.trees[self.path]
        parsed = {
            t.id for n in ast.walk(tree) if isinstance(n, ast.Assign) and _called_like(n.value, "parse_args")
            for t in n.targets if isinstance(t, ast.Name)
        }  # fmt: skip
        if name not in parsed:
            raise Unknown(name)
        found: dict[str, Any] = {}
        for node in ast.walk(tree):
            if _called_like(node, "add_argument"):
                with contextlib.suppress(Unknown):
                    key, value = self._argument(node)
                    found[key] = value
        for node in ast.walk(tree):  # args.size = ... behind it
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute):
                target = node.targets[0]
                if isinstance(target.value, ast.Name) and target.value.id == name:
                    with_it = Arguments(self.modules, self.path, _scope_of(tree, node))
                    with_it._depth = self._depth
                    with_it._bound.insert(0, {name: [_Known({"namespace": found})]})
                    try:
                        found[target.attr] = with_it.value(node.value, target.attr)
                    except Unknown:
                        found.pop(target.attr, None)
                    self.guessed += with_it.guessed
        return {"namespace": found}

    def _argument(self, node: ast.Call) -> tuple[str, Any]:
        names = [text for a in node.args if (text := _text(a))]
        given = {k.arg: k.value for k in node.keywords}
        if "dest" in given:
            names = [_text(given["dest"])]
        long = [n for n in names if n.startswith("--")] or names or [""]
        if long[0][:1] != "-" and "default" not in given and "dest" not in given:
            raise Unknown(f"{long[0]}, which the command line must give")
        action = _text(given["action"]) if "action" in given else ""
        value = self._value(given["default"]) if "default" in given else {
            "store_true": False, "store_false": True,
        }.get(action)  # fmt: skip
        kind = given.get("type")
        if isinstance(value, str) and isinstance(kind, ast.Name) and kind.id in ("int", "float"):
            value = _FUNCTIONS[kind.id](value)
        return long[0].lstrip("-").replace("-", "_"), value


def bound(call: Any, called: Any, method: bool) -> list[tuple[str, ast.expr]]:
    """(parameter, argument) of a call of a function (None: one without parameters). Raises Unknown."""
    parameters = [a.arg for a in called.args.args[method:]] if called else []
    if len(call.args) > len(parameters) or any(isinstance(a, ast.Starred) for a in call.args):
        raise Unknown(_short(call))
    if any(k.arg is None for k in call.keywords):
        raise Unknown(_short(call))
    return [*zip(parameters, call.args, strict=False), *((k.arg, k.value) for k in call.keywords)]


class _Known(ast.expr):
    """A value in the place of an expression."""

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.known = value


_NOTHING = object()


def _empty_sizes(function: Any) -> list[str]:
    """The sizes that are 0 in what a function returns (`return Settings(n_words=0)`): something that is read
    says them, and it is not here."""
    returned = [n.value for n in own(function) if isinstance(n, ast.Return)]
    return [
        k.arg for call in returned if isinstance(call, ast.Call) for k in call.keywords
        if k.arg and _SIZE.search(k.arg) and isinstance(k.value, ast.Constant) and k.value.value == 0
        and type(k.value.value) is int
    ]  # fmt: skip


def _bindings(scope: ast.AST) -> dict[str, list[ast.expr | None]]:
    """{name: what it is assigned}; None for a value that comes from a caller. A parameter is its default, or
    what `if it is None` gives it where that is None."""
    found: dict[str, list[ast.expr | None]] = {}
    lacking = _given_where_none(scope)
    for node in own(scope):
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign) and node not in lacking:
            targets = node.targets
        elif isinstance(node, (ast.AugAssign, ast.For)):
            for name in _names(node.target):
                found.setdefault(name, []).extend((None, None))
        for target in targets:
            if isinstance(target, ast.Name):
                found.setdefault(target.id, []).append(node.value)  # type: ignore[attr-defined]
            else:
                for name in _names(target):
                    found.setdefault(name, []).extend((None, None))
    if isinstance(scope, ast.FunctionDef):
        arguments = scope.args
        required = len(arguments.args) - len(arguments.defaults)
        defaults = (*[None] * required, *arguments.defaults, *arguments.kw_defaults)
        for parameter, default in zip((*arguments.args, *arguments.kwonlyargs), defaults, strict=True):
            name = parameter.arg
            values = [n.value for n in lacking if ast.unparse(n.targets[0]) == name]
            is_none = isinstance(default, ast.Constant) and default.value is None
            found.setdefault(name, []).extend(values if values and is_none else [default])
    return found


def _given_where_none(scope: ast.AST) -> list[ast.Assign]:
    """The assignments of parameters below `if parameter is None:`."""
    if not isinstance(scope, ast.FunctionDef):
        return []
    names = {a.arg for a in (*scope.args.args, *scope.args.kwonlyargs)}
    return [
        statement for node in own(scope) if isinstance(node, ast.If) for statement in node.body
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)
        and statement.targets[0].id in names
        and ast.unparse(node.test) == f"{statement.targets[0].id} is None"
    ]  # fmt: skip


def _names(target: ast.expr) -> Iterator[str]:
    for node in ast.walk(target):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _scope_of(tree: ast.Module, statement: ast.stmt) -> ast.AST:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and statement in own(node):
            return node
    return tree


def _called_like(node: ast.AST | None, name: str) -> TypeGuard[ast.Call]:
    """Whether a node is a call of a method of that name, or one that begins so where it ends in "_"."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    return node.func.attr.startswith(name) if name.endswith("_") else node.func.attr == name


def _is_size(node: ast.expr, name: str) -> bool:
    """Whether an expression stands for a size: a length, a part of a shape, or a name that says so."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "len"
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute):
        return node.value.attr == "shape"
    own_name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return isinstance(node, (ast.Attribute, ast.Name)) and any(
        _SIZE.search(text.lower()) for text in (own_name, name) if text
    )


def _text(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _short(node: ast.AST) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 60 else text[:57] + "..."
