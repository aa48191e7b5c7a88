"""Helpers that are given the session and parts of the graph: moved into the function that has both.

``check(sess, accuracy, x, data)`` beside the function that builds the graph becomes ``check(data)``
inside of it, where the planner sees what it runs. Like all that `gather` tries, the text counts only if
no session is left in the file afterwards.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.analysis import graph_kinds as k
from migrator.analysis.arguments import unpacks
from migrator.analysis.names import NameTable
from migrator.analysis.program import Program
from migrator.analysis.source import Edit, SourceText
from migrator.analysis.tree_walk import calls_in, walk
from migrator.analysis.values import Value, argument
from migrator.engine.context import FileContext
from migrator.transforms.sessions.facts import FunctionTable
from migrator.transforms.sessions.helpers import (
    cut,
    looks_like_run,
    names_session,
    parameter_span,
    straight,
    whole_argument,
)
from migrator.transforms.sessions.reshaping.inline import used_elsewhere

#: What only the function that builds the graph has.
_PARTS = frozenset({k.SESSION, k.VARIABLE, k.OP, k.INIT, k.ITERATOR_INIT, k.SAVER, k.WRITER,
                    k.SCHEDULE, k.HANDLE})


def nested(ctx: FileContext, text: str) -> str | None:
    """`text` with one helper inside of the function that calls it, None if there is none."""
    tree = ast.parse(text)
    names = NameTable.of(tree, ctx.module_name, ctx.is_package)
    table = FunctionTable(ctx, tree, names)
    for helper in tree.body:
        if not isinstance(helper, ast.FunctionDef) or not any(
            names_session(a.arg) for a in helper.args.args
        ):
            continue
        caller = _only_caller(tree, helper)
        if caller is None or _other_graph(caller) or used_elsewhere(ctx, helper.name):
            continue
        module = Program(names, names.module_scope, tree.body, table)
        scope = next(s for s in names.scopes if s.node is caller)
        program = Program(names, scope, caller.body, table, module)
        moved = _Move(SourceText(text, tree), tree, helper, caller, program).text()
        if moved is not None:
            return moved
    return None


def moved_runs(tree: ast.Module, text: str) -> list[tuple[int, str]]:
    """(line, helper) of the runs in helpers of a module that `text` has inside of other functions."""
    left = {node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
    return [
        (call.lineno, helper.name) for helper in tree.body
        if isinstance(helper, ast.FunctionDef) and helper.name not in left
        for call in calls_in(helper) if looks_like_run(call)
    ]


def _only_caller(tree: ast.Module, helper: ast.FunctionDef) -> ast.FunctionDef | None:
    """The function with all uses of a helper, which are calls."""
    uses = [n for n in walk(tree) if isinstance(n, ast.Name) and n.id == helper.name]
    defined = [n for n in walk(tree) if isinstance(n, (ast.FunctionDef, ast.ClassDef))
               and n.name == helper.name]
    for caller in tree.body:
        if isinstance(caller, ast.FunctionDef) and caller is not helper:
            called = {id(c.func) for c in calls_in(caller)}
            if uses and len(defined) == 1 and all(id(use) in called for use in uses):
                return caller
    return None


def _other_graph(caller: ast.FunctionDef) -> bool:
    """Whether a session is made for a graph that has no name."""
    return any(
        a.arg == "graph" and not isinstance(a.value, ast.Name)
        for call in calls_in(caller) for a in call.keywords
    )


class _Move:
    """One helper and the function that it goes into."""

    def __init__(
        self, source: SourceText, tree: ast.Module, helper: ast.FunctionDef,
        caller: ast.FunctionDef, program: Program,
    ) -> None:
        self.source = source
        self.tree = tree
        self.helper = helper
        self.caller = caller
        self.program = program
        #: Parameter that is given an initializer -> its iterator, and the data set of each call.
        self.read: dict[str, tuple[str, list[tuple[ast.expr, str]]]] = {}
        self.calls = [c for c in calls_in(caller)
                      if isinstance(c.func, ast.Name) and c.func.id == helper.name]

    def text(self) -> str | None:
        """The new text, None where the helper could mean something else inside of the caller."""
        helper, source = self.helper, self.source
        arguments = helper.args
        if helper.decorator_list or arguments.vararg or arguments.kwarg or arguments.posonlyargs or (
            any(isinstance(n, (ast.Global, ast.Nonlocal)) for n in walk(helper))
        ) or any(map(unpacks, self.calls)):
            return None
        place = self._place()
        given = self._given()
        if place is None or given is None or not self._means_the_same(given, place):
            return None
        edits: list[Edit] = []
        inside: list[Edit] = []
        for parameter, (iterator, data) in self.read.items():
            name = self._data_name(parameter)
            inside += [(*source.span(n), f"{iterator}.make_initializer({name})")
                       for n in walk(helper) if isinstance(n, ast.Name) and n.id == parameter]
            start = source.offset(*next(
                (a.lineno, a.col_offset) for a in arguments.args if a.arg == parameter))
            inside.append((start, start + len(parameter), name))
            edits += [(*source.span(node), text) for node, text in data]
        for parameter, (text, nodes) in given.items():
            inside.append(cut(source, *parameter_span(source, helper, parameter)))
            inside += [(*source.span(n), text) for n in walk(helper)
                       if isinstance(n, ast.Name) and n.id == parameter]
            edits += [cut(source, *source.span(node)) for node in nodes]
        first_line = source.first_line(place) - len(source.comments_above(place))
        start = source.offset(first_line, 0)
        lines = source.statement(helper, inside, source.indent(place))
        above = source.lines[first_line - 2].strip()
        blank = "\n" if above and not above.endswith(":") else ""
        edits.append((start, start, blank + "".join(lines).rstrip("\n") + "\n\n"))
        edits.append(source.removal(helper, blank=True))
        return source.splice(0, len(source.text), edits)

    def _place(self) -> ast.stmt | None:
        """The statement of the caller with the first call, which runs once."""
        wanted = set(map(id, self.calls))
        for stmt in straight(self.caller.body):
            if not isinstance(stmt, ast.With) and any(id(c) in wanted for c in calls_in(stmt)):
                return stmt
        return None

    def _given(self) -> dict[str, tuple[str, list[ast.expr | ast.keyword]]] | None:
        """Parameter -> (what every call gives it, the arguments), of parameters that are parts of
        the graph. None if a part differs from call to call."""
        found: dict[str, tuple[str, list[ast.expr | ast.keyword]]] = {}
        for position, parameter in enumerate(a.arg for a in self.helper.args.args):
            values = [argument(call, position, parameter) for call in self.calls]
            parts = [v for v in values if v is not None and self._is_part(v)]
            if not parts:
                continue
            texts = {ast.unparse(value) for value in values if value is not None}
            if len(texts) > 1 and self._data_read(parameter, values):
                continue
            if len(texts) > 1 or len(parts) < len(values):
                return None
            found[parameter] = texts.pop(), [
                whole_argument(call, value)
                for call, value in zip(self.calls, parts, strict=True)]
        return found or None

    def _data_read(self, parameter: str, values: list[ast.expr | None]) -> bool:
        """Whether calls differ in the data set alone that one iterator is to read, which the helper
        begins with: they give it the data set then."""
        makers = [None if v is None else self.program.expressions.value(v) for v in values]
        calls = [v.call for v in makers if v is not None and v.kind == k.ITERATOR_INIT and v.call]
        uses = [n for n in walk(self.helper) if isinstance(n, ast.Name) and n.id == parameter]
        runs = [c.args[0] for c in calls_in(self.helper) if looks_like_run(c) and len(c.args) == 1]
        iterators = {ast.unparse(call.func).rpartition(".")[0] for call in calls}
        if len(calls) != len(values) or len(iterators) > 1 or len(uses) != 1 or (
            uses[0] not in runs or any(len(call.args) != 1 for call in calls)
            or not (iterator := iterators.pop()).isidentifier()
        ):
            return False
        self.read[parameter] = iterator, [
            (value, self.source.segment(call.args[0]))
            for value, call in zip(values, calls, strict=True) if value is not None
        ]
        return True

    def _data_name(self, parameter: str) -> str:
        """What a parameter is called that takes a data set."""
        named = any(a.arg == parameter for call in self.calls for a in call.keywords)
        taken = {n.id for n in walk(self.helper) if isinstance(n, ast.Name)}
        taken |= {a.arg for a in walk(self.helper.args) if isinstance(a, ast.arg)}
        return parameter if named or "dataset" in taken or len(self.read) > 1 else "dataset"

    def _is_part(self, node: ast.expr) -> bool:
        base = node.value if isinstance(node, ast.Attribute) else node
        if not isinstance(base, ast.Name):
            return False
        value = self.program.expressions.value(node)
        if value.traced or value.kind in _PARTS | k.WITHOUT_VALUE:
            return True
        return self._is_object(self.program.expressions.value(base))

    def _is_object(self, value: Value) -> bool:
        """Whether a value is an object that builds a graph."""
        fact = self.program.expressions.call_fact(value.call) if value.call is not None else None
        return fact is not None and "graph object" in fact.flags

    def _means_the_same(
        self, given: dict[str, tuple[str, list[ast.expr | ast.keyword]]], place: ast.stmt
    ) -> bool:
        """Whether each name of the helper means the same inside of the caller."""
        own = {n.id for n in walk(self.helper)
               if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
        if own & set(given):
            return False
        own |= {a.arg for a in walk(self.helper.args) if isinstance(a, ast.arg)}
        free = {n.id for n in walk(self.helper) if isinstance(n, ast.Name)} - own
        there = set(_bound(self.caller))
        new = {text.partition(".")[0] for text, _ in given.values()} | {
            iterator for iterator, _ in self.read.values()}
        if free & there or new & (own - set(given)) or not new <= there:
            return False
        stores = [n for n in walk(self.caller) if isinstance(n, ast.Name) and n.id in new
                  and not isinstance(n.ctx, ast.Load)]
        return len(stores) == len(new) and all(n.lineno < place.lineno for n in stores)


def _bound(function: ast.FunctionDef) -> Iterator[str]:
    """The names that a function and the functions in it bind."""
    for node in walk(function):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node is not function:
            yield node.name
        elif isinstance(node, ast.alias):
            yield (node.asname or node.name).split(".")[0]
