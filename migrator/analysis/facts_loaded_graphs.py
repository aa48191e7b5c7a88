"""Graphs that a project loads from files, followed from module to module.

A function may return a loaded graph (or its session, or both), and others may be given them. What
`LoadedGraphs` finds is enough to rewrite each file by itself: which calls give graphs, and which
parameters are given nothing else.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from migrator.analysis import graph_kinds as k
from migrator.analysis.facts import fact
from migrator.analysis.index import ProjectIndex
from migrator.analysis.names import NameTable
from migrator.analysis.tree_walk import children, walk

IMPORTERS = frozenset(
    {"tensorflow.import_graph_def", "tensorflow.graph_util.import_graph_def",
     "tensorflow.train.import_meta_graph"}
)
META = frozenset({"tensorflow.train.import_meta_graph"})
GRAPH, SESSION = "graph", "session"
SESSIONS = frozenset({"tensorflow.Session", "tensorflow.InteractiveSession"})
#: Modules that a project may have before it is not looked at as a whole.
_MOST = 400

Kinds = tuple[str, ...]  # of what is returned: one, or those of a tuple's elements


#: Words without which no text loads a graph: those of TF 1, and of what is written in their place.
LOADING = ("import_graph_def", "import_meta_graph", "FrozenGraph", "MetaGraph")


@fact("loaded_graphs", *LOADING)
def loaded_graphs(tree: ast.Module, names: NameTable, module: str) -> dict[str, Any] | None:
    """Top-level function -> kinds of what it returns, for those that return loaded graphs."""
    del module
    own = ModuleFlow(tree, names, {}, {}).returns
    return {name: list(kinds) for name, kinds in own.items()} or None


@dataclass
class LoadedGraphs:
    """`returns`: dotted function -> `Kinds`; `parameters`: (module path, function) -> {parameter:
    kind}; `modules`: paths of the modules between which graphs go."""

    returns: dict[str, Kinds] = field(default_factory=dict)
    parameters: dict[tuple[str, str], dict[str, str]] = field(default_factory=dict)
    modules: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, index: ProjectIndex) -> LoadedGraphs:
        """What goes between the project's modules; worked out once for an index."""
        found = index.answers.get("loaded graphs")
        if found is None:
            found = index.answers["loaded graphs"] = _followed(index)
        return found


def loaded_parameters(
    index: ProjectIndex, path: str, text: str, tree: ast.Module, names: NameTable
) -> set[tuple[str, str]]:
    """(function, parameter) of the module at `path`, which is `text` by now, that are given loaded
    graphs or what runs them."""
    linked = LoadedGraphs.of(index)
    given = {name: kinds for (p, name), kinds in linked.parameters.items() if p == path}
    if not linked.returns and not given and not any(word in text for word in LOADING):
        return set()
    flow = ModuleFlow(tree, names, linked.returns, given)
    return {(name, parameter) for name, kinds in flow.parameters.items() for parameter in kinds}


def _followed(index: ProjectIndex) -> LoadedGraphs:
    found = LoadedGraphs()
    pending: list[str] = []
    for path, info in index.modules.items():
        for name, kinds in (info.summary.facts.get("loaded_graphs") or {}).items():
            found.returns[f"{info.name}.{name}"] = tuple(kinds)
            pending += index.importers(path)
    calls: dict[str, list[tuple[str, str, dict[str, str]]]] = {}
    seen = 0
    while pending and seen < _MOST:
        path = pending.pop()
        seen += 1
        tree, info = index.tree(path), index.modules[path]
        if tree is None:
            continue
        names = NameTable.of(tree, info.name, info.is_package)
        given = {name: kinds for (p, name), kinds in found.parameters.items() if p == path}
        flow = ModuleFlow(tree, names, found.returns, given)
        for name, kinds in flow.returns.items():
            if found.returns.get(f"{info.name}.{name}") != kinds:
                found.returns[f"{info.name}.{name}"] = kinds
                pending += index.importers(path)
        calls[path] = []
        for dotted, call, kinds_of in flow.calls:
            hit = index.definition(dotted, path)
            if hit is None or hit[1] not in hit[0].summary.functions:
                continue
            key = hit[0].path, hit[1]
            own = _by_name(_function(index.tree(hit[0].path), hit[1]), call, kinds_of)
            calls[path].append((*key, own))
            if not own.items() <= found.parameters.get(key, {}).items():
                found.parameters.setdefault(key, {}).update(own)
                pending += [hit[0].path, *index.importers(hit[0].path)]
        if flow.takes or any(own for _, _, own in calls[path]):
            found.modules.add(path)
    for own_calls in calls.values():
        for target, name, own in own_calls:  # a parameter that is once given something else is none
            known = found.parameters.get((target, name), {})
            for parameter in [p for p in known if own.get(p) != known[p]]:
                del known[parameter]
    found.modules |= {path for (path, _), kinds in found.parameters.items() if kinds}
    for name in found.returns if found.modules else ():
        hit = index.definition(name)
        if hit is not None:
            found.modules.add(hit[0].path)
    return found


def _function(tree: ast.Module | None, name: str) -> ast.FunctionDef | None:
    return next((n for n in (tree.body if tree is not None else ())
                 if isinstance(n, ast.FunctionDef) and n.name == name), None)


def _by_name(
    function: ast.FunctionDef | None, call: ast.Call, kinds: dict[ast.expr, str]
) -> dict[str, str]:
    """Parameter -> kind of what a call of a function gives it."""
    if function is None:
        return {}
    parameters = [a.arg for a in [*function.args.posonlyargs, *function.args.args]]
    pairs = [*zip(parameters, call.args, strict=False)]
    pairs += [(a.arg, a.value) for a in call.keywords if a.arg is not None]
    return {parameter: kinds[node] for parameter, node in pairs if node in kinds}


class ModuleFlow:
    """One pass over a module: which of its names hold loaded graphs or sessions of them.

    `returns` has the module's own functions; `calls` those of other modules (dotted name, call,
    kinds of the arguments that are graphs); `takes`: whether any call gives a graph.
    """

    def __init__(
        self, tree: ast.Module, names: NameTable, returns: dict[str, Kinds],
        parameters: dict[str, dict[str, str]],
    ) -> None:
        self.names = names
        self.known = returns
        self.returns: dict[str, Kinds] = {}
        self.calls: list[tuple[str, ast.Call, dict[ast.expr, str]]] = []
        self.takes = False
        self.functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
        self.parameters = {name: dict(kinds) for name, kinds in parameters.items()}
        scopes = [n for n in walk(tree) if isinstance(n, ast.FunctionDef)]
        for _ in range(4):  # functions of the module may give graphs to each other
            before = repr((self.returns, self.parameters))
            self.calls = []
            outer = self._scope(tree, {})
            for node in scopes:
                top = self.functions.get(node.name) is node
                own = self.parameters.get(node.name, {}) if top else {}
                kinds = self._returned(node, self._scope(node, {**outer, **own}))
                if kinds is not None and top:
                    self.returns[node.name] = kinds
            if before == repr((self.returns, self.parameters)):
                break

    def _symbol(self, node: ast.expr) -> str:
        return self.names.resolve_node(node, values=False) or ""

    def _scope(self, scope: ast.Module | ast.FunctionDef, env: dict[str, str]) -> dict[str, str]:
        """The names of a scope that hold graphs and sessions."""
        own = list(_own(scope))
        for _ in range(3):
            before = dict(env)
            for node in own:
                if isinstance(node, ast.With):
                    self._with(node, env)
                elif isinstance(node, ast.Assign) and len(node.targets) == 1:
                    self._assign(node.targets[0], node.value, env)
            if env == before:
                break
        for node in own:
            if isinstance(node, ast.Call):
                self._call(node, env)
        return env

    def _with(self, node: ast.With, env: dict[str, str]) -> None:
        loads = [
            n for stmt in node.body for n in walk(stmt)
            if isinstance(n, ast.Call) and self._symbol(n.func) in IMPORTERS
        ]
        for item in node.items:
            context, bound = item.context_expr, item.optional_vars
            if isinstance(context, ast.Call) and isinstance(context.func, ast.Attribute):
                base = context.func.value
                if loads and context.func.attr == "as_default":
                    if isinstance(base, ast.Name):
                        env[base.id] = GRAPH
                    if isinstance(bound, ast.Name):
                        env[bound.id] = GRAPH
            if isinstance(bound, ast.Name) and self._session(context, env, inside=bool(loads)):
                env[bound.id] = SESSION

    def _session(self, node: ast.expr, env: dict[str, str], inside: bool = False) -> bool:
        if not isinstance(node, ast.Call) or self._symbol(node.func) not in SESSIONS:
            return False
        given = [a.value for a in node.keywords if a.arg == "graph"] + node.args[1:2]
        if not given:
            return inside
        return isinstance(given[0], ast.Name) and env.get(given[0].id) == GRAPH

    def _assign(self, target: ast.expr, value: ast.expr, env: dict[str, str]) -> None:
        if isinstance(value, ast.Name) and isinstance(target, ast.Name):
            if value.id in env:
                env[target.id] = env[value.id]
        elif self._session(value, env) and isinstance(target, ast.Name):
            env[target.id] = SESSION
        elif isinstance(value, ast.Call):
            kinds = self._called(value)
            if kinds is None:
                return
            self.takes = True
            targets = [target] if len(kinds) == 1 else (
                target.elts if isinstance(target, (ast.Tuple, ast.List)) else [])
            for element, kind in zip(targets, kinds, strict=False):
                if isinstance(element, ast.Name) and kind:
                    env[element.id] = kind

    def _called(self, call: ast.Call) -> Kinds | None:
        if isinstance(call.func, ast.Name) and call.func.id in self.functions:
            return self.returns.get(call.func.id)
        symbol = self._symbol(call.func)
        return (GRAPH,) if symbol.endswith(k.LOADS) else self.known.get(symbol)

    def _call(self, call: ast.Call, env: dict[str, str]) -> None:
        """Notes a call of a function of another module, whether it is given a graph or not."""
        function, given = call.func, [*call.args, *(a.value for a in call.keywords)]
        target = next((a.value for a in call.keywords if a.arg == "target"), None)
        passed = next((a.value for a in call.keywords if a.arg == "args"), None)
        if target is not None and isinstance(passed, (ast.Tuple, ast.List)):  # of a thread
            function, given = target, passed.elts
            call = ast.Call(func=target, args=passed.elts, keywords=[])
        kinds: dict[ast.expr, str] = {
            node: env[node.id] for node in given if isinstance(node, ast.Name) and node.id in env
        }
        local = self.functions.get(function.id) if isinstance(function, ast.Name) else None
        if local is not None:
            self.parameters.setdefault(local.name, {}).update(_by_name(local, call, kinds))
            return
        name = self._symbol(function)
        if name and not name.startswith(("tensorflow.", "builtins.")):
            self.calls.append((name, call, kinds))

    def _returned(self, node: ast.FunctionDef, env: dict[str, str]) -> Kinds | None:
        """Kinds of what a function returns, None if it returns no graph, or not always."""
        found: set[Kinds] = set()
        for inner in _own(node):
            if not isinstance(inner, ast.Return) or inner.value is None:
                continue
            elements = inner.value.elts if isinstance(inner.value, ast.Tuple) else [inner.value]
            found.add(tuple(
                env.get(e.id, "") if isinstance(e, ast.Name) else "" for e in elements
            ))
        if len(found) != 1:
            return None
        kinds = found.pop()
        return kinds if any(kinds) else None


def _own(scope: ast.Module | ast.FunctionDef) -> Iterator[ast.AST]:
    """Nodes of a scope, those of functions and classes inside of it left out."""
    stack: list[ast.AST] = list(reversed(scope.body))
    while stack:
        node = stack.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            continue
        yield node
        stack.extend(reversed(children(node)))
