"""Session programs become native: one `tf.function` for each set of fetches, the loops stay."""

from __future__ import annotations

import ast
from dataclasses import dataclass

import libcst as cst

from migrator.analysis import graph_kinds as k
from migrator.analysis.facts_functions import module_functions
from migrator.analysis.graph_values import FunctionFact
from migrator.analysis.names import NameTable, Scope
from migrator.analysis.program import Obstacle, Program
from migrator.analysis.source import SourceText
from migrator.engine.context import FileContext
from migrator.engine.registry import transform
from migrator.model import Rung
from migrator.transforms._session_functions import Style
from migrator.transforms._session_plan import Names, ScopePlan, Shared, SupportNames
from migrator.transforms._session_render import Decisions, Renderer, tidy

ADVICE = "It stays TF1 and runs through compat; to make it native: "


class FunctionTable:
    """Facts of the functions that one file calls: its own and those of the project's index."""

    def __init__(self, ctx: FileContext, tree: ast.Module, names: NameTable) -> None:
        self._ctx = ctx
        self._own = module_functions(tree, names)
        self._cache: dict[str, FunctionFact | None] = {}

    def __call__(self, name: str) -> FunctionFact | None:
        if name in self._own:
            fact, calls = self._own[name]
            return FunctionFact(fact.kind, fact.parts, fact.flags | self._inherited(calls, 0),
                                fact.node)
        return self._foreign(name, 0) if "." in name else None

    def _foreign(self, dotted: str, depth: int) -> FunctionFact | None:
        if dotted in self._cache or depth > 12:
            return self._cache.get(dotted)
        self._cache[dotted] = None
        found = self._ctx.index.resolve(dotted, self._ctx.path)
        if found is None:
            return None
        module, rest = found
        facts = self._ctx.index.fact(module.path, "functions", self._ctx.path) or {}
        record = facts.get(rest)
        if record is None:
            if rest and rest.split(".")[0] in module.summary.classes:
                self._cache[dotted] = FunctionFact(k.PY, (), frozenset())
            return self._cache[dotted]
        flags = frozenset(record["flags"]) | self._inherited(set(record["calls"]), depth + 1)
        self._cache[dotted] = FunctionFact(record["kind"], tuple(record["parts"]), flags)
        return self._cache[dotted]

    def _inherited(self, calls: set[str], depth: int) -> frozenset[str]:
        flags: frozenset[str] = frozenset()
        for call in calls:
            found = self._foreign(call, depth)
            if found is not None:
                flags |= found.flags - {"single", "tuple", "dict", "session"}
        return flags


@dataclass
class FilePrograms:
    """All programs of a file: the module's and one for every function outside classes."""

    module: Program
    functions: list[tuple[ast.FunctionDef, Program]]


def programs_of(
    tree: ast.Module, names: NameTable, function: FunctionTable
) -> FilePrograms:
    """Build the models of one file."""
    scopes: dict[int, Scope] = {id(scope.node): scope for scope in names.scopes}
    module = Program(names, names.module_scope, tree.body, function)
    functions = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            functions.append((node, Program(names, scopes[id(node)], node.body, function, module)))
    return FilePrograms(module, functions)


@transform
class SessionPrograms:
    """Rewrites the session programs of scripts and functions; what is not provable stays."""

    name = "session_programs"
    triggers = frozenset({"tensorflow.Session", "tensorflow.InteractiveSession"})
    order = 10

    def run(self, ctx: FileContext) -> cst.Module | None:
        """The module with its provable session programs rewritten, None where there are none."""
        text = ctx.module.code
        tree = ast.parse(text)
        names = NameTable.of(tree, ctx.module_name, ctx.is_package)
        table = FunctionTable(ctx, tree, names)
        source = SourceText(text, tree)
        programs = programs_of(tree, names, table)
        free = Names(names.used_names)
        decisions = Decisions()
        support = SupportNames(ctx.support)
        rewritten: list[ScopePlan] = []
        shared_graph = any(item.role == "trace" for item in programs.module.items)
        module_shared = Shared()
        for program in [p for _, p in programs.functions] + [programs.module]:
            sites = list(program.run_sites())
            if not sites:
                continue
            own = Decisions()
            shared = module_shared if shared_graph else Shared()
            style = Style(tf=_tf_name(ctx), jit=ctx.options.jit)
            plan = ScopePlan(program, source, free, own, style, support, shared)
            try:
                plan.plan()
                _trial(source, tree, own)
            except Obstacle as obstacle:
                ctx.finding(
                    "TF390", obstacle.node, f"Session program kept: {obstacle.reason}.",
                    ADVICE + obstacle.advice + ".", rung=Rung.COMPAT,
                    symbol="tensorflow.Session.run",
                )
                if shared_graph:
                    return None
                continue
            _merge(decisions, own)
            rewritten.append(plan)
        if not rewritten:
            return None
        new_text = _rendered(source, tree, decisions)
        for plan in rewritten:
            for note in plan.notes:
                ctx.change(note.code, note.node, note.reason, symbol=note.symbol)
        return cst.parse_module(new_text)


def _merge(into: Decisions, other: Decisions) -> None:
    into.dropped |= other.dropped
    into.replaced.update(other.replaced)
    into.opened |= other.opened
    into.headers.update(other.headers)
    into.edits.extend(other.edits)
    for name in ("before", "after"):
        own: dict[int, list[str]] = getattr(into, name)
        for key, lines in getattr(other, name).items():
            own.setdefault(key, []).extend(lines)


def _rendered(source: SourceText, tree: ast.Module, decisions: Decisions) -> str:
    renderer = Renderer(source, decisions)
    lines = renderer.block(tree.body, 0)
    last = tree.body[-1].end_lineno or 0
    lines += source.lines[last:]
    return tidy("".join(lines))


def _trial(source: SourceText, tree: ast.Module, decisions: Decisions) -> None:
    """Raise Obstacle where the new text would not compile."""
    text = _rendered(source, tree, decisions)
    try:
        ast.parse(text)
    except SyntaxError as error:
        raise Obstacle(tree.body[0], f"the rewritten program would not compile ({error})",
                       "please report this") from error


def _tf_name(ctx: FileContext) -> str:
    return ctx.require_import("tensorflow", None, "tf")
