"""Session programs become native: one `tf.function` for each set of fetches, the loops stay."""

from __future__ import annotations

import ast
from dataclasses import dataclass

import libcst as cst

from migrator.analysis.names import NameTable, Scope
from migrator.analysis.program import Obstacle, Program
from migrator.analysis.source import SourceText
from migrator.engine.context import FileContext
from migrator.engine.registry import transform
from migrator.model import Rung
from migrator.transforms._session_facts import FunctionTable
from migrator.transforms._session_functions import Style
from migrator.transforms._session_plan import Names, ScopePlan, Shared, SupportNames
from migrator.transforms._session_render import Decisions, rendered

ADVICE = "It stays TF1 and runs through compat; to make it native: "


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
        new_text = rendered(source, tree, decisions)
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


def _trial(source: SourceText, tree: ast.Module, decisions: Decisions) -> None:
    """Raise Obstacle where the new text would not compile."""
    text = rendered(source, tree, decisions)
    try:
        ast.parse(text)
    except SyntaxError as error:
        raise Obstacle(tree.body[0], f"the rewritten program would not compile ({error})",
                       "please report this") from error


def _tf_name(ctx: FileContext) -> str:
    return ctx.require_import("tensorflow", None, "tf")
