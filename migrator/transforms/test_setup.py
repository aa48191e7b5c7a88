"""Tests that share placeholders made by setUp, or a helper that runs what it is given, get their own.

Each test is then a program of its own, which `test_cases` makes eager: the placeholders stand where
the test begins, the helper's session around the run. A class changes only if all its tests that
share something go eager that way; otherwise it stays as it is.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from migrator.analysis.arguments import given_to
from migrator.analysis.facts_graph_code import in_graph_form
from migrator.analysis.fresh_names import fresh_name
from migrator.analysis.tree_walk import calls_in, self_attribute, walk
from migrator.engine.context import FileContext
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.function_context import FunctionContext
from migrator.engine.registry import transform
from migrator.lines import lines_of
from migrator.model import Confidence
from migrator.transforms.eager.body import TEST_SESSIONS
from migrator.transforms.eager.form import eager_function
from migrator.transforms.eager.units import Unsupported
from migrator.transforms.graph_tests import test_classes

_Replaced = list[tuple[ast.Attribute, str]]  # attributes of self and the local names for them


@transform
class TestSetup:
    """Writes shared placeholders and run helpers of test classes out in the tests."""

    name = "test_setup"
    triggers = frozenset({"tensorflow.*"})
    order = 37

    def run(self, ctx: FileContext) -> str | None:
        if "TestCase" not in ctx.text or "placeholder" not in ctx.text or "self" not in ctx.text:
            return None
        if in_graph_form(ctx.text):  # its tests got theirs before
            return None
        text = ctx.text
        for name in [n.name for n in test_classes(ctx.tree) if _may_share(ctx, n)]:
            trial = ctx.anew(text)
            node = next(node for node in test_classes(trial.tree) if node.name == name)
            shared = _Shared(trial, node)
            new = shared.written_out()
            if new is None or not _go_eager(ctx, new, name, shared.changed):
                continue
            text = new
            whole = next(n for n in test_classes(ctx.tree) if n.name == name)
            for method in whole.body:
                if isinstance(method, ast.FunctionDef) and method.name in shared.gone:
                    ctx.change(
                        "TF701", method,
                        "each test makes its own inputs instead of sharing placeholders and a "
                        "session", confidence=Confidence.LIKELY,
                    )
        return text if text != ctx.text else None


def _may_share(ctx: FileContext, node: ast.ClassDef) -> bool:
    """Whether a class has a setUp with placeholders or a method that could be a run helper."""
    methods = [m for m in node.body if isinstance(m, ast.FunctionDef)]
    helpers = [m for m in methods if isinstance(m.body[-1], ast.With)]
    return any(not m.name.startswith("test") for m in helpers) or any(
        ctx.names.resolve_node(call.func, values=False) == "tensorflow.placeholder"
        for m in methods if m.name == "setUp" for call in calls_in(m)
    )


def _go_eager(ctx: FileContext, text: str, name: str, methods: set[str]) -> bool:
    """Whether the changed methods of the class in `text` can all be made eager."""
    trial = ctx.anew(text)
    lines = Lines(text)
    node = next(node for node in test_classes(trial.tree) if node.name == name)
    for method in node.body:
        if isinstance(method, ast.FunctionDef) and method.name in methods:
            part = FunctionContext(trial, method, lines)
            try:
                if eager_function(part, part.function, "self.evaluate") is None:
                    return False
            except Unsupported:
                return False
    return True


@dataclass
class _Helper:
    """A method that opens the test's session and returns what running its arguments gives."""

    node: ast.FunctionDef
    block: ast.With
    parameters: list[str]
    returned: ast.expr
    calls: dict[str, list[tuple[ast.stmt, ast.Call]]] = field(default_factory=dict)  # by method


class _Shared:
    """What the tests of one class share that only a graph has."""

    def __init__(self, ctx: FileContext, node: ast.ClassDef) -> None:
        self.ctx = ctx
        self.node = node
        self.lines = Lines(ctx.text)
        self.methods = {m.name: m for m in node.body if isinstance(m, ast.FunctionDef)}
        self.changed: set[str] = set()
        self.gone: set[str] = set()  # what was shared: methods, and setUp where it made placeholders

    def written_out(self) -> str | None:
        """The file's text with everything shared written out; None where nothing is or can be."""
        placeholders = self._placeholders()
        helpers = [h for m in self.methods.values() if (h := self._helper(m)) is not None]
        if placeholders is None or not (placeholders or helpers) or self._has_relatives():
            return None
        edits: list[Edit] = []
        names: dict[str, _Replaced] = {}
        for name, method in self.methods.items():
            used = self._uses(method, placeholders)
            if name == "setUp" or not used:
                continue
            if not name.startswith("test"):
                return None
            self.changed.add(name)
            edits.append(self._own_placeholders(method, used, placeholders, names))
        edits += self._without(list(placeholders.values()))
        self.gone = {"setUp"} if placeholders else set()
        for helper in helpers:
            if not self._followed(helper):
                return None
            self.changed |= set(helper.calls)
            self.gone.add(helper.node.name)
            edits.append(self._removed(helper.node))
            for name, calls in helper.calls.items():
                edits += [self._inlined(helper, *call, names.get(name, [])) for call in calls]
        for node, name in (pair for replaced in names.values() for pair in replaced):
            edits.append(Edit(*self.lines.span(node), (name,)))  # lost where a call is inlined
        return apply(self.ctx.text, edits)[0] if self.changed else None

    # -- placeholders

    def _placeholders(self) -> dict[str, ast.Assign] | None:
        """Attribute -> the statement of setUp that makes it; None where one is not followed."""
        setup = self.methods.get("setUp")
        found: dict[str, ast.Assign] = {}
        if setup is None:
            return found
        calls = [
            n for n in walk(setup) if isinstance(n, ast.Call)
            and self.ctx.names.resolve_node(n.func, values=False) == "tensorflow.placeholder"
        ]
        for stmt in setup.body:
            if isinstance(stmt, ast.Assign) and len(stmt.targets) == 1 and stmt.value in calls:
                attribute = self_attribute(stmt.targets[0])
                if attribute is None or not self._same_everywhere(stmt.value):
                    return None
                found[attribute] = stmt
        if len(found) != len(calls):
            return None
        targets = {id(stmt.targets[0]) for stmt in found.values()}
        for node in walk(self.node):  # made once, and read as attributes of self only
            name = self_attribute(node)
            if name in found and id(node) not in targets and not isinstance(
                getattr(node, "ctx", None), ast.Load
            ):
                return None
        if any(self._uses(setup, found, targets)):
            return None
        return found

    def _same_everywhere(self, call: ast.expr) -> bool:
        """Whether an expression of setUp has the same value in every test."""
        stored = [
            name for node in walk(self.node)
            if isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))
            and (name := self_attribute(node))
        ]
        for node in walk(call):
            name = self_attribute(node)
            if name is not None and stored.count(name) != 1:
                return False
            if isinstance(node, ast.Name) and node.id != "self":
                scope = next(
                    (s for s in self.ctx.names.scopes if s.node is self.methods["setUp"]), None
                )
                if scope is None or node.id in scope.bindings:
                    return False
        return True

    def _uses(
        self, method: ast.FunctionDef, names: Collection[str], skipped: Collection[int] = ()
    ) -> list[ast.Attribute]:
        return [
            n for n in walk(method)
            if isinstance(n, ast.Attribute) and self_attribute(n) in names and id(n) not in skipped
        ]

    def _own_placeholders(
        self, method: ast.FunctionDef, used: list[ast.Attribute],
        made: dict[str, ast.Assign], names: dict[str, _Replaced],
    ) -> Edit:
        """Puts the placeholders that a test uses in front of its statements."""
        taken = {n.id for n in walk(method) if isinstance(n, ast.Name)}
        wanted = {n.attr for n in used}
        local: dict[str, str] = {}
        for attribute in made:
            if attribute in wanted:
                local[attribute] = fresh_name(attribute.lstrip("_"), taken)
                taken.add(local[attribute])
        names[method.name] = [(node, local[node.attr]) for node in used]
        body = method.body
        start = body[1] if len(body) > 1 and ast.get_docstring(method, clean=False) else body[0]
        indent = self.lines.indent(start.lineno)
        offset = self.lines.starts[start.lineno - 1]
        text = "".join(
            f"{indent}{name} = {self._text(made[attribute].value)}{self.lines.newline}"
            for attribute, name in local.items()
        )
        return Edit(offset, offset, (text,))

    def _without(self, placeholders: list[ast.Assign]) -> list[Edit]:
        """Takes the placeholders out of setUp, which keeps a statement."""
        edits = [self._removed(stmt) for stmt in placeholders]
        if placeholders and len(placeholders) == len(self.methods["setUp"].body):
            edits[0] = Edit(*self.lines.span(placeholders[0]), ("pass",))
        return edits

    # -- helpers

    def _helper(self, method: ast.FunctionDef) -> _Helper | None:
        """`method` as a helper that runs a parameter and feeds another, None if it is no such."""
        arguments = method.args
        body = method.body[1:] if ast.get_docstring(method, clean=False) else method.body
        if (
            method.name.startswith("test") or method.decorator_list or len(body) != 1
            or arguments.vararg or arguments.kwarg or arguments.defaults or arguments.kwonlyargs
            or arguments.posonlyargs or not isinstance(body[0], ast.With)
        ):
            return None
        block = body[0]
        last = block.body[-1]
        context = block.items[0].context_expr
        if (
            len(block.items) != 1 or not isinstance(last, ast.Return) or last.value is None
            or not isinstance(context, ast.Call) or self_attribute(context.func) not in TEST_SESSIONS
        ):
            return None
        parameters = [a.arg for a in arguments.args[1:]]
        inside = [n for statement in block.body for n in walk(statement)]
        returns = [n for n in inside if isinstance(n, (ast.Return, ast.Yield, ast.YieldFrom))]
        stores = {
            n.id for n in inside if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
        }
        uses = [n.id for n in inside if isinstance(n, ast.Name) and n.id in parameters]
        feeds = [
            k.value.id for n in walk(last.value) if isinstance(n, ast.Call) for k in n.keywords
            if k.arg == "feed_dict" and isinstance(k.value, ast.Name)
        ]
        if (
            len(returns) != 1 or stores or not set(feeds) & set(parameters)
            or sorted(uses) != sorted(parameters)
        ):
            return None
        return _Helper(method, block, parameters, last.value)

    def _followed(self, helper: _Helper) -> bool:
        """Finds the calls of a helper; whether all uses of it are such, in statements of tests."""
        uses = [n for n in walk(self.node) if self_attribute(n) == helper.node.name]
        found = 0
        for name, method in self.methods.items():
            for node in walk(method):
                if not isinstance(node, (ast.Assign, ast.Expr)):
                    continue
                call = node.value
                if not isinstance(call, ast.Call) or self_attribute(call.func) != helper.node.name:
                    continue
                if not name.startswith("test") or self._bound(helper, call) is None:
                    return False
                helper.calls.setdefault(name, []).append((node, call))
                found += 1
        return found == len(uses) > 0

    def _bound(self, helper: _Helper, call: ast.Call) -> dict[str, ast.expr] | None:
        """Parameter -> argument of one call."""
        bound = given_to(call, helper.parameters)
        return bound if bound is not None and set(bound) == set(helper.parameters) else None

    def _inlined(
        self, helper: _Helper, stmt: ast.stmt, call: ast.Call, replaced: _Replaced
    ) -> Edit:
        """The session block of a helper in the place of a statement that calls it."""
        bound = self._bound(helper, call)
        assert bound is not None
        start, end = self.lines.span(stmt)
        at, after = self.lines.span(call)
        values = {name: self._text(node, replaced) for name, node in bound.items()}
        item = self._text(helper.block.items[0].context_expr)
        variable = helper.block.items[0].optional_vars
        rows = [f"with {item} as {self._text(variable)}:" if variable else f"with {item}:"]
        rows += [self._with_values(statement, values) for statement in helper.block.body[:-1]]
        result = self._with_values(helper.returned, values)
        rows.append(
            self._spliced(start, at, replaced) + result + self._spliced(after, end, replaced)
        )
        indent = self.ctx.text[self.lines.starts[stmt.lineno - 1] : start] + "    "
        return Edit(start, end, ((self.lines.newline + indent).join(rows),))

    def _with_values(self, node: ast.stmt | ast.expr, values: dict[str, str]) -> str:
        """The text of a helper's part with arguments for its parameters."""
        names = [n for n in walk(node) if isinstance(n, ast.Name) and n.id in values]
        return self._spliced(*self.lines.span(node), [(n, values[n.id]) for n in names])

    # -- text

    def _has_relatives(self) -> bool:
        """Whether another class may be derived from this one."""
        for node in walk(self.ctx.tree):
            if isinstance(node, ast.ClassDef) and any(
                isinstance(base, ast.Name) and base.id == self.node.name for base in node.bases
            ):
                return True
        return _used_elsewhere(self.ctx, self.node.name)

    def _text(self, node: ast.expr, replaced: Sequence[tuple[ast.expr, str]] = ()) -> str:
        return self._spliced(*self.lines.span(node), replaced)

    def _spliced(self, start: int, end: int, parts: Sequence[tuple[ast.expr, str]]) -> str:
        """The text from `start` to `end` with other text for those `parts` that lie in it."""
        text, at = "", start
        for first, last, new in sorted((*self.lines.span(node), new) for node, new in parts):
            if at <= first and last <= end:
                text, at = text + self.ctx.text[at:first] + new, last
        return text + self.ctx.text[at:end]

    def _removed(self, stmt: ast.stmt) -> Edit:
        """Takes a statement out, with the blank lines behind it where some stand before it."""
        first, last = stmt.lineno - 1, stmt.end_lineno or stmt.lineno
        start = self.lines.starts[first]
        rows = lines_of(self.ctx.text, keepends=True)
        while last < len(rows) and not rows[last].strip() and first and not rows[first - 1].strip():
            last += 1
        end = self.lines.starts[last] if last < len(self.lines.starts) else len(self.ctx.text)
        return Edit(start, end, ())


def _used_elsewhere(ctx: FileContext, name: str) -> bool:
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
