"""Session programs become native: one `tf.function` for each set of fetches, the loops stay."""

from __future__ import annotations

import ast
from collections.abc import Callable

from migrator.analysis import graph_kinds as k
from migrator.analysis.class_program import ClassProgram, attribute_users
from migrator.analysis.dataflow import statement_flow
from migrator.analysis.graph_code import shares_graph
from migrator.analysis.names import NameTable, canonical
from migrator.analysis.program import Program
from migrator.analysis.program_items import KEEP, RUN, TRACE, Obstacle
from migrator.analysis.session_carriers import carriers
from migrator.analysis.source import SourceText
from migrator.analysis.tree_walk import blocks_of, calls_in, walk
from migrator.engine.context import FileContext
from migrator.engine.registry import transform
from migrator.model import Rung
from migrator.transforms.eager.called import keeps_state
from migrator.transforms.sessions.facts import FunctionTable
from migrator.transforms.sessions.helpers import looks_like_run, withs_of
from migrator.transforms.sessions.planning.plan import ScopePlan
from migrator.transforms.sessions.reading.scopes import Unit, units_of
from migrator.transforms.sessions.records import Names, Note, SupportNames
from migrator.transforms.sessions.step import Style
from migrator.transforms.sessions.writing.lost import refuse_lost_names
from migrator.transforms.sessions.writing.render import Decisions, rendered
from migrator.transforms.sessions.writing.reports import lost_reports
from migrator.transforms.sessions.xla import Reach

#: What saves checkpoints by itself.
_SAVE = ("Supervisor", "MonitoredTrainingSession", "slim.learning.train")


def _check_class(ctx: FileContext, tree: ast.Module, unit: Unit) -> None:
    """Raise Obstacle where the graph's attributes are used other than by run sites."""
    whole = unit.class_program
    assert whole is not None
    attributes = whole.graph_attributes()
    trees = [tree]
    for path in ctx.index.importers(ctx.path):
        other = ctx.index.tree(path)
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
    """Writes the session programs of a file as step functions, if all of them can be and share no
    graph with other files; functions of the graph take the other ones' place (`graph_programs`)."""

    name = "session_programs"
    successor = "graph_programs"
    triggers = frozenset(
        {"tensorflow.Session", "tensorflow.InteractiveSession", "tensorflow.placeholder",
         "tensorflow.placeholder_with_default", "tensorflow.train.Supervisor", *k.MONITORED,
         *k.LOOPS, *k.EVALUATIONS}
    )
    order = 10

    def run(self, ctx: FileContext) -> None:
        """Rewrite all session programs of the file, or none."""
        if (shares_graph(ctx.index, ctx.path) or _meta_graph_is_read(ctx) or _sessions_beside(ctx)
                or _scope_called_like_an_operation(ctx)):
            return
        mark = ctx.mark()
        try:
            text = written(ctx)
        except Obstacle:
            text = None
        if text is None:
            ctx.rollback(mark)
        else:
            ctx.text = text


def _meta_graph_is_read(ctx: FileContext) -> bool:
    """Whether a file writes meta graphs, or checkpoints in a project that imports the meta graphs beside
    them: only what has a graph writes these."""
    if ".export_meta_graph(" in ctx.text:
        return True
    saves = "Saver" in ctx.text and ".save(" in ctx.text
    return carriers(ctx.index).meta_graphs and (saves or any(word in ctx.text for word in _SAVE))


def _sessions_beside(ctx: FileContext) -> bool:
    """Whether two sessions of one graph live at once: each has values of its own."""
    module = ctx.index.modules.get(ctx.path)
    facts = module.summary.facts.get("sessions") if module is not None else None
    return bool(facts and facts["beside"])


def _scope_called_like_an_operation(ctx: FileContext) -> bool:
    """Whether variables are made in a scope whose name an operation has by then: TF 1 called it
    otherwise, and its variables with it, which only a graph knows."""
    if "name_scope(" not in ctx.text and "variable_scope(" not in ctx.text:
        return False
    blocks = [ctx.tree.body, *(n.body for n in walk(ctx.tree) if isinstance(n, ast.FunctionDef))]
    return any(_clashes(ctx, block, "", set()) for block in blocks)


def _clashes(ctx: FileContext, block: list[ast.stmt], path: str, used: set[str]) -> bool:
    """Whether a scope in `block`, which stands in the scope `path`, is called like what is `used`."""
    for stmt in block:
        if isinstance(stmt, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        inner = path
        for item in stmt.items if isinstance(stmt, ast.With) else ():
            call = item.context_expr
            name = _symbol(ctx, call) if isinstance(call, ast.Call) else ""
            if name in ("tensorflow.name_scope", "tensorflow.variable_scope"):
                assert isinstance(call, ast.Call)
                inner += _literal(call.args[0] if call.args else None) + "/"
                if inner[:-1] in used and any(_makes_variable(ctx, c) for c in calls_in(stmt)):
                    return True
        inside = list(blocks_of(stmt))
        if any(_clashes(ctx, part, inner, used) for part in inside):
            return True
        for call in () if inside else calls_in(stmt):
            given = [k.value for k in call.keywords if k.arg == "name"]
            if given and _symbol(ctx, call).startswith("tensorflow.") and (name := _literal(given[0])):
                used.add(path + name)
    return False


def _makes_variable(ctx: FileContext, call: ast.Call) -> bool:
    name = _symbol(ctx, call)
    return name == "tensorflow.Variable" or not name.startswith("tensorflow.") and keeps_state(
        ctx, name or f"{ctx.module_name}.{ast.unparse(call.func)}")


def _symbol(ctx: FileContext, call: ast.Call) -> str:
    return ctx.names.resolve_node(call.func, values=False) or ""


def _literal(node: ast.expr | None) -> str:
    """A string that is written out, as names are compared: without case."""
    return node.value.lower() if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def written(ctx: FileContext) -> str | None:
    """The file's text with step functions; None if it has no program, or something is left that only
    a graph has. Raises Obstacle where a program has no proof."""
    text, tree, names = ctx.text, ctx.tree, ctx.names
    table = FunctionTable(ctx, tree, names)
    source = SourceText(text, tree)
    decisions = Decisions()
    plans: list[ScopePlan] = []
    for unit in units_of(ctx, tree, names, table):
        plans += plans_of(ctx, tree, names, source, unit, decisions, ctx.support)
    if not plans:
        return None
    trial(ctx, source, tree, decisions)
    new_text = rendered(source, tree, decisions)
    if runs_left(ctx.anew(new_text)):
        return None
    for plan in plans:
        for note in plan.notes:
            if note.advice:
                ctx.finding(note.code, note.node, note.reason, note.advice, rung=Rung.NATIVE)
            else:
                ctx.change(note.code, note.node, note.reason, symbol=note.symbol)
    return new_text


def runs_left(ctx: FileContext) -> bool:
    """Whether a file still makes or runs sessions, or makes placeholders."""
    return any(
        looks_like_run(call) or k.kind_of(ctx.names.resolve_node(call.func, values=False)) in (
            k.SESSION, k.PLACEHOLDER, k.INIT)
        or ctx.names.resolve_node(call.func, values=False) in k.RUNNING
        for call in calls_in(ctx.tree)
    )


def plans_of(
    ctx: FileContext, tree: ast.Module, names: NameTable, source: SourceText, unit: Unit,
    decisions: Decisions, support_name: Callable[[str], str],
) -> list[ScopePlan]:
    """Plan all scopes of a unit. Raises Obstacle if one of them cannot be."""
    if unit.reinitialised is not None:
        raise unit.reinitialised
    support = SupportNames(support_name)
    renames: dict[str, str] = {}
    if unit.class_program is not None:
        _check_class(ctx, tree, unit)
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
    xla = Reach(ctx) if ctx.options.jit else None
    for program in unit.programs:
        if not any(program.run_sites()) and not _touches_session(unit, program):
            continue
        own = Decisions()
        style = Style(tf=_tf_name(ctx), xla=xla,
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
