"""Session programs become native: one `tf.function` for each set of fetches, the loops stay."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import replace

from migrator.analysis import graph_kinds as k
from migrator.analysis.class_program import ClassProgram, attribute_users
from migrator.analysis.dataflow import statement_flow
from migrator.analysis.index import ProjectIndex
from migrator.analysis.names import NameTable, canonical
from migrator.analysis.program import Program
from migrator.analysis.program_items import KEEP, RUN, TRACE, Obstacle
from migrator.analysis.shared_graphs import free, users_of_homes
from migrator.analysis.source import SourceText
from migrator.analysis.tree_walk import walk
from migrator.engine.context import FileContext
from migrator.engine.linemap import LineMap
from migrator.engine.options import Options
from migrator.engine.registry import transform
from migrator.model import Rung
from migrator.transforms.sessions.facts import FunctionTable
from migrator.transforms.sessions.helpers import withs_of
from migrator.transforms.sessions.objects.models import Planning, group_of, groups_of
from migrator.transforms.sessions.planning.plan import ScopePlan
from migrator.transforms.sessions.reading.scopes import Unit, report, units_of
from migrator.transforms.sessions.records import Names, Note, SupportNames
from migrator.transforms.sessions.reshaping.amend import Amendable, LooseAttribute, Remark
from migrator.transforms.sessions.reshaping.gather import gathered, runs_left
from migrator.transforms.sessions.reshaping.handed import hands_sessions, shown_lists
from migrator.transforms.sessions.reshaping.nested import moved_runs
from migrator.transforms.sessions.step import Style
from migrator.transforms.sessions.writing.lost import refuse_lost_names
from migrator.transforms.sessions.writing.render import Decisions, rendered
from migrator.transforms.sessions.writing.reports import lost_reports

_AMENDMENTS = 20  # texts to try before a program is kept


def _check_class(
    ctx: FileContext, tree: ast.Module, unit: Unit, planned: Mapping[str, ast.Module]
) -> None:
    """Raise Obstacle where the graph's attributes are used other than by run sites."""
    whole = unit.class_program
    assert whole is not None
    attributes = whole.graph_attributes()
    trees = [tree]
    for path in ctx.index.importers(ctx.path):
        other = planned.get(path) or ctx.index.tree(path)
        if other is not None:
            trees.append(other)
    user = attribute_users(trees, attributes | set(whole.feeds), whole.node)
    if user is not None:
        raise Obstacle(whole.node, f"its graph's {user.attr} is used outside the class",
                       "give the class a method that computes it")
    traced = {f"{whole.owner}.{name}" for name in attributes}
    keys = set[int]().union(*(method.keys for method in whole.feeds.values()))
    for program in unit.programs:
        if program is whole:
            continue
        for item in program.items:
            covered: set[str] = set()
            for site in item.runs:
                covered |= statement_flow(site.call, program.owner).uses
            loose = (item.flow.uses - covered) & traced
            if keys and loose:
                loose &= {ast.unparse(n) for n in walk(item.stmt) if id(n) not in keys and (
                    isinstance(n, ast.Attribute))}
            method = program.scope.node
            helps = isinstance(method, ast.FunctionDef) and not any(program.run_sites())
            if loose and (item.role in (KEEP, RUN) or helps):
                if isinstance(method, ast.FunctionDef) and helps:
                    raise LooseAttribute(item.stmt, whole.node.name, method.name, sorted(loose)[0])
                raise Obstacle(item.stmt, f"{sorted(loose)[0]} is used outside of a run",
                               "compute it in the step")
        for item in program.items:
            changed = {
                name for name in item.flow.defines
                if name.startswith(f"{whole.owner}.") and name in whole.env
            }
            read = set().union(*(i.flow.uses for i in whole.items if i.role == TRACE))
            if changed & read:
                raise Obstacle(
                    item.stmt, f"{sorted(changed & read)[0]} changes after the graph was built",
                    "pass the value to the step",
                )


@transform
class SessionPrograms:
    """Rewrites the session programs of scripts and functions; what is not provable stays."""

    name = "session_programs"
    triggers = frozenset(
        {"tensorflow.Session", "tensorflow.InteractiveSession", "tensorflow.placeholder",
         "tensorflow.placeholder_with_default", "tensorflow.train.Supervisor", *k.MONITORED,
         *k.LOOPS, *k.EVALUATIONS}
    )
    order = 10
    eager = True

    def free_graphs(self, index: ProjectIndex, options: Options) -> None:
        """Say which sessions that objects keep run nothing but what a group makes native."""
        users = users_of_homes(index)
        groups = groups_of(index, options, PLANNING) if users else []
        free(index, frozenset(
            home for home, paths in users.items()
            if any(group.texts.keys() >= paths | {home} for group in groups)
        ))

    def run(self, ctx: FileContext) -> None:
        """Rewrite the file's provable session programs, report the others."""
        mark = ctx.mark()
        before = ctx.text
        group = group_of(ctx, PLANNING)
        if group is not None:
            for line, method in group.runs.get(ctx.path, ()):
                ctx.change("TF302", line,
                           f"the run becomes a call of {group.names[method]}",
                           symbol="tensorflow.Session.run")
            for line in group.makers.get(ctx.path, ()):
                ctx.change("TF302", line, f"{group.owner} is given its inputs where a step builds it",
                           symbol="tensorflow.placeholder")
            _tell_moved(ctx, group.texts[ctx.path])
            ctx.text = group.texts[ctx.path]
            rewrite(ctx, {path: ast.parse(text) for path, text in group.texts.items()})
            ctx.text = group.finished(ctx.path, ctx.text)
            return
        if rewrite(ctx) and not hands_sessions(ctx.tree):
            return
        text = settled(ctx, before)
        if text is not None:
            ctx.rollback(mark)
            listed = shown_lists(ctx.tree, ctx.names) if hands_sessions(ctx.tree) else ()
            lines = [ctx.line(call) for call in listed]
            _tell_moved(ctx, text)
            ctx.text = text
            rewrite(ctx)
            for line in lines:
                ctx.finding(
                    "TF305", line, "Variables are listed here before the first step makes them: "
                    "the list is empty.", "List them after the first step.", rung=Rung.NATIVE)


def _tell_moved(ctx: FileContext, text: str) -> None:
    """Say of the runs in helpers that `text` has inside of other functions that they are calls."""
    for line, helper in moved_runs(ctx.tree, text):
        ctx.change("TF302", line, f"{helper} calls what it runs, where the graph is built",
                   symbol="tensorflow.Session.run")


def settled(
    ctx: FileContext, before: str, planned: Mapping[str, ast.Module] | None = None
) -> str | None:
    """The first text `gathered` from the file's text `before` that goes native as a whole."""
    start = ctx.anew(before)
    for text in gathered(start):
        trial = ctx.anew(text)
        try:
            if rewrite(trial, planned) and not runs_left(trial.tree, trial.names):
                return text
        except (AssertionError, LookupError, ValueError):  # a form that planning does not know
            continue
    return None


def amended_text(
    ctx: FileContext, text: str, planned: Mapping[str, ast.Module] | None = None
) -> str:
    """The text that `rewrite` plans for the file's text `text`: itself, or one without obstacles."""
    tried: list[str] = []
    rewrite(ctx.anew(text), planned, tried)
    return tried[-1]


def rewrite(
    ctx: FileContext, planned: Mapping[str, ast.Module] | None = None,
    tried: list[str] | None = None,
) -> bool:
    """Rewrite what can be; whether that was every session program of the file.

    `planned` has the trees of other files as they will be; `tried` is given the texts that are
    tried in turn.
    """
    texts = [] if tried is None else tried
    texts.append(ctx.text)
    mark, text = ctx.mark(), ctx.text
    found: list[Amendable] = []
    done = _attempt(ctx, planned, found)
    told = len(ctx.findings)
    remarks: list[Remark] = []
    for _ in range(_AMENDMENTS):
        amended = text
        for obstacle in found:
            without = obstacle.amended(amended)
            if without is not None and obstacle.remark is not None:
                line = LineMap(ctx.original, text).original(obstacle.remark.line)
                remarks.append(replace(obstacle.remark, line=line))
            amended = without or amended
        if done or amended == text:
            break
        text = amended
        ctx.rollback(mark)
        ctx.text = text
        texts.append(text)
        found.clear()
        done = _attempt(ctx, planned, found)
    if not done and text != ctx.original and len(ctx.findings) >= told:
        ctx.rollback(mark)
        texts.append(ctx.text)
        return _attempt(ctx, planned, found)
    for remark in remarks:
        if remark.advice:
            ctx.finding(remark.code, remark.line, remark.message, remark.advice, rung=Rung.NATIVE)
        else:
            ctx.change(remark.code, remark.line, remark.message, symbol="tensorflow.Session.run")
    return done


def _attempt(
    ctx: FileContext, planned: Mapping[str, ast.Module] | None, found: list[Amendable]
) -> bool:
    """One try at `rewrite`; obstacles that another text would not have are added to `found`."""
    text, tree, names = ctx.text, ctx.tree, ctx.names
    table = FunctionTable(ctx, tree, names, planned)
    source = SourceText(text, tree)
    decisions = Decisions()
    rewritten: list[ScopePlan] = []
    told = len(ctx.findings)
    for unit in units_of(ctx, tree, names, table):
        own = Decisions()
        try:
            plans = plans_of(ctx, tree, names, source, unit, own, ctx.support, planned)
            trial(ctx, source, tree, own)
        except Obstacle as obstacle:
            if isinstance(obstacle, Amendable):
                found.append(obstacle)
            report(ctx, obstacle)
            continue
        _merge(decisions, own)
        rewritten += plans
    done = len(ctx.findings) == told
    if rewritten:
        new_text = rendered(source, tree, decisions)
        for plan in rewritten:
            for note in plan.notes:
                if note.advice:
                    ctx.finding(note.code, note.node, note.reason, note.advice, rung=Rung.NATIVE)
                else:
                    ctx.change(note.code, note.node, note.reason, symbol=note.symbol)
        ctx.text = new_text
    return done


#: How `sessions.objects.models` plans the texts of a group.
PLANNING = Planning(rewrite, settled, runs_left)


def plans_of(
    ctx: FileContext, tree: ast.Module, names: NameTable, source: SourceText, unit: Unit,
    decisions: Decisions, support_name: Callable[[str], str],
    planned: Mapping[str, ast.Module] | None = None,
) -> list[ScopePlan]:
    """Plan all scopes of a unit. Raises Obstacle if one of them cannot be."""
    if unit.reinitialised is not None:
        raise unit.reinitialised
    support = SupportNames(support_name)
    renames: dict[str, str] = {}
    if unit.class_program is not None:
        _check_class(ctx, tree, unit, planned or {})
        owner = unit.class_program.owner
        attributes = sorted(unit.class_program.graph_attributes())
        short = [a.lstrip("_") for a in attributes]
        renames = {
            f"{owner}.{a}": s if short.count(s) == 1 else a
            for a, s in zip(attributes, short, strict=True)
        }
    used = names.used_names - set(renames.values())
    if unit.class_program is not None:
        used -= {
            name for name in unit.class_program.defined
            if f"_{name}" not in ast.unparse(unit.class_program.node)
        }
    free = Names(used)
    plans = []
    for program in unit.programs:
        if not any(program.run_sites()) and not _touches_session(unit, program):
            continue
        own = Decisions()
        style = Style(tf=_tf_name(ctx), jit=ctx.options.jit,
                      loss_scale=ctx.options.precision == "mixed_float16")
        plan = ScopePlan(program, source, free, own, style, support, unit.shared)
        plan.renames.update(renames)
        plan.plan()
        _merge(decisions, own)
        plans.append(plan)
    for item in lost_reports(unit.programs, unit.shared.functions) if plans else ():
        plans[-1].notes.append(Note(
            "TF307", item.stmt, "This prints a tensor that no run computes; it is gone with it.",
            advice="Print what a step returns, or tf.print in the step."))
    for program in unit.programs:
        _drop_emptied_scopes(program, decisions)
    if unit.class_program is not None:
        _drop_empty_builders(unit.class_program, decisions)
    return plans


def _drop_emptied_scopes(program: Program, decisions: Decisions) -> None:
    """Name and variable scopes around what is all gone go as well."""
    d = decisions
    scopes = [w for block in program.blocks() for w in withs_of(block)]
    for stmt in reversed(scopes):  # inner ones first
        parts = program.with_parts.get(id(stmt))
        if not parts or any(p.kind != "scope" or p.item.optional_vars for p in parts):
            continue
        touched = {*d.after, *d.before, *d.replaced}
        if id(stmt) not in d.replaced and all(
            id(s) in d.dropped and id(s) not in touched for s in stmt.body
        ):
            d.dropped.add(id(stmt))


def _drop_empty_builders(program: ClassProgram, decisions: Decisions) -> None:
    """A method that only built what steps build now goes, with the call of it."""
    text = ast.unparse(program.node)
    for method in program.builders:
        call = program.call_of.get(method.name)
        if call is None or text.count(f".{method.name}(") != 1:
            continue
        body = [
            stmt for stmt in method.body
            if not (isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant))
        ]
        if all(id(s) in decisions.dropped and id(s) not in decisions.after for s in body):
            decisions.dropped |= {id(method), id(call)}


def _touches_session(unit: Unit, program: Program) -> bool:
    """Whether a method without run sites closes the session, restores into it, or builds."""
    if unit.class_program is None:
        return False
    if program is unit.class_program:
        return True
    return any(
        isinstance(node, (ast.Name, ast.Attribute))
        and program.expressions.value(node).kind == k.SESSION
        for item in program.items for node in walk(item.stmt)
    )


def _merge(into: Decisions, other: Decisions) -> None:
    into.replaced.update(other.replaced)
    into.dropped = (into.dropped | other.dropped) - set(into.replaced)
    into.opened |= other.opened
    into.headers.update(other.headers)
    into.edits.extend(other.edits)
    for name in ("before", "after"):
        own: dict[int, list[str]] = getattr(into, name)
        for key, lines in getattr(other, name).items():
            known = own.setdefault(key, [])
            while known and not known[-1] and lines and not lines[0]:
                known.pop()
            known.extend(lines)


def trial(
    ctx: FileContext, source: SourceText, tree: ast.Module, decisions: Decisions
) -> None:
    """Raise Obstacle where the new text would not compile, or lacks a name that it reads."""
    text = rendered(source, tree, decisions)
    try:
        new = ast.parse(text)
    except SyntaxError as error:
        raise Obstacle(tree.body[0], f"the rewritten program would not compile ({error})",
                       "please report this") from error
    refuse_lost_names(tree, ctx.names, new, [local for _, _, local in ctx.required_imports])


def _tf_name(ctx: FileContext) -> str:
    """What the file calls TensorFlow; an import of compat.v1 becomes one of TensorFlow itself."""
    for name, bindings in ctx.names.module_scope.bindings.items():
        if len(bindings) == 1 and bindings[0].kind == "import":
            if canonical(bindings[0].target)[0] == "tensorflow":
                return name
    return ctx.require_import("tensorflow", None, "tf")
