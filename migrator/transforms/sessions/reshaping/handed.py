"""Sessions that are handed to functions and objects: who gets the one session of a module.

A step needs no session, so what is given one can do without; the text made here only shows the
planner that each of them runs in *the* session, by letting them seem to open it themselves.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from migrator.analysis import graph_kinds as k
from migrator.analysis.arguments import unpacks
from migrator.analysis.facts_functions import named_layer
from migrator.analysis.names import NameTable
from migrator.analysis.source import Edit, SourceText
from migrator.analysis.tree_walk import LOOPS, calls_in, walk
from migrator.analysis.values import argument
from migrator.engine.context import FileContext
from migrator.transforms.sessions.facts import FunctionTable
from migrator.transforms.sessions.helpers import cut, names_session, parameter_span, whole_argument
from migrator.transforms.sessions.reshaping.inline import used_elsewhere
from migrator.transforms.sessions.writing.render import Decisions, rendered

#: Calls beside the objects that add nothing to their graph; ``FileWriter(folder, sess.graph)`` writes
#: nothing else if it stays alone.
_HARMLESS = (k.SESSION, k.INIT, k.CONFIG, k.PY, k.WRITER)


@dataclass(frozen=True)
class _Receiver:
    """A function with a session as parameter, `owner` its class."""

    node: ast.FunctionDef
    parameter: str
    owner: ast.ClassDef | None

    @property
    def called(self) -> str:
        """The name that calls of it are made by."""
        if self.owner is not None and self.node.name == "__init__":
            return self.owner.name
        return self.node.name

    @property
    def position(self) -> int:
        """Which of a call's positional arguments is the session."""
        names = [a.arg for a in [*self.node.args.posonlyargs, *self.node.args.args]]
        if self.parameter not in names:
            return 10**6
        return names.index(self.parameter) - (self.owner is not None)


def hands_sessions(tree: ast.Module) -> bool:
    """Whether a function or class of a module takes a session, by the name of the parameter."""
    return bool(_receivers(tree))


def unhanded(ctx: FileContext, text: str) -> str | None:
    """`text` in which functions do not take sessions, None where that has no proof."""
    tree = ast.parse(text)
    receivers = _receivers(tree)
    if not receivers:
        return None
    names = NameTable.of(tree, ctx.module_name, ctx.is_package)
    makers = [call for call in calls_in(tree) if _kind(names, call) == k.SESSION]
    graphs = any(_symbol(names, call) == "tensorflow.Graph" for call in calls_in(tree))
    if graphs or not (len(makers) == 1 or _of_one_class(tree, makers)) or any(
        maker.args or any(a.arg != "config" for a in maker.keywords) for maker in makers
    ):
        return None
    source = SourceText(text, tree)
    sessions = _session_names(tree, makers)
    edits: list[Edit] = []
    for receiver in receivers:
        own = _receiver_edits(ctx, tree, names, source, receiver, receivers, sessions)
        if own is None:
            return None
        edits += own
        first = receiver.node.body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            if len(receiver.node.body) == 1:
                return None
            first = receiver.node.body[1]
        place = source.offset(source.first_line(first), 0)
        opened = f"{receiver.parameter} = {source.segment(makers[0].func)}()\n"
        edits.append((place, place, source.indent(first) + opened))
    return _without_idle(ctx, source.splice(0, len(text), edits))


def _without_idle(ctx: FileContext, text: str) -> str:
    """`text` without the `with` of a session that nothing in its block uses any more."""
    tree = ast.parse(text)
    names = NameTable.of(tree, ctx.module_name, ctx.is_package)
    table = FunctionTable(ctx, tree, names)
    decisions = Decisions()
    for node in walk(tree):
        if not (isinstance(node, ast.With) and len(node.items) == 1):
            continue
        item = node.items[0]
        made, name = item.context_expr, item.optional_vars
        if not (isinstance(made, ast.Call) and _kind(names, made) == k.SESSION):
            continue
        bound = name.id if isinstance(name, ast.Name) else ""
        if not any(_needs_session(inner, bound, names, table)
                   for stmt in node.body for inner in walk(stmt)):
            decisions.opened.add(id(node))
    return rendered(SourceText(text, tree), tree, decisions) if decisions.opened else text


def _needs_session(node: ast.AST, bound: str, names: NameTable, table: FunctionTable) -> bool:
    """Whether a node names the session `bound`, or runs something in the default one."""
    if isinstance(node, ast.Name):
        return node.id == bound
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Attribute) and node.func.attr in ("run", "eval"):
        return True
    symbol = _symbol(names, node)
    fact = table(symbol) if symbol else None
    return fact is not None and bool(fact.flags & {"session", "default session"})


def _receivers(tree: ast.Module) -> list[_Receiver]:
    found = []
    for node in tree.body:
        owner = node if isinstance(node, ast.ClassDef) else None
        for function in node.body if isinstance(node, ast.ClassDef) else [node]:
            if not isinstance(function, ast.FunctionDef):
                continue
            arguments = function.args
            for a in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]:
                if names_session(a.arg):
                    found.append(_Receiver(function, a.arg, owner))
    return found


def _of_one_class(tree: ast.Module, makers: list[ast.Call]) -> bool:
    """Whether all sessions are made by one class. Each of them then starts with first values or
    those of a checkpoint, and the planner refuses first values that are asked for again."""
    return any(
        isinstance(node, ast.ClassDef) and makers
        and set(map(id, makers)) <= {id(call) for call in calls_in(node)} for node in tree.body
    )


def _session_names(tree: ast.Module, makers: list[ast.Call]) -> set[str]:
    """What the sessions are called where they are made."""
    made = set(map(id, makers))
    names: list[ast.expr | None] = []
    for node in walk(tree):
        if isinstance(node, ast.withitem) and id(node.context_expr) in made:
            names.append(node.optional_vars)
        elif isinstance(node, ast.Assign) and id(node.value) in made and len(node.targets) == 1:
            names.append(node.targets[0])
    found = {name.id for name in names if isinstance(name, ast.Name)}
    stored = [n for n in walk(tree) if isinstance(n, ast.Name) and n.id in found
              and isinstance(n.ctx, ast.Store)]
    return found if all(any(n is name for name in names) for n in stored) else set()


def _receiver_edits(
    ctx: FileContext, tree: ast.Module, names: NameTable, source: SourceText,
    receiver: _Receiver, receivers: list[_Receiver], sessions: set[str],
) -> list[Edit] | None:
    """What takes the session out of a function and of the calls of it."""
    function, name = receiver.node, receiver.called
    if function.decorator_list or function.args.vararg or used_elsewhere(ctx, name):
        return None
    if any(isinstance(n, ast.Name) and n.id == receiver.parameter
           and not isinstance(n.ctx, ast.Load) for n in walk(function)):
        return None
    method = receiver.owner is not None and name == function.name
    defined = [n for n in walk(tree)
               if isinstance(n, (ast.FunctionDef, ast.ClassDef)) and n.name == name]
    if len(defined) != 1:
        return None
    owners = [r.owner for r in receivers if r.owner is not None and r.called != r.node.name]
    if receiver.owner is not None and not method and not _alone(ctx, tree, names, owners):
        return None
    calls = {id(call.func): call for call in calls_in(tree)}
    edits = [cut(source, *parameter_span(source, function, receiver.parameter))]
    for use in walk(tree):
        if not (isinstance(use, ast.Attribute) and use.attr == name if method
                else isinstance(use, ast.Name) and use.id == name):
            continue
        call = calls.get(id(use))
        if call is None or unpacks(call):
            return None
        given = argument(call, receiver.position, receiver.parameter)
        if given is None or not _is_session(tree, given, receivers, sessions):
            return None
        edits.append(cut(source, *source.span(whole_argument(call, given))))
    return edits


def _alone(
    ctx: FileContext, tree: ast.Module, names: NameTable, owners: list[ast.ClassDef]
) -> bool:
    """Whether the graph is that of the objects alone: one of each class is made, nothing is built
    outside of them, and where there are several, none asks the graph what others put there."""
    made = dict.fromkeys((owner.name for owner in owners), 0)
    shown = shown_lists(tree, names)
    inside = {
        id(n) for owner in owners for part in [owner, *_helpers_of(tree, owner)]
        for n in walk(part)
    }
    table = FunctionTable(ctx, tree, names)
    own = {n.name for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    repeated = {
        id(n) for loop in walk(tree)
        if isinstance(loop, LOOPS)
        for n in walk(loop)
    }
    for node in calls_in(tree):
        if id(node) in inside:
            if len(owners) > 1 and _asks_graph(names, node):
                return False
            continue
        if isinstance(node.func, ast.Name) and node.func.id in made:
            made[node.func.id] += 1
            if id(node) in repeated:
                return False
        symbol = _symbol(names, node)
        if symbol.startswith("tensorflow."):
            if _kind(names, node) not in ("", *_HARMLESS) and node not in shown:
                return False
            continue
        if isinstance(node.func, ast.Name) and node.func.id in own:
            continue  # what it calls is looked at here
        fact = table(symbol)
        if fact is not None and fact.flags & {"ops", "layers", "variables", "placeholders"}:
            return False
    return all(count == 1 for count in made.values())


def _asks_graph(names: NameTable, call: ast.Call) -> bool:
    """Whether a call sees all of the graph, or names what it makes by what was made before."""
    symbol, kind = _symbol(names, call), _kind(names, call)
    if not kind:
        return False
    if kind in (k.VARIABLES, k.SAVER, k.MERGED, k.UPDATE_OPS) or (
        "collection" in symbol or "global_step" in symbol or symbol.startswith("tensorflow.losses.")
    ):
        return True
    layer = k.is_layer(symbol) and (
        symbol.rpartition(".")[2] not in k.LAYERS_WITHOUT_VARIABLES)
    return layer and not named_layer(call) or symbol == "tensorflow.Variable"


def shown_lists(tree: ast.Module, names: NameTable) -> list[ast.Call]:
    """Lists of variables beside the objects that make them, with which nothing is done but printing
    or logging them."""
    found = []
    for function in tree.body:
        if not isinstance(function, ast.FunctionDef):
            continue
        uses = [n for n in walk(function) if isinstance(n, ast.Name)]
        told = {id(n) for stmt in walk(function) if isinstance(stmt, ast.Expr)
                for n in walk(stmt)}
        for stmt in walk(function):
            if not (isinstance(stmt, ast.Assign) and isinstance(stmt.value, ast.Call)
                    and isinstance(stmt.targets[0], ast.Name)
                    and _kind(names, stmt.value) == k.VARIABLES):
                continue
            own = [n for n in uses if n.id == stmt.targets[0].id]
            if all(id(n) in told for n in own if isinstance(n.ctx, ast.Load)):
                found.append(stmt.value)
        found += [call for call in calls_in(function) if id(call) in told
                  and _kind(names, call) == k.VARIABLES]
    return found


def _helpers_of(tree: ast.Module, owner: ast.ClassDef) -> list[ast.stmt]:
    """The module's functions and classes that only `owner` uses, directly or not."""
    users: dict[str, set[str]] = {}  # name -> the top-level definitions that mention it
    others = {
        node.name: node for node in tree.body
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node is not owner
    }
    for node in tree.body:
        place = node.name if isinstance(node, (ast.FunctionDef, ast.ClassDef)) else ""
        for inner in walk(node):
            if isinstance(inner, ast.Name) and inner.id in others and inner.id != place:
                users.setdefault(inner.id, set()).add(place)
    helpers = set(users)
    while True:
        left = {name for name in helpers if users[name] <= helpers | {owner.name}}
        if left == helpers:
            return [others[name] for name in sorted(helpers)]
        helpers = left


def _is_session(
    tree: ast.Module, node: ast.expr, receivers: list[_Receiver], sessions: set[str]
) -> bool:
    if not isinstance(node, ast.Name):
        return False
    around = [r for r in receivers if any(n is node for n in walk(r.node))]
    return any(r.parameter == node.id for r in around) if around else node.id in sessions


def _symbol(names: NameTable, call: ast.Call) -> str:
    return names.resolve_node(call.func, values=False) or ""


def _kind(names: NameTable, call: ast.Call) -> str:
    return k.kind_of(_symbol(names, call))
