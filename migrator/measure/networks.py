"""Functions that build a network, told by how the repository calls them: with placeholders, whose types and
shapes stand there, and constants."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from migrator.measure.modules import Module, Modules, called, own
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
            given = {
                n.targets[0].id: told for n in nodes
                if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name)
                and (told := _placeholder(n.value)) is not None
            }  # fmt: skip
            for call in nodes if given else []:
                if isinstance(call, ast.Call) and (meant := called(call.func, names)):
                    workload = self._workload(call, *meant, given)
                    if workload is not None:
                        yield workload

    def _workload(
        self, call: ast.Call, module: Module, name: str, given: dict[str, Input]
    ) -> Workload | None:
        """The call as a workload; None where it takes anything but placeholders and constants."""
        node = self.modules.definition((module, name))
        if not isinstance(node, ast.FunctionDef):
            return None
        if not any(isinstance(n, ast.Return) and n.value for n in own(node)):
            return None
        parameters = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
        if len(call.args) > len(parameters) or node.args.posonlyargs:
            return None
        pairs = [*zip(parameters, call.args, strict=False), *((k.arg, k.value) for k in call.keywords)]
        inputs: list[Input] = []
        kwargs: dict[str, Any] = {}
        for parameter, value in pairs:
            if parameter is None or isinstance(value, ast.Starred):
                return None
            if isinstance(value, ast.Name) and value.id in given:
                inputs.append(replace(given[value.id], name=parameter))
                continue
            try:
                kwargs[parameter] = ast.literal_eval(value)
            except (ValueError, TypeError, SyntaxError):
                return None
        # TOML, in which it is written down, has neither null nor tuples
        if not inputs or not all(type(v) in (bool, int, float, str) for v in kwargs.values()):
            return None
        title = f"{module.dotted}.{name}" + GUESSED * any(GUESS in i.shape for i in inputs)
        return Workload(title, "function", call=f"{module.dotted}:{name}", inputs=tuple(inputs),
                        kwargs=kwargs, roots=module.roots)  # fmt: skip


def find(modules: Modules) -> list[Workload]:
    """Calls of functions of the repository whose arguments are placeholders and constants, each function
    once. Runs nothing."""
    finder = _Finder(modules)
    found: dict[str, Workload] = {}
    for path in modules.by_depth():
        for workload in finder.of_module(path):
            found.setdefault(workload.call, workload)
    return list(found.values())[:_MOST]


def _placeholder(value: ast.expr) -> Input | None:
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
        known = size.value if isinstance(size, ast.Constant) else None
        opened = "batch" if number == 0 else GUESS
        sizes.append(known if isinstance(known, int) and known > 0 else opened)
    high = 255.0 if kind == "uint8" else 2.0 if kind.startswith("int") else 1.0
    return Input("", tuple(sizes), kind, high=high)
