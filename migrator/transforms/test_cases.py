"""Tests that opened sessions become eager tests with the same assertions."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterator

import libcst as cst

from migrator.analysis.tree_walk import blocks_of, calls_in, children
from migrator.engine.context import FileContext
from migrator.engine.cst_walk import exchanged, list_once, only, own_calls
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.function_context import Function, FunctionContext
from migrator.engine.registry import transform
from migrator.model import Confidence, Rung
from migrator.transforms import _flow as flow
from migrator.transforms.eager import plain_tests
from migrator.transforms.eager.body import PLACEHOLDERS, SESSIONS, TEST_SESSIONS
from migrator.transforms.eager.form import eager_function
from migrator.transforms.eager.traced_body import traced_function
from migrator.transforms.eager.units import Unsupported
from migrator.transforms.graph_tests import (
    MARK,
    TRACED,
    asked_name,
    has_mark,
    marked,
    serving_graphs,
)

_TEST_CASE = "tensorflow.test.TestCase"
_PLAIN_TEST_CASES = frozenset({"unittest.TestCase", "unittest.case.TestCase"})
_MAKERS = SESSIONS | PLACEHOLDERS | {"tensorflow.Graph"}
_MAKERS_LAST = frozenset(name.rpartition(".")[2] for name in _MAKERS)
_GRAPH_CALLS = frozenset(
    {*TEST_SESSIONS, "run", "placeholder", "placeholder_with_default", "as_default", "Session"}
)
# A call of one of them, perhaps with brackets or line breaks between.
_GRAPH_CALL = re.compile(rf"\.\s*(?:{'|'.join(sorted(_GRAPH_CALLS))})\b(?=[\s\\)]*\()")


@transform
class TestBases:
    """Gives test classes a fresh variable store per test; apart from what is made of their methods, which
    may be taken back."""

    name = "test_bases"
    triggers = frozenset({"tensorflow.*"})
    order = 39

    def run(self, ctx: FileContext) -> str | None:
        if not _looks_like_tests(ctx.text):
            return None
        lines = Lines(ctx.text)
        edits = [
            *_base_classes(ctx, lines, ctx.tree.body),
            *_plain_base_classes(ctx, lines, _graph_lines(lines)),
        ]
        return apply(ctx.text, edits)[0] if edits else None


@transform
class TestCases:
    """Rewrites methods of test classes."""

    name = "test_cases"
    triggers = frozenset({"tensorflow.*"})
    order = 40

    def run(self, ctx: FileContext) -> str | None:
        if not _looks_like_tests(ctx.text):
            return None
        lines = Lines(ctx.text)
        edits = list(_functions(ctx, lines, ctx.tree.body, _graph_lines(lines), False, set()))
        return apply(ctx.text, edits)[0] if edits else None


def _looks_like_tests(text: str) -> bool:
    return "TestCase" in text or "TestBase" in text or any(f"self.{name}(" in text for name in TEST_SESSIONS)


def _inner_blocks(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    yield from blocks_of(node)
    for case in getattr(node, "cases", ()):
        yield case.body


def _base_classes(ctx: FileContext, lines: Lines, block: list[ast.stmt]) -> Iterator[Edit]:
    """The base of test classes that stand outside of functions."""
    for node in block:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        for base in node.bases if isinstance(node, ast.ClassDef) else ():
            if ctx.names.resolve_node(base) != _TEST_CASE:
                continue
            ctx.change(
                "TF702",
                base,
                "every test starts with an empty variable store, as it did with an empty graph",
                Rung.SUPPORT,
            )
            yield Edit(*lines.span(base), (ctx.support("testing.TestCase"),))
            yield from _called_bases(ctx, lines, node)
        for inner in _inner_blocks(node):
            yield from _base_classes(ctx, lines, inner)


def _called_bases(ctx: FileContext, lines: Lines, node: ast.AST) -> Iterator[Edit]:
    """``tf.test.TestCase.setUp(self)`` in a class calls what its base has now."""
    for call in calls_in(node):
        func = call.func
        if isinstance(func, ast.Attribute) and call.args and isinstance(call.args[0], ast.Name) and (
                call.args[0].id == "self" and ctx.names.resolve_node(func.value) == _TEST_CASE):
            yield Edit(*lines.span(func.value), (ctx.support("testing.TestCase"),))


def _plain_base_classes(ctx: FileContext, lines: Lines, touched: list[int]) -> Iterator[Edit]:
    """Python's own test case, under classes of this file whose methods become eager."""
    if not touched or "unittest" not in lines.text:
        return
    classes = {node.name: node for node in ctx.tree.body if isinstance(node, ast.ClassDef)}
    found: dict[int, ast.expr] = {}
    for node in classes.values():
        if any(
            isinstance(method, ast.FunctionDef)
            and not marked(method)
            and _calls_graph(ctx, method)
            for method in node.body
        ):
            found |= {id(base): base for base in _plain_bases(ctx, classes, node, set())}
    for base in found.values():
        ctx.change("TF702", base, "its tests evaluate what sessions ran", Rung.SUPPORT)
        yield Edit(*lines.span(base), (ctx.support("testing.TestCase"),))


def _plain_bases(
    ctx: FileContext, classes: dict[str, ast.ClassDef], node: ast.ClassDef, seen: set[str]
) -> Iterator[ast.expr]:
    """Where a class, or one of this file that it extends, names Python's own test case."""
    seen.add(node.name)
    for base in node.bases:
        if ctx.names.resolve_node(base) in _PLAIN_TEST_CASES:
            yield base
        elif isinstance(base, ast.Name) and base.id in classes and base.id not in seen:
            yield from _plain_bases(ctx, classes, classes[base.id], seen)


def _graph_lines(lines: Lines) -> list[int]:
    """Numbers of the lines with what looks like a call that could concern a graph."""
    return [lines.line_of(found.end()) for found in _GRAPH_CALL.finditer(lines.text)]


def _functions(
    ctx: FileContext, lines: Lines, block: list[ast.stmt], touched: list[int], method: bool,
    serving: set[str],
) -> Iterator[Edit]:
    """The methods of a block, functions inside them included, that become eager; not those of `serving`,
    which tests in graphs call."""
    for node in block:
        place = bisect_left(touched, node.lineno)
        if place == len(touched) or touched[place] > (node.end_lineno or node.lineno):
            continue
        if marked(node) or getattr(node, "name", "") in serving:  # stays in a graph
            continue
        inside = method
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            arguments = node.args.args
            inside = method or bool(arguments) and arguments[0].arg == "self"
            if inside and _calls_graph(ctx, node):
                plain = None if has_mark(node, TRACED) else plain_tests.opened(ctx, lines, node)
                if plain is None:
                    yield from _method(FunctionContext(ctx, node, lines))
                else:
                    _made_eager(ctx, node)
                    yield from plain
                continue
        called = serving_graphs(node) if isinstance(node, ast.ClassDef) else set()
        for inner in _inner_blocks(node):
            yield from _functions(ctx, lines, inner, touched, inside, called)


def _calls_graph(ctx: FileContext, function: Function) -> bool:
    """Whether a function itself has a session, a placeholder or a graph of its own."""
    calls: list[ast.Call] = []
    stack: list[ast.AST] = list(function.body)
    while stack:
        node = stack.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        if isinstance(node, ast.Call):
            calls.append(node)
        stack.extend(children(node))
    return any(
        isinstance(call.func, ast.Attribute) and call.func.attr in _GRAPH_CALLS for call in calls
    ) and any(_makes_graph(ctx, call.func) for call in calls)


def _makes_graph(ctx: FileContext, func: ast.expr) -> bool:
    """Whether what a call calls gives a session, a placeholder or a graph."""
    if isinstance(func, ast.Attribute):
        if func.attr in TEST_SESSIONS:
            return True
        if func.attr not in _MAKERS_LAST:
            return False
    return ctx.names.resolve_node(func, values=False) in _MAKERS


def _method(ctx: FunctionContext) -> Iterator[Edit]:
    """The eager form of one method: functions inside it first."""
    listing = list_once(ctx.function)
    functions = only(listing.nodes, cst.FunctionDef)
    if len(functions) > 1:
        functions.sort(key=lambda node: (listing.span(node)[1], -listing.span(node)[0]))
        stay = [node for part in listing.nodes if _stays(part) for node in listing.walk(part)]
        functions = [node for node in functions if node not in stay]
    nested: dict[int, cst.BaseStatement] = {}
    for function in functions:
        body = _eager_body(ctx, function, nested)
        if body is not None:
            nested[id(function)] = function.with_changes(body=body)
        elif any(id(node) in nested for node in listing.walk(function)):
            new = exchanged(function, nested)
            assert isinstance(new, cst.FunctionDef)
            nested[id(function)] = new
    made = nested.get(id(ctx.function))
    if isinstance(made, cst.FunctionDef):
        yield ctx.edit(made)


def _stays(node: cst.CSTNode) -> bool:
    """Whether a nested class or function carries the mark of tests that stay in a graph."""
    if not isinstance(node, (cst.FunctionDef, cst.ClassDef)):
        return False
    names = (flow.code_of(item.decorator) for item in node.decorators)
    return any(name.rpartition(".")[2] == MARK for name in names)


def _eager_body(
    ctx: FunctionContext, function: cst.FunctionDef, nested: dict[int, cst.BaseStatement]
) -> cst.BaseSuite | None:
    if not _touches_graph(function):
        return None
    place = ctx.node if function is ctx.function else function
    try:
        keep_graphs = function is ctx.function and has_mark(ctx.node, TRACED)
        if function is ctx.function and not keep_graphs and (why := asked_name(ctx, ctx.node)):
            raise Unsupported(function, why, "trace what it builds with tf.function")
        made = eager_function(ctx, function, "self.evaluate", nested, keep_graphs)
    except Unsupported as problem:
        try:
            traced = traced_function(ctx, function, nested)
        except Unsupported:
            ctx.finding(
                "TF005",
                problem.node,
                f"the session in {function.name.value} stays: {problem.obstacle}",
                problem.advice,
                Rung.COMPAT,
                "tf.Session",
            )
            return None
        ctx.change(
            "TF701",
            place,
            "the test traces what it builds and calls that instead of running it in a session",
            confidence=Confidence.LIKELY,
        )
        return traced.body
    if made is None:
        return None
    _made_eager(ctx, place)
    return made.body


def _made_eager(ctx: FileContext, place: Function | cst.FunctionDef) -> None:
    ctx.change(
        "TF701",
        place,
        "the test evaluates eager tensors instead of running them in a session",
        confidence=Confidence.LIKELY,
    )


def _touches_graph(function: cst.FunctionDef) -> bool:
    """Whether a function has a session, a placeholder or a graph of its own."""
    for node in own_calls(function.body):
        func = node.func
        if isinstance(func, cst.Attribute) and func.attr.value in _GRAPH_CALLS:
            return True
    return False
