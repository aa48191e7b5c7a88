"""Builders of a graph written out where they are called, so that a step can be made of them.

What comes out is not a program to keep: it only says, in one scope, what the planner must see.
"""

from __future__ import annotations

import ast

from migrator.analysis import graph_kinds as k
from migrator.analysis.arguments import defaults_of, given_to
from migrator.analysis.names import NameTable
from migrator.analysis.source import Edit, SourceText, reindent
from migrator.analysis.tree_walk import walk
from migrator.analysis.values import FunctionFact
from migrator.engine.context import FileContext
from migrator.transforms.sessions.facts import FunctionTable
from migrator.transforms.sessions.helpers import straight

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def makes_graph_parts(fact: FunctionFact) -> bool:
    """Whether calling a function makes placeholders or training ops that steps must see."""
    if {fact.kind, *fact.parts} & {k.TRAIN, k.GRADIENTS}:
        return True
    return "placeholders" in fact.flags and fact.kind not in (k.PLACEHOLDER, k.PY)


def inlined(ctx: FileContext, text: str) -> str | None:
    """`text` with one graph builder that is called once written out, None if there is none."""
    tree = ast.parse(text)
    names = NameTable.of(tree, ctx.module_name, ctx.is_package)
    table = FunctionTable(ctx, tree, names)
    for function in tree.body:
        if not isinstance(function, ast.FunctionDef):
            continue
        fact = table(function.name)
        if fact is None or "session" in fact.flags or not makes_graph_parts(fact):
            continue
        if used_elsewhere(ctx, function.name):
            continue
        written = _Inlining(text, tree, function).text()
        if written is not None:
            return written
    return None


def used_elsewhere(ctx: FileContext, name: str) -> bool:
    """Whether another module of the project may use `name` of this one."""
    for path in ctx.index.importers(ctx.path):
        other = ctx.index.tree(path)
        if other is None:
            return True
        for node in walk(other):
            if isinstance(node, ast.alias) and node.name in (name, "*"):
                return True
            if isinstance(node, ast.Attribute) and node.attr == name:
                return True
    return False


class _Inlining:
    """One function written out at its only call."""

    def __init__(self, text: str, tree: ast.Module, function: ast.FunctionDef) -> None:
        self.source = SourceText(text, tree)
        self.tree = tree
        self.function = function
        self.edits: list[Edit] = []

    def text(self) -> str | None:
        """The new text, None where the call or the function has a form that is not known."""
        function = self.function
        arguments = function.args
        last = function.body[-1]
        found = self._call()
        if (
            found is None or function.decorator_list or arguments.vararg or arguments.kwarg
            or not isinstance(last, ast.Return) or last.value is None
        ):
            return None
        inside = [n for stmt in function.body for n in walk(stmt)]
        if any(
            isinstance(n, (ast.Yield, ast.YieldFrom, ast.Await, ast.Global, ast.Nonlocal))
            or isinstance(n, ast.Return) and n is not last
            for n in inside
        ):
            return None
        stmt, scope = found
        bound = self._bound(stmt.value)  # type: ignore[arg-type]
        if bound is None:
            return None
        return self._written(stmt, scope, bound, last.value, inside)

    def _call(self) -> tuple[ast.Assign, ast.FunctionDef | ast.Module] | None:
        """The statement that holds the only use of the function, and the scope it is in."""
        name = self.function.name
        uses = [n for n in walk(self.tree) if isinstance(n, ast.Name) and n.id == name]
        scopes: list[ast.FunctionDef | ast.Module] = [
            *(n for n in self.tree.body if isinstance(n, ast.FunctionDef)), self.tree
        ]
        for scope in scopes:
            for stmt in straight(scope.body):
                if (
                    isinstance(stmt, ast.Assign) and len(stmt.targets) == 1
                    and isinstance(stmt.value, ast.Call) and len(uses) == 1
                    and stmt.value.func is uses[0] and scope is not self.function
                ):
                    return stmt, scope
        return None

    def _bound(self, call: ast.Call) -> dict[str, str] | None:
        """Parameter -> text of its argument."""
        arguments = self.function.args
        plain = [a.arg for a in [*arguments.posonlyargs, *arguments.args]]
        parameters = [*plain, *(a.arg for a in arguments.kwonlyargs)]
        given = given_to(call, plain)
        if given is None:
            return None
        bound = defaults_of(arguments) | given
        if set(bound) != set(parameters):
            return None
        return {name: self.source.segment(bound[name]) for name in parameters}

    def _written(
        self, stmt: ast.Assign, scope: ast.FunctionDef | ast.Module, bound: dict[str, str],
        returned: ast.expr, inside: list[ast.AST],
    ) -> str | None:
        pairs = self._results(stmt, scope, returned)
        if pairs is None:
            return None
        renames = {
            value.id: target for target, value in pairs
            if isinstance(value, ast.Name) and value.id != target
        }
        local = {n.id for n in inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        local |= {n.name for n in inside if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
        local |= set(bound)
        named = [value.id for _, value in pairs if isinstance(value, ast.Name)]
        if len(set(named)) != len(named) or not set(named) <= local - set(bound):
            return None
        targets = {target for target, _ in pairs}
        used = {n.id for s in scope.body for n in walk(s) if isinstance(n, ast.Name)}
        if isinstance(scope, ast.Module):
            used |= {n.id for n in walk(self.tree) if isinstance(n, ast.Name)
                     and not any(n is i for i in inside)}
        else:
            used |= {a.arg for a in walk(scope) if isinstance(a, ast.arg)}
        stored = {n.id for n in inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        same = {name for name, text in bound.items() if name == text and name not in stored}
        if not self._separate(local - same, same, renames, targets, used, scope, inside):
            return None
        return self._replaced(stmt, bound, pairs, renames, same)

    def _separate(
        self, local: set[str], same: set[str], renames: dict[str, str], targets: set[str],
        used: set[str], scope: ast.FunctionDef | ast.Module, inside: list[ast.AST],
    ) -> bool:
        """Whether no name of the function means another thing where it is written out."""
        own = {renames.get(name, name) for name in local}
        if len(own) != len(local) or (own - targets) & used:
            return False
        free = {n.id for n in inside if isinstance(n, ast.Name)} - local - same
        there = {n.id for s in scope.body for n in walk(s)
                 if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        if isinstance(scope, ast.FunctionDef):
            there |= {a.arg for a in walk(scope.args) if isinstance(a, ast.arg)}
            if free & there:
                return False
        if free & set(renames.values()):
            return False
        for node in inside:
            if isinstance(node, ast.arg) and node.arg in renames:
                return False
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name in renames:
                return False
            if isinstance(node, ast.JoinedStr) and any(
                isinstance(n, ast.Name) and n.id in renames for n in walk(node)
            ):
                return False
        return True

    def _results(
        self, stmt: ast.Assign, scope: ast.FunctionDef | ast.Module, returned: ast.expr
    ) -> list[tuple[str, ast.expr]] | None:
        """(name in the caller, returned expression) for each thing that comes back."""
        target = stmt.targets[0]
        if isinstance(target, ast.Name):
            if isinstance(returned, ast.Dict):
                return self._taken_apart(target.id, stmt, scope, returned)
            return None if isinstance(returned, (ast.Tuple, ast.List)) else [(target.id, returned)]
        if not isinstance(target, (ast.Tuple, ast.List)) or not isinstance(returned, ast.Tuple):
            return None
        if len(target.elts) != len(returned.elts):
            return None
        pairs = []
        for left, right in zip(target.elts, returned.elts, strict=True):
            if not isinstance(left, ast.Name):
                return None
            if left.id == "_":
                continue
            pairs.append((left.id, right))
        return pairs if len({name for name, _ in pairs}) == len(pairs) else None

    def _taken_apart(
        self, name: str, stmt: ast.Assign, scope: ast.FunctionDef | ast.Module, literal: ast.Dict
    ) -> list[tuple[str, ast.expr]] | None:
        """A dict of tensors of which the caller only takes items becomes one name for each."""
        values: dict[str, ast.Name] = {}
        for key, value in zip(literal.keys, literal.values, strict=True):
            if not (isinstance(key, ast.Constant) and isinstance(key.value, str)):
                return None
            if not isinstance(value, ast.Name):
                return None
            values[key.value] = value
        seen = 0
        for node in walk(scope):
            if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
                if node.value.id == name and isinstance(node.slice, ast.Constant):
                    if node.slice.value not in values:
                        return None
                    seen += 1
                    self.edits.append((*self.source.span(node), values[node.slice.value].id))
        everywhere = [n for n in walk(self.tree) if isinstance(n, ast.Name) and n.id == name]
        if len(everywhere) != seen + 1 or stmt.targets[0] not in everywhere:
            return None
        return [(value.id, value) for value in values.values()]

    def _replaced(
        self, stmt: ast.Assign, bound: dict[str, str], pairs: list[tuple[str, ast.expr]],
        renames: dict[str, str], same: set[str],
    ) -> str | None:
        source, function = self.source, self.function
        body = list(function.body)
        new = source.indent(stmt)
        old = source.indent(body[0])
        lines: list[str] = []
        docstring = ast.get_docstring(function)
        if docstring is not None:
            body.pop(0)
            lines.append(f"{new}# {docstring.splitlines()[0]}\n")
        lines += [f"{new}{name} = {text}\n" for name, text in bound.items() if name not in same]
        edits = [
            (*source.span(node), renames[node.id])
            for inner in body for node in walk(inner)
            if isinstance(node, ast.Name) and node.id in renames
        ]
        previous = source.first_line(body[0]) - 1
        for inner in body[:-1]:
            lines += reindent(source.trivia(previous, inner), old, new)
            lines += source.statement(inner, edits, new)
            previous = inner.end_lineno or previous
        lines += reindent(source.trivia(previous, body[-1]), old, new)
        for target, value in pairs:
            if not isinstance(value, ast.Name):
                lines.append(f"{new}{target} = {source.edited(value, edits)}\n")
        return self._put(stmt, lines)

    def _put(self, stmt: ast.stmt, lines: list[str]) -> str | None:
        """The file with `lines` for the statement, and without the function."""
        source = self.source
        start, end, shared_line = source.removal(stmt)
        return None if shared_line else source.splice(0, len(source.text), [
            (start, end, "".join(lines)), source.removal(self.function, blank=True), *self.edits])
