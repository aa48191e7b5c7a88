"""Tests that build something and ask for it in a session, and no more: most tests are like that.

Their session's block is opened and each run becomes an evaluation, in the text and by the `ast` that
is there already. To parse a function with LibCST and to plan it costs many times that, so the planner
of `test_cases` gets only what this module leaves to it: whatever has a placeholder, an effect, an
expected error or a graph of its own, or is laid out in a way that needs a second look. What is written
here is, byte for byte, what the planner would write.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from migrator.analysis.tree_walk import calls_in, walk
from migrator.engine.context import FileContext
from migrator.engine.edits import Edit, Lines
from migrator.engine.function_context import Function
from migrator.transforms._opened_blocks import BlockLines, NotPlain
from migrator.transforms.eager.body import (
    EFFECTS,
    INITIALIZERS,
    INITIALIZING,
    MONITORED,
    SESSIONS,
    TEST_SESSIONS,
)

# What the planner has rules about, by the words that it is written with; layout that hides lines.
_PLANNED = re.compile(
    r"\b(?:\w*placeholder\w*|feed_dict|assertRaises\w*|minimize|compute_gradients|gradients|hessians"
    r"|get_default_graph|Graph|rewrite|group"
    rf"|{'|'.join(sorted(EFFECTS))})\b|\.initializer\b|\.op\.name\b|[\t\r\f;]|\\\n"
)
_SESSION_NAMES = TEST_SESSIONS | {name.rpartition(".")[2] for name in SESSIONS}
_NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.JoinedStr)


def opened(ctx: FileContext, lines: Lines, function: Function) -> list[Edit] | None:
    """The edits that make a plain test eager; None where it is not plain."""
    start, end = lines.span(function)
    source = lines.text[start:end]
    if (
        not isinstance(function, ast.FunctionDef)
        or _PLANNED.search(source)
        or "get_shape" in source and "None" in source  # asserts, perhaps, what only a graph knows
        or not lines.text.endswith("\n")
    ):
        return None
    try:
        return list(_PlainTest(ctx, lines, function).edits())
    except NotPlain:
        return None


class _PlainTest:
    """One test method; whatever finds that it is not plain raises NotPlain."""

    def __init__(self, ctx: FileContext, lines: Lines, function: ast.FunctionDef) -> None:
        self.ctx = ctx
        self.lines = lines
        self.function = function
        self.blocks: list[ast.With] = []  # of sessions
        self.around: list[ast.With] = []  # other blocks that sessions are opened in
        self._find_blocks(function.body)
        self.sessions = {
            given.id for block in self.blocks
            if isinstance(given := block.items[0].optional_vars, ast.Name)
        }  # fmt: skip
        self.runs: dict[int, ast.expr] = {}  # id(call) -> what it fetches
        self.initializers: set[str] = set()  # names

    def edits(self) -> Iterator[Edit]:
        """All edits: of runs, of blocks, of statements that go."""
        if not self.blocks:
            raise NotPlain
        dropped: set[int] = set()
        for statement in self._straight(self.function.body):
            runs = [call for call in calls_in(statement) if self._is_run(call)]
            if self._only_initializes(statement, runs):
                dropped.add(id(statement))
            elif runs:
                self._refuse_hidden(statement, runs)
                yield from map(self._evaluated, runs)
        heads = (item for block in self.around for item in block.items)
        if any(self._is_run(call) for item in heads for call in calls_in(item)):
            raise NotPlain
        self._refuse_other_uses()
        lines = BlockLines(self.lines, self.function)
        owners: list[ast.FunctionDef | ast.With] = [self.function, *self.around, *self.blocks]
        for owner in owners:
            yield from lines.without(owner.body, dropped, owner in self.blocks)
            for block in self.blocks:
                if block in owner.body:
                    yield from lines.opened(block, block is owner.body[-1])

    # -- what runs

    def _find_blocks(self, suite: list[ast.stmt]) -> bool:
        """Finds the sessions' blocks among statements that run once, in order; are there any?"""
        before = len(self.blocks)
        for statement in suite:
            if not isinstance(statement, ast.With):
                continue
            if self._opens(statement):
                self.blocks.append(statement)
            elif self._find_blocks(statement.body):
                self.around.append(statement)
        return len(self.blocks) > before

    def _opens(self, block: ast.With) -> bool:
        """Whether a block is that of a session, and of nothing else."""
        head = block.items[0].context_expr
        if not isinstance(head, ast.Call) or not self._is_session(head):
            return False
        if len(block.items) > 1 or not isinstance(block.items[0].optional_vars, ast.Name | None):
            raise NotPlain
        return True

    def _is_session(self, call: ast.Call) -> bool:
        func = call.func
        if isinstance(func, ast.Attribute) and func.attr in TEST_SESSIONS:
            return isinstance(func.value, ast.Name) and func.value.id == "self"
        name = self.ctx.names.resolve_node(func)
        return name in SESSIONS and not (name in MONITORED and (call.args or call.keywords))

    def _straight(self, suite: list[ast.stmt]) -> Iterator[ast.stmt]:
        """Statements that run once, in order."""
        for statement in suite:
            if statement in self.blocks or statement in self.around:
                assert isinstance(statement, ast.With)
                yield from self._straight(statement.body)
            else:
                yield statement

    def _is_run(self, call: ast.Call) -> bool:
        """Whether a call evaluates tensors: ``sess.run(x)``, ``x.eval()``, ``initializer.run()``."""
        func = call.func
        if isinstance(func, ast.Name):
            if (self.ctx.names.resolve_node(func) or "").startswith("tensorflow"):
                raise NotPlain  # perhaps another name of what `_PLANNED` has
            return False
        if not isinstance(func, ast.Attribute):
            return False
        if func.attr in _SESSION_NAMES:
            raise NotPlain
        if func.attr not in ("run", "eval"):
            return False
        value = func.value
        if isinstance(value, ast.Name) and value.id in self.sessions and func.attr == "run":
            if len(call.args) != 1 or call.keywords or isinstance(call.args[0], ast.Starred):
                raise NotPlain
            self.runs[id(call)] = call.args[0]
            return True
        if func.attr == "eval":
            named = self.ctx.names.resolve_node(func)
            tensor = (named is None or "(" in named) and not (
                isinstance(value, ast.Name) and value.id in (*self.sessions, "sess")
            )
        else:
            tensor = self.ctx.names.resolve_node(value) in INITIALIZING
        if not tensor or call.args or call.keywords:
            raise NotPlain
        self.runs[id(call)] = value
        return True

    def _initializes(self, node: ast.expr) -> bool:
        """Whether an expression does nothing but initialise variables and tables."""
        if isinstance(node, (ast.List, ast.Tuple)):
            return bool(node.elts) and all(map(self._initializes, node.elts))
        if isinstance(node, ast.Call):
            return self.ctx.names.resolve_node(node.func) in INITIALIZERS
        return isinstance(node, ast.Name) and node.id in self.initializers

    def _only_initializes(self, statement: ast.stmt, runs: list[ast.Call]) -> bool:
        """Whether a statement makes or runs initializers only; eager variables have their values."""
        if isinstance(statement, ast.Expr) and [statement.value] == runs:
            return self._initializes(self.runs[id(runs[0])])
        if isinstance(statement, ast.Assign) and self._initializes(statement.value):
            target = statement.targets[0]
            if len(statement.targets) > 1 or not isinstance(target, ast.Name):
                raise NotPlain
            self.initializers.add(target.id)
            return True
        return False

    def _refuse_hidden(self, statement: ast.stmt, runs: list[ast.Call]) -> None:
        """Runs for their effects, in blocks, in each other, or together with initializers."""
        fetched = [self.runs[id(call)] for call in runs]
        inside = {id(call) for node in fetched for call in calls_in(node)}
        parts = [part for node in fetched for part in getattr(node, "elts", (node,))]
        if (
            not isinstance(statement, (ast.Assign, ast.AugAssign, ast.Expr, ast.Return))
            or getattr(statement, "value", None) in runs and isinstance(statement, ast.Expr)
            or any(id(call) in inside for call in runs)
            or any(map(self._initializes, parts))
            or any(isinstance(node, _COMPREHENSIONS) for node in walk(statement))
        ):
            raise NotPlain

    def _refuse_other_uses(self) -> None:
        """A session that is passed on, kept or asked for anything else."""
        receivers = {id(call.func.value) for call in calls_in(self.function)
                     if id(call) in self.runs and isinstance(call.func, ast.Attribute)}
        receivers |= {id(block.items[0].optional_vars) for block in self.blocks}
        for node in walk(self.function):
            if isinstance(node, _NESTED) and node is not self.function:
                raise NotPlain
            if isinstance(node, ast.Name) and node.id in self.sessions and id(node) not in receivers:
                raise NotPlain

    def _evaluated(self, call: ast.Call) -> Edit:
        """``self.evaluate(x)`` for ``sess.run(x)`` and ``x.eval()``."""
        text = self.lines.text
        start, end = self.lines.span(call)
        first, last = self.lines.span(self.runs[id(call)])
        if call.args:
            before = text[self.lines.span(call.func)[1] : first].strip()
            plain = before == "(" and text[last:end].strip() in (")", ",)")
        else:
            plain = start == first
        if not plain:
            raise NotPlain  # brackets or comments between
        return Edit(start, end, ("self.evaluate(", (first, last), ")"))


__all__ = ["opened"]
