"""The calls that take a session's configuration, and what in a scope is one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from migrator.analysis.tree_walk import walk
from migrator.engine.context import FileContext
from migrator.engine.cst_walk import code_children, only
from migrator.transforms import _flow as flow
from migrator.transforms.session_configs import fields as f

_T = "tensorflow."
# symbol -> (keyword, position or None)
_TAKERS: dict[str, tuple[str, int | None]] = {
    _T + "Session": ("config", 2), _T + "InteractiveSession": ("config", 2),
    _T + "train.MonitoredTrainingSession": ("config", 9),
    _T + "train.SingularMonitoredSession": ("config", 3),
    _T + "train.ChiefSessionCreator": ("config", 2), _T + "train.WorkerSessionCreator": ("config", 2),
    _T + "enable_eager_execution": ("config", 0),
    _T + "contrib.eager.enable_eager_execution": ("config", 0),
    _T + "estimator.RunConfig": ("session_config", None),
    _T + "contrib.learn.RunConfig": ("session_config", None),
    _T + "contrib.tpu.RunConfig": ("session_config", None),
}  # fmt: skip
_OF_FAMILIES = tuple(
    f"{_T}contrib.{family}."
    for family in ("slim.learning", "slim.evaluation", "training", "predictor", "model_pruning")
)
# Supervisor's and SessionManager's methods, whatever holds the object
_METHODS: dict[str, tuple[str, int | None]] = {
    "managed_session": ("config", 1), "prepare_or_wait_for_session": ("config", 1),
    "PrepareSession": ("config", 1), "prepare_session": ("config", None),
    "recover_session": ("config", None), "wait_for_session": ("config", 1),
}  # fmt: skip
KEYWORDS = ("config", "session_config")

Scope = cst.FunctionDef | cst.Module


@dataclass(frozen=True)
class Taken:
    """One argument of a call in `scope` that is a session's configuration."""

    scope: Scope
    arg: cst.Arg

    @property
    def value(self) -> cst.BaseExpression:
        return self.arg.value


def has_any(ctx: FileContext) -> bool:
    """Whether a file may make or take a configuration: its `ast` is there, LibCST's tree takes long."""
    for node in walk(ctx.tree):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS:
                return True
            name = ctx.names.resolve_node(node.func) or ""
            if name == f.CONFIG or name in _TAKERS or name.startswith(_OF_FAMILIES):
                return True
    return False


def scopes(module: cst.Module) -> Iterator[Scope]:
    """The module, and every function in it."""
    yield module
    yield from only(flow.walk(module), cst.FunctionDef)


def nodes_of(scope: Scope) -> list[cst.CSTNode]:
    """All nodes of a scope in source order, without those of functions and classes in it."""
    found: list[cst.CSTNode] = []
    stack = list(reversed(code_children(scope.body) if isinstance(scope, cst.FunctionDef) else scope.body))
    while stack:
        node = stack.pop()
        if node.__class__ in (cst.FunctionDef, cst.ClassDef):
            continue
        found.append(node)
        stack.extend(reversed(code_children(node)))
    return found


def taken(ctx: FileContext, scope: Scope, nodes: list[cst.CSTNode]) -> Iterator[Taken]:
    """The configurations that calls of a scope are given."""
    for node in only(nodes, cst.Call):
        arg = _argument(ctx, node)
        if arg is not None and flow.code_of(arg.value) != "None":
            yield Taken(scope, arg)


def _argument(ctx: FileContext, call: cst.Call) -> cst.Arg | None:
    keyword, position = _where(ctx, call)
    for index, arg in enumerate(call.args):
        if arg.star:
            return None
        if arg.keyword is not None and arg.keyword.value == keyword:
            return arg
        if arg.keyword is None and index == position:
            return arg
    return None


def _where(ctx: FileContext, call: cst.Call) -> tuple[str, int | None]:
    """The keyword and the position of the configuration; a keyword that no call has where none is."""
    name = ctx.resolve(call.func) or ""
    if name in _TAKERS:
        return _TAKERS[name]
    if isinstance(call.func, cst.Attribute) and call.func.attr.value in _METHODS:
        return _METHODS[call.func.attr.value]
    if name.startswith(_OF_FAMILIES):
        given = {arg.keyword.value for arg in call.args if arg.keyword is not None}
        return next((word for word in KEYWORDS if word in given), ""), None
    return "", None


@dataclass(frozen=True)
class Made:
    """A configuration that one scope makes, fills and hands to sessions, and nothing else does.

    `statements` make and fill it, and go with it; `first` has the comments above it.
    """

    fields: f.Fields
    statements: tuple[cst.SimpleStatementLine, ...]
    first: cst.SimpleStatementLine | None


def made_by(ctx: FileContext, given: Taken, nodes: list[cst.CSTNode]) -> Made | None:
    """How the configuration that a call takes is made, if all of that is seen here."""
    options = _holders(ctx, nodes, f.OPTIONS)
    calls = {key: call for key, (_, call) in options.items()}
    if isinstance(given.value, cst.Call):
        if ctx.resolve(given.value.func) != f.CONFIG:
            return None
        fields = f.of_call(given.value, calls)
        used = _only_here(ctx, given.value, options, nodes)
        return None if fields is None or used is None else Made(fields, tuple(used), None)
    key = flow.key_of(given.value)
    maker = _holders(ctx, nodes, f.CONFIG).get(key or "")
    if key is None or maker is None:
        return None
    statement, call = maker
    fields = f.of_call(call, calls)
    if fields is None:
        return None
    fills = [
        s for s in behind(statement, given.scope, nodes)
        if isinstance(s, cst.SimpleStatementLine) and any(f.assigned_paths(s, key))
    ]
    for fill in fills:
        for path, value in f.assigned_paths(fill, key):
            fields[path] = value
    args = [t.arg for t in taken(ctx, given.scope, nodes) if flow.key_of(t.value) == key]
    used = _only_here(ctx, call, options, nodes)
    if used is None or not _all_seen(ctx, key, [statement, *fills, *args], nodes):
        return None
    return Made(fields, (*used, statement, *fills), statement)


def _holders(
    ctx: FileContext, nodes: list[cst.CSTNode], symbol: str
) -> dict[str, tuple[cst.SimpleStatementLine, cst.Call]]:
    """Names that are assigned once in the scope, a call of `symbol`: the statement and the call."""
    found: dict[str, tuple[cst.SimpleStatementLine, cst.Call]] = {}
    twice: set[str] = set()
    for node in nodes:
        pair = flow.assigned(node)
        key = flow.key_of(pair[0]) if pair else None
        if pair is None or key is None:
            continue
        if key in found or key in twice:
            twice.add(key)
        elif isinstance(pair[1], cst.Call) and ctx.resolve(pair[1].func) == symbol:
            assert isinstance(node, cst.SimpleStatementLine)
            found[key] = node, pair[1]
        else:
            twice.add(key)
    return {key: pair for key, pair in found.items() if key not in twice}


def behind(
    statement: cst.SimpleStatementLine, scope: Scope, nodes: list[cst.CSTNode]
) -> list[cst.BaseStatement]:
    """The statements behind a statement in its own block; what stands deeper happens under conditions."""
    top = scope.body if isinstance(scope, cst.Module) else flow.statements(scope.body)
    for block in [top, *(n.body for n in nodes if isinstance(n, cst.IndentedBlock))]:
        for index, line in enumerate(block):
            if line is statement:
                return [s for s in block[index + 1 :] if isinstance(s, cst.BaseStatement)]
    return []


def _only_here(
    ctx: FileContext, config: cst.Call, options: dict[str, tuple[cst.SimpleStatementLine, cst.Call]],
    nodes: list[cst.CSTNode],
) -> list[cst.SimpleStatementLine] | None:
    """The statements that make the GPUOptions of a config; None where others use them, too."""
    found = []
    for arg in config.args:
        key = flow.key_of(arg.value)
        if arg.keyword is not None and arg.keyword.value == "gpu_options" and key in options:
            statement = options[key or ""][0]
            if not _all_seen(ctx, key or "", [statement, arg], nodes):
                return None
            found.append(statement)
    return found


def _all_seen(
    ctx: FileContext, key: str, seen: list[cst.CSTNode], nodes: list[cst.CSTNode]
) -> bool:
    """Whether nothing but `seen` mentions a name, or in all of the module an attribute."""
    allowed = {id(inner) for node in seen for inner in flow.walk(node)}
    other = [node for node in flow.walk(ctx.module) if id(node) not in allowed]
    if key.startswith(("self.", "cls.")):
        attribute = key.partition(".")[2]
        return not any(isinstance(n, cst.Attribute) and n.attr.value == attribute for n in other)
    labels = {id(n.attr) for n in other if isinstance(n, cst.Attribute)}
    labels |= {id(n.keyword) for n in other if isinstance(n, cst.Arg)}
    names = ctx.scopes.names
    binder = next(n for n in nodes if isinstance(n, cst.Name) and n.value == key)
    own = names.find(key, ctx.scopes.scope_of(binder))
    for node in other:
        if isinstance(node, cst.Name) and node.value == key and id(node) not in labels:
            found = names.find(key, ctx.scopes.scope_of(node))
            if found is None or own is None or found[0] is own[0]:
                return False
    return True
