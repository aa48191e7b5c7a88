"""Functions that build a network, told by how the repository calls them: with placeholders, whose types and
shapes stand there, and constants."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from migrator.measure.arguments import Arguments, Unknown, bound
from migrator.measure.modules import Meaning, Modules, called, own
from migrator.workload.models import DTYPES, GUESS
from migrator.workload.spec import Input, Workload

_MOST = 6  # functions
GUESSED = " (sizes guessed)"


class _Finder:
    def __init__(self, modules: Modules) -> None:
        self.modules = modules

    def of_module(self, path: str) -> Iterator[Workload]:
        """The calls in a file."""
        tree = self.modules.trees[path]
        names = self.modules.names(path)
        functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
        for scope in (tree, *functions):
            nodes = list(own(scope))
            arguments = Arguments(self.modules, path, None if scope is tree else scope)
            assigned = {
                n.targets[0].id: n.value for n in nodes
                if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name)
            }  # fmt: skip
            given = {k: told for k, v in assigned.items() if (told := _placeholder(v, arguments)) is not None}
            for call in nodes if given else []:
                if not isinstance(call, ast.Call):
                    continue
                meant = called(call.func, names) or self._method(call.func, names, arguments)
                workload = self._workload(call, meant, given, arguments) if meant else None
                if workload is not None:
                    yield workload

    def _method(
        self, func: ast.expr, names: dict[str, Meaning], arguments: Arguments
    ) -> Meaning | None:
        """What a call is of where that is a method of an object of the repository: "Class.method"."""
        if not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Name):
            return None
        made = arguments.assigned(func.value.id)
        meant = called(made.func, names) if isinstance(made, ast.Call) else None
        if meant is None or not isinstance(self.modules.definition(meant), ast.ClassDef):
            return None
        return meant[0], f"{meant[1]}.{func.attr}"

    def _workload(
        self, call: ast.Call, meant: Meaning, given: dict[str, Input], arguments: Arguments
    ) -> Workload | None:
        """The call as a workload; None where it takes anything but placeholders and what is known."""
        module, name = meant
        node = self.modules.definition(meant)
        if not isinstance(node, ast.FunctionDef) or node.args.posonlyargs:
            return None
        if not any(isinstance(n, ast.Return) and n.value for n in own(node)):
            return None
        inputs: list[Input] = []
        kwargs: dict[str, Any] = {}
        made: dict[str, Any] = {}
        guessed = len(arguments.guessed)
        try:
            for parameter, value in bound(call, node, "." in name):
                if isinstance(value, ast.Name) and value.id in given:
                    inputs.append(replace(given[value.id], name=parameter))
                elif (known := arguments.value(value, parameter)) is not None or _needed(node, parameter):
                    kwargs[parameter] = known
            if "." in name:
                owner = self.modules.definition((module, name.partition(".")[0]))
                maker = arguments.assigned(call.func.value.id)  # type: ignore[attr-defined]
                init = owner and self.modules.definition((module, f"{owner.name}.__init__"))
                made = {k: arguments.value(v, k) for k, v in bound(maker, init, True)}
        except Unknown:
            return None
        # TOML, in which it is written down, has no null
        if not inputs or None in kwargs.values() or None in made.values():
            return None
        is_guess = any(GUESS in i.shape for i in inputs) or len(arguments.guessed) > guessed
        return Workload(f"{module.dotted}.{name}" + GUESSED * is_guess, "function",
                        call=f"{module.dotted}:{name}", inputs=tuple(inputs), kwargs=kwargs, made=made,
                        roots=module.roots)  # fmt: skip


def find(modules: Modules) -> list[Workload]:
    """Calls of functions of the repository whose arguments are placeholders and constants, each function
    once. Runs nothing."""
    finder = _Finder(modules)
    found: dict[str, Workload] = {}
    for path in modules.by_depth():
        for workload in finder.of_module(path):
            found.setdefault(workload.call, workload)
    return list(found.values())[:_MOST]


def _needed(function: ast.FunctionDef, parameter: str) -> bool:
    """Whether None means something to a parameter that is left out: it has no default, or another one."""
    arguments = function.args
    after = {a.arg: d for a, d in zip(reversed(arguments.args), reversed(arguments.defaults), strict=False)}
    after |= {a.arg: d for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d}
    default = after.get(parameter)
    return not (isinstance(default, ast.Constant) and default.value is None)


def _placeholder(value: ast.expr, arguments: Arguments) -> Input | None:
    """The input that a placeholder is; None for anything else, and without a shape."""
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
        return None
    if value.func.attr != "placeholder":
        return None
    given = {**dict(zip(("dtype", "shape"), value.args, strict=False)),
             **{k.arg: k.value for k in value.keywords if k.arg}}  # fmt: skip
    dtype, shape = given.get("dtype"), given.get("shape")
    kind = dtype.attr if isinstance(dtype, ast.Attribute) else getattr(dtype, "value", None)
    if kind not in DTYPES or not isinstance(shape, (ast.List, ast.Tuple)):
        return None
    sizes: list[int | str] = []
    for number, size in enumerate(shape.elts):
        try:
            known = arguments.known(size)
        except Unknown:
            known = None
        opened = "batch" if number == 0 else GUESS
        sizes.append(known if isinstance(known, int) and known > 0 else opened)
    high = 255.0 if kind == "uint8" else 2.0 if kind.startswith("int") else 1.0
    return Input("", tuple(sizes), kind, high=high)
