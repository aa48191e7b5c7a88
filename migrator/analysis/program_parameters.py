"""What the parameters of a program's functions are given, as far as the program says so."""

from __future__ import annotations

import ast

from migrator.analysis import graph_kinds as k
from migrator.analysis.arguments import defaults_of, unpacks
from migrator.analysis.graph_values import Expressions
from migrator.analysis.tree_walk import calls_in, walk
from migrator.analysis.values import Value, argument


class Parameters:
    """Binds parameters to values; `Program` binds everything else."""

    body: list[ast.stmt]
    env: dict[str, Value]
    expressions: Expressions
    #: Parameters that are given one summary writer or nothing -> what the writer is called.
    given_writers: dict[str, str] = {}
    #: Function or method below this scope -> its parameters of which `savers_given` knows.
    given: dict[str, dict[str, Value]] = {}

    def _bind_parameters(self, function: ast.FunctionDef, around: Parameters | None) -> None:
        """A parameter whose default is an optimizer is given optimizers; what the calls in a
        function `around` this one give says which ones are writers, and `given` which are savers."""
        for name, default in defaults_of(function.args).items():
            if self.expressions.value(default).kind == k.OPTIMIZER:
                self.env[name] = Value(k.OPTIMIZER, source=name)
        inner = around is not None and isinstance(around.expressions.scope.node, ast.FunctionDef)
        self.given_writers = around.writers_given(function) if around is not None and inner else {}
        for name in self.given_writers:
            self.env[name] = Value(k.WRITER, source=name)
        if around is not None:
            self.env.update(around.given.get(function.name, {}))

    def writers_given(self, function: ast.FunctionDef) -> dict[str, str]:
        """Parameters of a function inside of this scope that all calls give the same summary writer,
        or leave out -> the name of the writer."""
        uses = [n for stmt in self.body for n in walk(stmt)
                if isinstance(n, ast.Name) and n.id == function.name]
        calls = [call for stmt in self.body for call in calls_in(stmt) if call.func in uses]
        if len(calls) != len(uses) or function.args.vararg or function.args.kwarg or any(
            map(unpacks, calls)
        ):
            return {}
        stored = {n.id for n in walk(function)
                  if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
        found = {}
        for position, parameter in enumerate(function.args.args):
            if parameter.arg in stored:
                continue
            given = [argument(call, position, parameter.arg) for call in calls]
            names = {node.id for node in given if isinstance(node, ast.Name)
                     and self.expressions.value(node).kind == k.WRITER}
            if len(names) == 1 and all(node is None or isinstance(node, ast.Name)
                                       and node.id in names for node in given):
                found[parameter.arg] = names.pop()
        return found

    def savers_given(
        self, functions: list[ast.FunctionDef], callers: list[Parameters]
    ) -> dict[str, dict[str, Value]]:
        """Parameters of this scope's functions, or of the object's methods, that all calls, which
        are in `callers`, give a saver."""
        found: dict[str, dict[str, Value]] = {}
        known = [p for p in callers if any(v.kind == k.SAVER for v in p.env.values())]
        calls = [(call, p) for p in callers for stmt in p.body for call in calls_in(stmt)]
        for function in functions if known else ():
            own = [(call, p) for call, p in calls if p._calls(call, function.name)]
            names = [a.arg for a in function.args.args]
            if self.expressions.owner is not None:
                names = names[1:]
            for position, name in enumerate(names):
                given = [(argument(call, position, name), p) for call, p in own]
                if given and all(
                    node is not None and p.expressions.value(node).kind == k.SAVER
                    for node, p in given
                ):
                    found.setdefault(function.name, {})[name] = Value(k.SAVER)
        return found

    def _calls(self, call: ast.Call, name: str) -> bool:
        """Whether a call is one of the function `name`, or of the object's method."""
        func, owner = call.func, self.expressions.owner
        if owner is None:
            return isinstance(func, ast.Name) and func.id == name
        return isinstance(func, ast.Attribute) and func.attr == name and (
            isinstance(func.value, ast.Name) and func.value.id == owner)
