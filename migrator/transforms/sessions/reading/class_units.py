"""Classes whose graph is rewritten as one: whose session it runs in, and what keeps it TF1."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from migrator.analysis import graph_kinds as k
from migrator.analysis.arguments import defaults_of
from migrator.analysis.class_program import ClassProgram
from migrator.analysis.names import NameTable, Scope
from migrator.analysis.program import Program
from migrator.analysis.program_items import LAZY, TRACE, Obstacle
from migrator.analysis.tree_walk import LOOPS, calls_in, children, walk
from migrator.analysis.values import Value, argument
from migrator.engine.context import FileContext


@dataclass(frozen=True)
class _Place:
    """A call, whether a loop of its function is around it, and what makes its graph (by id; 0 for
    the default graph)."""

    call: ast.Call
    repeated: bool
    graph: int


def method_programs(
    whole: ClassProgram, names: NameTable, scopes: dict[int, Scope]
) -> list[Program]:
    """The models of the methods that build nothing. All of them know the sessions that one of them
    keeps in the object, and the savers that they are given by others."""
    def programs() -> list[Program]:
        return [
            Program(names, scopes[id(m)], m.body, whole.expressions.function, whole,
                    m.args.args[0].arg if m.args.args else None)
            for m in whole.methods
        ]

    found = programs()
    kept = {
        name for program in found for name, value in program.env.items()
        if value.kind == k.SESSION and name.startswith(f"{whole.owner}.") and name not in whole.env
    }
    whole.env.update({name: Value(k.SESSION) for name in kept})
    whole.given = whole.savers_given(whole.methods, [whole, *found])
    return programs() if kept or whole.given else found


def opens_session(program: Program) -> bool:
    """Whether a scope makes a session, or is one that knows of the object's."""
    return any(value.kind == k.SESSION for value in program.env.values())


def refuse_repeated(ctx: FileContext, whole: ClassProgram, methods: list[Program]) -> None:
    """Raise Obstacle where a method that opens a session, and so starts with first values, is
    called more than once: what a step changed is still changed when it is called again."""
    trees = _trees(ctx, whole)
    for program in methods:
        node = program.scope.node
        assert isinstance(node, ast.FunctionDef)
        made = [c for c in calls_in(node) if program.expressions.value(c).kind == k.SESSION]
        initialised = any(
            program.expressions.value(n).kind == k.INIT for run in program.run_sites()
            for n in walk(run.fetch) if isinstance(n, (ast.Name, ast.Attribute, ast.Call))
        )
        if not made or not initialised:
            continue
        calls = [
            place for tree in trees for place in _placed_calls(tree)
            if isinstance(place.call.func, ast.Attribute) and place.call.func.attr == node.name
            and not _of_tensorflow(ctx.names, place.call)
        ]
        if len(calls) > 1 or any(place.repeated for place in calls):
            raise Obstacle(node, f"{node.name} initialises variables anew each time it is called",
                           "make a new object each time, or assign the variables' first values")


def refuse_several(ctx: FileContext, whole: ClassProgram) -> None:
    """Raise Obstacle where several objects of a class put variables into one graph that get their
    names by what was there before: the functions of each object would find those of the first."""
    if any(value.kind == k.GRAPH and value.call is not None for value in whole.env.values()):
        return  # each object has a graph of its own
    makers = [
        item for item in whole.items
        if item.role in (TRACE, LAZY) and any(
            whole.expressions.may_make_variables(call) for call in calls_in(item.stmt))
    ]
    if not makers:
        return
    objects = list(_objects(ctx, whole))
    shared = [place for place in objects if place.repeated or any(
        place is not other and place.graph == other.graph for other in objects)]
    for item in makers if shared else ():
        if any(place.repeated for place in shared) or not any(
            _all_differ(whole, [place.call for place in shared], name)
            for name in _scope_parameters(whole, item.parents)
        ):
            raise Obstacle(
                item.stmt, f"several objects of {whole.node.name} share a graph",
                "give each object a variable scope of its own, by an argument of its constructor")


def listed_outside(ctx: FileContext, whole: ClassProgram) -> bool:
    """Whether code beside a class lists the graph's variables, or restores them: they must be there
    before the first step then."""
    own = {id(n) for n in walk(whole.node)}
    for tree in _trees(ctx, whole):
        names = whole.names if tree is whole.names.tree else NameTable.of(tree)
        for call in calls_in(tree):
            if id(call) in own:
                continue
            if k.kind_of(names.resolve_node(call.func, values=False)) == k.VARIABLES or (
                isinstance(call.func, ast.Attribute) and call.func.attr == "restore"
            ):
                return True
    return False


def _of_tensorflow(names: NameTable, call: ast.Call) -> bool:
    return (names.resolve_node(call.func, values=False) or "").startswith("tensorflow.")


def _trees(ctx: FileContext, whole: ClassProgram) -> list[ast.Module]:
    """The file of a class and those that import it."""
    others = [ctx.index.tree(path) for path in ctx.index.importers(ctx.path)]
    return [whole.names.tree, *(tree for tree in others if tree is not None)]


def _placed_calls(tree: ast.AST) -> Iterator[_Place]:
    """The calls below a node with their places."""
    pending: list[tuple[ast.AST, bool, int]] = [(tree, False, 0)]
    while pending:
        node, repeated, graph = pending.pop()
        if isinstance(node, ast.Call):
            yield _Place(node, repeated, graph)
        if isinstance(node, (ast.FunctionDef, ast.Lambda, ast.ClassDef)):
            repeated = False
        elif isinstance(node, LOOPS):
            repeated = True
        if isinstance(node, ast.With) and any(
            ast.unparse(item.context_expr).endswith("Graph().as_default()") for item in node.items
        ):
            repeated, graph = False, id(node)
        for child in children(node):
            pending.append((child, repeated, graph))
            if isinstance(child, ast.Expr) and (
                ast.unparse(child.value).endswith("reset_default_graph()")
            ):
                repeated, graph = False, id(child)


def _objects(ctx: FileContext, whole: ClassProgram) -> Iterator[_Place]:
    """The calls that make objects of a class."""
    name = whole.node.name
    for place in _placed_calls(whole.names.tree):
        if isinstance(place.call.func, ast.Name) and place.call.func.id == name:
            yield place
    for path in ctx.index.importers(ctx.path):
        tree = ctx.index.tree(path)
        if tree is None:
            continue
        names = NameTable.of(tree, ctx.index.modules[path].name)
        for place in _placed_calls(tree):
            if names.resolve_node(place.call.func, values=False) == f"{ctx.module_name}.{name}":
                yield place


def _scope_parameters(whole: ClassProgram, parents: tuple[ast.stmt, ...]) -> Iterator[str]:
    """The parameters of the constructor that name variable scopes around a statement."""
    first = whole.defined.get("__init__")
    parameters = set() if first is None else {
        a.arg for a in [*first.args.args[1:], *first.args.kwonlyargs]}
    kept = {} if first is None else {
        ast.unparse(stmt.targets[0]): stmt.value.id for stmt in walk(first)
        if isinstance(stmt, ast.Assign) and isinstance(stmt.value, ast.Name)
        and stmt.value.id in parameters
    }
    for parent in parents:
        for part in whole.with_parts.get(id(parent), ()):
            call = part.item.context_expr
            if part.kind != "scope" or not isinstance(call, ast.Call) or not call.args or (
                "variable_scope" not in (whole.expressions.tf_symbol(call.func) or "")
            ):
                continue
            text = ast.unparse(call.args[0])
            yield kept.get(text, text)


def _all_differ(whole: ClassProgram, calls: list[ast.Call], parameter: str) -> bool:
    """Whether all calls give a parameter of the constructor other texts."""
    first = whole.defined.get("__init__")
    plain = [] if first is None else [a.arg for a in first.args.args[1:]]
    if first is None or parameter not in [*plain, *(a.arg for a in first.args.kwonlyargs)]:
        return False
    default = defaults_of(first.args).get(parameter)
    position = plain.index(parameter) if parameter in plain else -1
    given = [argument(call, position, parameter) or default for call in calls]
    values = {node.value for node in given if isinstance(node, ast.Constant)}
    return len(values) == len(calls)
