"""Which scopes of a file share a graph, and so are rewritten together or not at all."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from migrator.analysis import graph_kinds as k
from migrator.analysis.class_program import ClassProgram, building_methods
from migrator.analysis.names import NameTable, Scope
from migrator.analysis.program import Program
from migrator.analysis.program_items import KEEP, RUN, TRACE, Obstacle, RunSite
from migrator.analysis.tree_walk import calls_in, walk
from migrator.engine.context import FileContext
from migrator.transforms.sessions.facts import FunctionTable
from migrator.transforms.sessions.helpers import calls_of, contains, names_variables, straight
from migrator.transforms.sessions.reading.class_units import (
    listed_outside,
    method_programs,
    opens_session,
    refuse_repeated,
    refuse_several,
)
from migrator.transforms.sessions.records import Shared

_LOOPS = frozenset(symbol.rpartition(".")[2] for symbol in k.LOOPS)
_RUNS = frozenset({"run", "eval"}) | _LOOPS


@dataclass
class Unit:
    """Scopes that share a graph: planned together, rewritten together or not at all."""

    programs: list[Program]
    shared: Shared
    class_program: ClassProgram | None = None
    reinitialised: Obstacle | None = None


def units_of(
    ctx: FileContext, tree: ast.Module, names: NameTable, function: FunctionTable,
) -> list[Unit]:
    """The session programs of a file, innermost scopes first in each unit. Raises Obstacle."""
    classes = [
        node for node in tree.body
        if isinstance(node, ast.ClassDef) and building_methods(node) and _may_run(node)
    ]
    if not classes and not _may_run_outside(tree):
        return []
    scopes: dict[int, Scope] = {id(scope.node): scope for scope in names.scopes}
    module = Program(names, names.module_scope, tree.body, function)
    functions = [
        Program(names, scopes[id(node)], node.body, function, module)
        for node in straight(tree.body)
        if isinstance(node, ast.FunctionDef)
    ]
    inner = {
        id(program): [Program(names, scopes[id(node)], node.body, function, program)
                      for node in program.running_functions()]
        for program in functions
    }
    units: list[Unit] = []
    if any(item.role == TRACE for item in module.items):
        nested = [program for around in functions for program in inner[id(around)]]
        listed = any(
            names_variables(call, p.expressions) for p in functions for item in p.items
            if item.role in (KEEP, RUN) for call in calls_of(item))
        units.append(Unit([*nested, *functions, module], Shared(listed=listed)))
    else:
        units += [Unit([*inner[id(program)], program], Shared()) for program in functions]
        units.append(Unit([module], Shared()))
    for node in classes:
        unit = _class_unit(ctx, node, names, scopes, function, module)
        if unit is not None:
            units.append(unit)
    _find_reinitialised(units, any(item.kind == k.VARIABLE for item in module.items))
    return [unit for unit in units if any(any(p.run_sites()) for p in unit.programs)]


def _find_reinitialised(units: list[Unit], shared: bool) -> None:
    """Note the runs that initialise variables which another run has initialised: of the same unit, or
    of the file where units have variables `shared`."""
    earlier: dict[int, list[RunSite]] = {}  # by graph
    for unit in units:
        places = earlier if shared else {}
        if not shared and unit.class_program is None and len(unit.programs) > 1:
            continue
        for program in unit.programs:
            for run in program.run_sites():
                if not _initialises(program, run) or _restored_next(program, run):
                    continue
                before = places.setdefault(_graph_around(program, run), [])
                if not all(_either_or(run, other) for other in before):
                    unit.reinitialised = Obstacle(
                        run.call, "a second run initialises variables anew",
                        "make the variables anew, or assign their first values",
                    )
                before.append(run)


def _may_run(node: ast.ClassDef) -> bool:
    """Whether a class calls or has a method whose name ends with run."""
    for inner in walk(node):
        cls = inner.__class__
        if cls is ast.Call:
            func = inner.func  # type: ignore[attr-defined]
            name = getattr(func, "attr", None) or getattr(func, "id", "")
        elif cls is ast.FunctionDef:
            name = inner.name  # type: ignore[attr-defined]
        else:
            continue
        if name and name.endswith("run"):
            return True
    return False


def _may_run_outside(tree: ast.Module) -> bool:
    """Whether anything outside of classes calls what could run a session."""
    return any(
        isinstance(call.func, ast.Attribute) and call.func.attr in _RUNS
        or isinstance(call.func, ast.Name) and call.func.id in _LOOPS
        for node in tree.body if not isinstance(node, ast.ClassDef)
        for call in calls_in(node)
    )


def _either_or(run: RunSite, other: RunSite) -> bool:
    """Whether one of two runs stands in for the other: where the other's name is missing, or on the
    other way through an `if`."""
    assert run.item is not None and other.item is not None
    for parent in run.item.parents:
        if parent not in other.item.parents:
            continue
        if isinstance(parent, ast.Try):
            ways = [parent.body, *(handler.body for handler in parent.handlers)]
        elif isinstance(parent, ast.If):
            ways = [parent.body, parent.orelse]
        else:
            continue
        places = [
            next((n for n, way in enumerate(ways) if contains(way, item.stmt)), None)
            for item in (run.item, other.item)
        ]
        if None not in places and places[0] != places[1]:
            return True
    return False


def _graph_around(program: Program, run: RunSite) -> int:
    """The `with` that makes the graph of a run, by id; 0 for the default graph."""
    assert run.item is not None
    for parent in reversed(run.item.parents):
        parts = program.with_parts.get(id(parent), ())
        if any(p.kind == "graph" and "Graph()" in ast.unparse(p.item.context_expr) for p in parts):
            return id(parent)
    return 0


def _initialises(program: Program, run: RunSite) -> bool:
    """Whether a run gives all variables their first values."""
    for node in walk(run.fetch):
        if isinstance(node, (ast.Name, ast.Attribute, ast.Call)):
            value = program.expressions.value(node)
            call = value.call
            if value.kind == k.INIT and call is not None and any(
                word in ast.unparse(call) for word in ("global_variables", "all_variables")
            ):
                return True
    return False


def _restored_next(program: Program, run: RunSite) -> bool:
    """Whether the first values are at once replaced by those of a checkpoint of all variables."""
    assert run.item is not None
    position = program.items.index(run.item)
    for item in program.items[position + 1:]:
        calls = [c for c in calls_in(item.stmt) if isinstance(c.func, ast.Attribute)]
        for call in calls:
            saver = program.expressions.value(call.func.value)  # type: ignore[attr-defined]
            if call.func.attr == "restore" and saver.kind == k.SAVER:  # type: ignore[attr-defined]
                made = saver.call
                return made is not None and not made.args and item.parents == run.item.parents and (
                    all(a.arg not in (None, "var_list") for a in made.keywords))
        if item.runs:
            return False
    return False


def _class_unit(
    ctx: FileContext, node: ast.ClassDef, names: NameTable, scopes: dict[int, Scope],
    function: FunctionTable, module: Program,
) -> Unit | None:
    whole = ClassProgram(names, node, scopes, function, module)
    methods = method_programs(whole, names, scopes)
    if not any(map(opens_session, [whole, *methods])):
        return None
    refuse_repeated(ctx, whole, methods)
    refuse_several(ctx, whole)
    shared = Shared(owner=whole.owner or "", listed=listed_outside(ctx, whole))
    return Unit([*methods, whole], shared, whole)
