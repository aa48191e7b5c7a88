"""TF703: tests that need a graph get one: the rung below eager tests, which always runs.

Before the tests are made eager, those are set apart that cannot be: gradients of tensors that setUp
made, placeholders that setUp keeps, calls of functions that only work in a graph, updates that are
run at another place than where they are built. Afterwards, so are tests whose session or
placeholder could not be taken out. They keep their TF 1 form and run in the graph that
``testing.TestCase`` opens for them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from migrator.analysis.facts_graph_code import is_test_case
from migrator.analysis.facts_graph_only import (
    OPENERS,
    asks_for_graph,
    graph_only_calls,
    is_traced,
    names_graph_only,
    opens_session,
    reads_operations,
)
from migrator.analysis.tree_walk import calls_in, children, last_name, statements, walk
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform
from migrator.model import Rung
from migrator.transforms.eager.body import MONITORED
from migrator.transforms.eager.body import SESSIONS as MADE_SESSIONS
from migrator.transforms.eager.built_only import (
    SESSIONS,
    asks_for_summaries,
    asserts_graph_mode,
    makes_images,
    puts_channels_first,
    runs_nothing,
)
from migrator.transforms.eager.called import asks_for_names, graph_needs, runs_by_default
from migrator.transforms.eager.late_updates import late_update

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "TF703"
MARK = "in_graph"
TRACED = "only_traced"
_GRADIENTS = frozenset({"tensorflow.gradients", "tensorflow.hessians"})
_JUDGED = "tf1_support.testing.TestCase"
_LOOKS = "it looks into the graph, which eager code does not build"
_OUTPUT = re.compile(r"\w:\d$")  # the end of a tensor's name
_Function = ast.FunctionDef
_Marks = dict[int, tuple[ast.stmt, str, str]]  # id(class or function) -> (it, why, the mark)


def marked(node: ast.AST) -> bool:
    """Whether a class or function stays in a graph, by the mark of this transform."""
    return isinstance(node, (ast.FunctionDef, ast.ClassDef)) and has_mark(node, MARK)


def has_mark(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, name: str) -> bool:
    """Whether a class or function has a decorator of that last name."""
    return any(last_name(decorator) == name for decorator in node.decorator_list)


def serving_graphs(node: ast.ClassDef) -> set[str]:
    """The methods of a class that its tests in graphs call, by themselves or through others."""
    methods = {m.name: m for m in node.body if isinstance(m, ast.FunctionDef)}
    queue = [name for name, method in methods.items() if has_mark(method, MARK)]
    found: set[str] = set()
    while queue:
        called = {c for c in _own_calls(methods[queue.pop()]) if c in methods} - found
        found |= called
        queue += called
    return found


def test_classes(tree: ast.Module) -> Iterator[ast.ClassDef]:
    """Classes of tests that have no mark."""
    for node in statements(tree):
        if isinstance(node, ast.ClassDef) and is_test_case(node) and not marked(node):
            yield node


def _is_judged(ctx: FileContext) -> bool:
    """Whether the tests of a file have their form: what is eager by now looks like a test that needs one."""
    return any(ctx.names.resolve_node(base) == _JUDGED for node in statements(ctx.tree)
               if isinstance(node, ast.ClassDef) for base in node.bases)


@transform
class GraphTests:
    """Sets the tests apart that cannot be eager, before others are made so."""

    name = "graph_tests"
    triggers = frozenset({"tensorflow.*"})
    order = 38

    def run(self, ctx: FileContext) -> str | None:
        if "TestCase" not in ctx.text or _is_judged(ctx):
            return None
        marks: _Marks = {}
        for node in test_classes(ctx.tree):
            _judge_class(ctx, node, marks)
        return _mark(ctx, marks)


@transform
class LeftGraphTests:
    """Marks the tests that still have a placeholder or a session of the test case."""

    name = "left_graph_tests"
    triggers = frozenset({"tensorflow.*"})
    order = 41

    def run(self, ctx: FileContext) -> str | None:
        text = ctx.text
        if "TestCase" not in text or not (
            names_graph_only(text) or "Session(" in text or "get_default_graph" in text
            or any(f"self.{name}(" in text for name in SESSIONS)
        ):
            return None
        marks: _Marks = {}
        for node in test_classes(ctx.tree):
            methods = {m.name: m for m in node.body if isinstance(m, ast.FunctionDef)}
            left = {name: why for name, m in methods.items() if (why := _left(ctx, m))}
            if "setUp" not in methods or not _uses_tensorflow(ctx, methods["setUp"]):
                left |= {name: "its session could not be taken out" for name, m in methods.items()
                         if _makes_session(ctx, m) and not _builds_graph(m)}
            _inherit(methods, left)
            for name, why in left.items():
                if name.startswith("test") and not marked(methods[name]):
                    marks[id(methods[name])] = methods[name], why, MARK
        return _mark(ctx, marks)


def _left(ctx: FileContext, method: _Function) -> str:
    """What of TF 1's graphs a method has left, in words; empty where nothing is."""
    calls = graph_only_calls(method, ctx.names)
    if calls and not _builds_graph(method):
        return f"tf.{calls[0][1].removeprefix('tensorflow.')} needs a graph"
    for call in calls_in(method):
        if isinstance(call.func, ast.Attribute) and call.func.attr in SESSIONS:
            if isinstance(call.func.value, ast.Name) and call.func.value.id == "self":
                return "its session could not be taken out"
    return _LOOKS if asks_for_graph(method, ctx.names) and not _builds_graph(method) else ""


def _makes_session(ctx: FileContext, method: _Function) -> bool:
    return any(
        ctx.names.resolve_node(call.func, values=False) in MADE_SESSIONS for call in calls_in(method)
    )


def _runs(ctx: FileContext, method: _Function) -> bool:
    """Whether a method has a session of its own, the test case's or another."""
    return any(last_name(call.func) in SESSIONS for call in calls_in(method)) or _makes_session(ctx, method)


def _uses_tensorflow(ctx: FileContext, method: _Function) -> bool:
    return any(
        (ctx.names.resolve_node(call.func, values=False) or "").startswith("tensorflow.")
        for call in calls_in(method)
    )


def _builds_graph(method: _Function) -> bool:
    """Whether a method opens graphs of its own."""
    return any(
        isinstance(call.func, ast.Attribute) and call.func.attr == "as_default"
        for call in calls_in(method)
    )


# -- before


def _judge_class(ctx: FileContext, node: ast.ClassDef, marks: _Marks) -> None:
    methods = {m.name: m for m in node.body if isinstance(m, ast.FunctionDef) and not is_traced(m)}
    reasons = {
        name: why
        for name, m in methods.items()
        if (why := _lives_on_graph(ctx, m) or (not opens_session(m) and _needs_graph(ctx, m)))
    }
    _inherit(methods, reasons)
    if "setUp" in reasons:
        marks[id(node)] = node, f"in setUp, {reasons['setUp']}", MARK
        return
    made = _attributes(methods.get("setUp"))
    for name, method in methods.items():
        if not name.startswith("test") or marked(method):
            continue
        why = ""
        if not _builds_graph(method):
            why = (
                _lives_on_graph(ctx, method)
                or _gradients_of(ctx, method, made)
                or _called_needs(ctx, method, reasons)
                or late_update(ctx, method)
                or asks_for_summaries(ctx, method)
                or asserts_graph_mode(ctx, method)
                or _named_arguments(ctx, method)
            )
        elif not _runs(ctx, method):  # what opens only a graph leaves its sessions to what it calls
            why = _called_needs(ctx, method, reasons)
        why = why or _run_by_others(ctx, method) or _run_inside(method) or _compared_name(method)
        builds = "" if why else _only_builds(ctx, method, methods)
        if builds:
            # Variables of another device than this machine has can be built, but not be made.
            marks[id(method)] = method, builds, MARK if _names_devices(method) else TRACED
        elif not why and not _builds_graph(method) and not opens_session(method):
            why = asked_name(ctx, method)
        if why:
            marks[id(method)] = method, why, MARK


def _lives_on_graph(ctx: FileContext, method: _Function) -> str:
    """A reason if what a method does by itself is done by the runs of a graph, or to the graph."""
    return _monitored(ctx, method) or _looks_into(ctx, method) or _fills_queues(ctx, method)


def _monitored(ctx: FileContext, method: _Function) -> str:
    """A reason if a method makes a session that does more than to run what it is asked for."""
    given = (call.func for call in calls_in(method) if call.args or call.keywords)
    monitored = any(ctx.names.resolve_node(func, values=False) in MONITORED for func in given)
    return "what its session is given, as hooks, works on the runs of a graph" if monitored else ""


def _looks_into(ctx: FileContext, method: _Function) -> str:
    """A reason if a method looks into the graph that it builds, other than a test that asks for it itself:
    such a one may be traced."""
    if reads_operations(method):
        return "it looks into operations, which eager tensors do not have"
    asks = not method.name.startswith("test") and asks_for_graph(method, ctx.names)
    return _LOOKS if asks else ""


def _fills_queues(ctx: FileContext, method: _Function) -> str:
    """A reason if a method makes a queue, which it then fills by runs."""
    made = any(last_name(call.func).endswith("Queue")
               and (ctx.names.resolve_node(call.func, values=False) or "").startswith("tensorflow.")
               for call in calls_in(method))
    return "its queue is filled when a graph runs" if made else ""


def _needs_graph(ctx: FileContext, method: _Function) -> str:
    """What in a method only works in a graph, in words; empty if nothing does."""
    for _, symbol in graph_only_calls(method, ctx.names):
        return f"tf.{symbol.removeprefix('tensorflow.')} needs a graph"
    return _needs_of_calls(ctx, method)


def _called(ctx: FileContext, method: _Function) -> Iterator[str]:
    """What of the project a method may call, by name; also what decorators give it as parameters."""
    given = (part for decorator in method.decorator_list if isinstance(decorator, ast.Call)
             for part in walk(decorator) if isinstance(part, (ast.Name, ast.Attribute)))
    for func in (*(call.func for call in calls_in(method)), *given):
        name = ctx.names.resolve_node(func, values=False)
        if name is None and isinstance(func, ast.Name):
            name = f"{ctx.module_name}.{func.id}"
        if name is not None and not name.startswith(("tensorflow.", "builtins.", "numpy.")):
            yield name


def _needs_of_calls(ctx: FileContext, method: _Function) -> str:
    for name in _called(ctx, method):
        needs = graph_needs(ctx, name)
        if needs:
            symbol = needs[0].removeprefix("tensorflow.")
            return f"{name.rpartition('.')[2]} calls tf.{symbol}, which needs a graph"
    return ""


def _called_needs(ctx: FileContext, method: _Function, reasons: dict[str, str]) -> str:
    """Why a function of the project, or a method of its class, that a method calls needs a graph."""
    return _needs_of_calls(ctx, method) or next(
        (reasons[called] for called in _own_calls(method) if called in reasons), "")


def _named_arguments(ctx: FileContext, method: _Function) -> str:
    """A reason if a function of the project asks for the name of a tensor that it is given."""
    asking = next(filter(None, (asks_for_names(ctx, name) for name in _called(ctx, method))), "")
    return f"{asking} asks for the name of a tensor" if asking else ""


def _run_by_others(ctx: FileContext, method: _Function) -> str:
    """A reason if a function of the project runs operations in the session of the test."""
    running = next(filter(None, (runs_by_default(ctx, name) for name in _called(ctx, method))), "")
    return f"{running} runs operations in its session" if running else ""


def _run_inside(method: _Function) -> str:
    """A reason if a function inside a method feeds the method's placeholders, or runs what that built."""
    sessions = {
        item.optional_vars.id for block in walk(method) if isinstance(block, ast.With) for item in block.items
        if isinstance(item.optional_vars, ast.Name) and isinstance(item.context_expr, ast.Call)
        and last_name(item.context_expr.func) in OPENERS
    }
    for inner in walk(method):
        if inner is method or not isinstance(inner, _Function) or opens_session(inner):
            continue
        own = {a.arg for a in (*inner.args.posonlyargs, *inner.args.args, *inner.args.kwonlyargs)}
        own |= {n.id for n in walk(inner) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        for call in calls_in(inner):
            run = _run_of_session(call, sessions)
            if run is not None and (run[1] or not _names(run[0]) <= own):
                return f"{inner.name} runs what is built around it"
    return ""


def _compared_name(method: _Function) -> str:
    """A reason if a test compares the name of a tensor that a call made: eager ones have none."""
    made = {
        target.id for node in walk(method)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        and "variable" not in last_name(node.value.func).lower()
        for target in node.targets if isinstance(target, ast.Name)
    }
    for call in calls_in(method):
        if last_name(call.func) not in ("assertEqual", "assertEquals") or not any(
                isinstance(a, ast.Constant) and isinstance(a.value, str) and _OUTPUT.search(a.value)
                for a in call.args):
            continue
        for given in call.args:
            if isinstance(given, ast.Attribute) and given.attr == "name" and (
                    isinstance(given.value, ast.Name) and given.value.id in made):
                return f"it compares the name of {given.value.id}"
    return ""


def _run_of_session(call: ast.Call, sessions: set[str]) -> tuple[ast.expr, bool] | None:
    """(what is fetched, whether something is fed) of a run in the session around a function."""
    func = call.func
    if not isinstance(func, ast.Attribute):
        return None
    fed = {word.arg for word in call.keywords}
    if func.attr == "run" and isinstance(func.value, ast.Name) and func.value.id in sessions and call.args:
        return call.args[0], len(call.args) > 1 or "feed_dict" in fed
    if func.attr == "eval" and isinstance(func.value, (ast.Name, ast.Attribute, ast.Subscript)) and (
            fed <= {"feed_dict"} and len(call.args) + len(fed) < 2):
        return func.value, bool(call.args or fed)
    return None


def _names(node: ast.expr) -> set[str]:
    return {n.id for n in walk(node) if isinstance(n, ast.Name)}


def _inherit(methods: dict[str, _Function], reasons: dict[str, str]) -> None:
    """Give every method the reasons of the methods of the same class that it calls."""
    calls = {name: _own_calls(method) for name, method in methods.items()}
    changed = True
    while changed:
        changed = False
        for name, called in calls.items():
            other = next((o for o in called if o in reasons), None)
            if other is not None and name not in reasons:
                reasons[name] = reasons[other]
                changed = True


def _own_calls(method: _Function) -> list[str]:
    """Names of the methods of its class that a method calls."""
    return [
        c.func.attr
        for c in calls_in(method)
        if isinstance(c.func, ast.Attribute)
        and isinstance(c.func.value, ast.Name)
        and c.func.value.id == "self"
    ]


def _attributes(setup: _Function | None) -> set[str]:
    """Attributes of self that setUp assigns."""
    if setup is None:
        return set()
    return {
        n.attr
        for n in walk(setup)
        if isinstance(n, ast.Attribute)
        and isinstance(n.ctx, ast.Store)
        and isinstance(n.value, ast.Name)
        and n.value.id == "self"
    }


def _gradients_of(ctx: FileContext, method: _Function, made: set[str]) -> str:
    """A reason if gradients are taken of what setUp made, which eager code has lost by then."""
    gradients = [c for c, s in graph_only_calls(method, ctx.names) if s in _GRADIENTS]
    if gradients and any(isinstance(n, ast.Attribute) and n.attr in made for n in walk(method)):
        return "gradients with respect to tensors that setUp made"
    return ""


def asked_name(ctx: FileContext, method: _Function | ast.AsyncFunctionDef) -> str:
    """The name of an operation that a function of the project made: eager tensors have no op."""
    if ".op.name" not in ctx.text:
        return ""
    made: dict[str, str] = {}
    asked: list[str] = []
    queue: list[ast.AST] = list(method.body)
    while queue:
        node = queue.pop()
        if isinstance(node, (ast.FunctionDef, ast.Lambda, ast.ClassDef)):
            continue
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            name = ctx.names.resolve_node(node.value.func, values=False) or ""
            found = ctx.index.definition(name, ctx.path)
            if found is not None and found[1]:
                for target in node.targets:
                    parts = target.elts if isinstance(target, ast.Tuple) else [target]
                    made.update((part.id, found[1]) for part in parts if isinstance(part, ast.Name))
        elif isinstance(node, ast.Attribute) and node.attr == "name":
            owner = node.value
            if isinstance(owner, ast.Attribute) and owner.attr == "op":
                base = owner.value.value if isinstance(owner.value, ast.Subscript) else owner.value
                if isinstance(base, ast.Name):
                    asked.append(base.id)
        queue += children(node)
    name = next((name for name in asked if name in made), "")
    return f"it asks for the name of an operation that {made[name]} makes" if name else ""


def _only_builds(ctx: FileContext, method: _Function, methods: dict[str, _Function]) -> str:
    """A reason to trace a test: it asks for names of operations, or builds on images what eager
    code would compute in full, or what a CPU cannot compute, and runs nothing."""
    if has_mark(method, TRACED) or not (
        makes_images(ctx, method) or puts_channels_first(method) or asked_name(ctx, method)
    ):
        return ""
    return "it runs nothing" if runs_nothing(ctx, method, methods, {method.name}) else ""


def _names_devices(method: _Function) -> bool:
    return any(
        isinstance(n, ast.Constant) and isinstance(n.value, str) and "gpu:" in n.value.lower()
        for n in walk(method)
    )


# -- marking


def _mark(ctx: FileContext, marks: _Marks) -> str | None:
    if not marks:
        return None
    lines = Lines(ctx.text)
    edits: list[Edit] = []
    for node, why, name in marks.values():
        assert isinstance(node, (ast.FunctionDef, ast.ClassDef))
        if ctx.suppressed(CODE, node):
            continue
        start = lines.starts[node.lineno - 1]  # the line of `def`, below other decorators
        indent = lines.indent(node.lineno)
        newline = "\r\n" if ctx.text[:start].endswith("\r\n") else "\n"
        mark = ctx.support(f"testing.{name}")
        edits.append(Edit(start, start, (f"{indent}@{mark}{newline}",)))
        if name == TRACED:
            ctx.change(CODE, node, f"the test is traced and not computed: {why}", Rung.SUPPORT)
            continue
        ctx.change(CODE, node, f"this test stays in a graph: {why}", Rung.SUPPORT)
        ctx.finding(
            CODE,
            node,
            f"{node.name} stays a graph test: {why}",
            "call what it tests in a tf.function, or with values instead of feeds, and drop the "
            "session",
            Rung.SUPPORT,
            "tf.Session",
        )
    return apply(ctx.text, edits)[0] if edits else None
