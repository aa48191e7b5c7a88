"""Gives session programs that stay TF1 a graph to build into: TensorFlow 2 has none by default."""

from __future__ import annotations

import ast

from migrator.analysis import graph_kinds as k
from migrator.analysis.facts_graph_classes import placeholder_attributes
from migrator.analysis.names import NameTable, Scope
from migrator.analysis.shared_graphs import builds_shared_graph, gives_session, session_homes
from migrator.analysis.source import Edit, SourceText
from migrator.analysis.tree_walk import walk
from migrator.engine.context import FileContext
from migrator.engine.imports import imports_before_use
from migrator.engine.registry import transform
from migrator.model import Rung
from migrator.transforms.sessions.helpers import names_session
from migrator.transforms.sessions.reshaping.split import is_main

_BUILD = "compat.build_graph"
_MAKERS = (k.SESSION, k.PLACEHOLDER, k.INIT, k.TRAIN)
_SESSIONS = frozenset(
    f"tensorflow.{name}" for name in (
        "Session", "InteractiveSession", "train.MonitoredTrainingSession", "train.MonitoredSession",
        "train.SingularMonitoredSession", "train.Supervisor",
    )
)
_GIVEN = "a function that gives a session"
_SAVER = "tensorflow.train.Saver"
#: They refuse to be made eagerly, whatever graph they are given.
_EAGER_REFUSED = frozenset({"tensorflow.train.Supervisor"})


@transform
class GraphsForSessions:
    """Functions that make a session get a graph of their own; a script is not eager as a whole."""

    name = "session_worlds"
    triggers = frozenset({*_SESSIONS, "tensorflow.placeholder", "tensorflow.placeholder_with_default"})
    order = 92  # after all that makes sessions native

    def run(self, ctx: FileContext) -> None:
        """Decorate functions that build a graph and run it, and classes whose methods do, or switch
        eager execution off."""
        if builds_shared_graph(ctx.index, ctx.path):
            return self._shared(ctx)
        makers = [*_makers(ctx), *_checkpoints(ctx)]
        if not makers or any("TestCase" in ast.unparse(b) for n in ctx.tree.body
                             if isinstance(n, ast.ClassDef) for b in n.bases):
            return
        source = SourceText(ctx.text, ctx.tree)
        edits: list[Edit] = []
        at_module = [call for call, scope in (*((c, s) for c, s, _ in makers), *_models(ctx))
                     if scope.kind == "module" and not _has_graph(ctx.tree, call, ctx.names)]
        if at_module:
            if _BUILD not in ctx.text:
                edits.append(self._lazy(ctx, source, at_module))
        else:
            done: set[int] = set()
            for call, scope, symbol in makers:
                function, owner = _function(scope)
                if symbol not in (*_SESSIONS, _GIVEN, _SAVER) or function is None:
                    continue
                if owner is None and gives_session(ctx.index, ctx.path, function.name):
                    continue  # who calls it builds what it runs
                unit = owner or function
                if id(unit) in done or _decorated(unit) or _decorated(function):
                    continue
                if symbol not in _EAGER_REFUSED and _has_graph(function, call, ctx.names):
                    continue
                if any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in walk(function)):
                    continue
                done.add(id(unit))
                name = ctx.support("compat.in_graph_mode")
                line = source.first_line(unit)
                start = source.offset(line, 0)
                edits.append((start, start, f"{source.indent(unit)}@{name}\n"))
                ctx.change("TF391", call, "TensorFlow 2 is eager: the session's graph is built in "
                           "a graph of its own", Rung.COMPAT, symbol=symbol)
        if edits:
            ctx.text = source.splice(0, len(ctx.text), edits)

    @staticmethod
    def _shared(ctx: FileContext) -> None:
        """All that imports the module that makes a shared session builds its graph."""
        if ctx.path in session_homes(ctx.index) and _BUILD not in ctx.text:
            ctx.change("TF391", 1, "the session made here runs what other code builds: "
                       "TensorFlow 2 is eager, so all that imports this module builds one graph",
                       Rung.COMPAT)
            source = SourceText(ctx.text, ctx.tree)
            ctx.text = source.splice(0, len(ctx.text), [_behind_imports(ctx, source)])

    @staticmethod
    def _lazy(ctx: FileContext, source: SourceText, calls: list[ast.Call]) -> Edit:
        """The whole script builds one graph, from behind the last import at the top; where only
        ``if __name__ == "__main__":`` builds, from its beginning: others may import the module."""
        ctx.change("TF391", calls[0], "TensorFlow 2 is eager: this script builds a graph as a whole",
                   Rung.COMPAT)
        main = next((n for n in ctx.tree.body if isinstance(n, ast.If) and is_main(n)), None)
        if main is not None and all(main.lineno <= c.lineno <= (main.end_lineno or 0) for c in calls):
            first = main.body[0]
            if first.lineno > main.lineno:
                start = source.offset(source.first_line(first), 0)
                return start, start, f"{source.indent(first)}{ctx.support(_BUILD)}()\n"
        return _behind_imports(ctx, source)


def _behind_imports(ctx: FileContext, source: SourceText) -> Edit:
    """The call that makes all that follows build a graph, behind the imports at the
    top, those of this package among them."""
    last = (imports_before_use(ctx.tree) or ctx.tree.body[:1])[-1]
    end = source.line_end(last.end_lineno or last.lineno)
    return end, end, f"\n{ctx.support(_BUILD)}()\n"


def _makers(ctx: FileContext) -> list[tuple[ast.Call, Scope, str]]:
    """Calls that make what a graph is run with, their scopes and symbols (`_GIVEN` for functions of
    the project that give a session)."""
    found = []
    for reference in ctx.names.references:
        if reference.call is None or reference.role != "load":
            continue
        target = ctx.names.reference_target(reference)
        symbol = target.name if target is not None else ".".join((reference.root, *reference.attrs))
        if not symbol.startswith("tensorflow.") and gives_session(ctx.index, ctx.path, symbol):
            symbol = _GIVEN
        if symbol in _SESSIONS or symbol == _GIVEN or (
            symbol.startswith("tensorflow.") and "(" not in symbol
            and k.call_kind(symbol) in _MAKERS and not symbol.endswith("get_default_session")
        ):
            found.append((reference.call, reference.scope, symbol))
    return found


def _checkpoints(ctx: FileContext) -> list[tuple[ast.Call, Scope, str]]:
    """Calls that give a Saver a session where no graph is entered: made in a graph, it would still
    take itself for an eager one there."""
    return [
        (reference.call, reference.scope, _SAVER) for reference in ctx.names.references
        if reference.call is not None and reference.attrs[-1:] in (("save",), ("restore",))
        and reference.call.args
        and names_session(ast.unparse(reference.call.args[0]))
    ]


def _models(ctx: FileContext) -> list[tuple[ast.Call, Scope]]:
    """Calls of the project's classes that keep placeholders, and their scopes: objects of theirs
    are graphs that others run, unless runs of this module are native by now."""
    if any(change.code == "TF302" for change in ctx.changes):
        return []
    own = {n.name for n in ctx.tree.body
           if isinstance(n, ast.ClassDef) and placeholder_attributes(n, ctx.names)}
    found: list[tuple[ast.Call, Scope]] = []
    for reference in ctx.names.references:
        if reference.call is None or reference.role != "load":
            continue
        target = ctx.names.reference_target(reference)
        if target is None:
            if not reference.attrs and reference.root in own:
                found.append((reference.call, reference.scope))
            continue
        hit = ctx.index.resolve(target.name, ctx.path)
        if hit and hit[1] in (ctx.index.fact(hit[0].path, "graph_classes") or {}):
            found.append((reference.call, reference.scope))
    return found


def _function(scope: Scope) -> tuple[ast.FunctionDef | None, ast.ClassDef | None]:
    """The outermost function or method around a scope, and the class that it is a method of."""
    found, owner = None, None
    current: Scope | None = scope
    while current is not None:
        if isinstance(current.node, ast.FunctionDef):
            found, owner = current.node, None
        elif isinstance(current.node, ast.ClassDef) and found is not None and owner is None:
            owner = current.node
        current = current.parent
    return found, owner


def _decorated(unit: ast.FunctionDef | ast.ClassDef) -> bool:
    return any("in_graph_mode" in ast.unparse(d) for d in unit.decorator_list)


def _has_graph(around: ast.AST, call: ast.Call, names: NameTable) -> bool:
    """Whether a call is given a graph, or is made inside of one that is entered."""
    symbol = names.resolve_node(call.func, values=False)
    if any(k_.arg == "graph" for k_ in call.keywords) or len(call.args) > 1 and symbol in _SESSIONS:
        return True
    for node in walk(around):
        if isinstance(node, ast.With) and any(inner is call for inner in walk(node)):
            for item in node.items:
                context = item.context_expr
                if isinstance(context, ast.Call) and isinstance(context.func, ast.Attribute):
                    if context.func.attr in ("as_default", "graph_session"):
                        return True
                    if call not in walk(context) and (
                        names.resolve_node(context.func, values=False) in _SESSIONS
                    ) and any(k_.arg == "graph" for k_ in context.keywords):
                        return True
    return False
