"""Which parts of a file stay TF1 graph code: there, tf.compat.v1 is the world that variables are in.

A function (or class, or the statements of the module) that still makes placeholders, sessions or
initializers after all transforms builds a graph. Optimizers, savers, losses and summaries of the
support package compute eagerly or in a `tf.function`, and could not be run by its session. What
has a `tf.compat.v1` of its own is therefore left to that; variables, scopes and layers come from
the support package in both worlds, which makes them part of the graph that is being built.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace

from migrator.analysis import graph_kinds as k
from migrator.analysis.names import NameTable, Scope
from migrator.analysis.tree_walk import walk
from migrator.engine.lookup import Disposition
from migrator.engine.ruleset import RuleSet
from migrator.engine.work import Site

#: Shared by both worlds: the support package's take part in the graph that is being built.
_SHARED = frozenset(
    f"tensorflow.{name}" for name in (
        "Variable", "get_variable", "variable_scope", "get_variable_scope", "variable_op_scope",
        "VariableScope", "AUTO_REUSE", "make_template", "get_local_variable", "name_scope",
        "NameScope", "GraphKeys", "get_collection", "get_collection_ref", "add_to_collection",
        "add_to_collections", "global_variables", "trainable_variables", "local_variables",
        "model_variables", "moving_average_variables",
        # Loops over the support package's cells, whose variables are where its scopes are.
        "nn.dynamic_rnn", "nn.static_rnn", "nn.bidirectional_dynamic_rnn",
        "nn.static_bidirectional_rnn",
        # Summaries are written where they are reached, or collected and merged in the graph.
        "summary.scalar", "summary.histogram", "summary.image", "summary.audio", "summary.text",
        "summary.merge", "summary.merge_all",
    )
)
#: Of the support package in both worlds, but another function: tf.compat.v1 knows none of its names.
_IN_GRAPHS = {
    "tensorflow.train.init_from_checkpoint": "tf1_support.compat.init_from_checkpoint",
    "tensorflow.contrib.framework.init_from_checkpoint": "tf1_support.compat.init_from_checkpoint",
    "tensorflow.reset_default_graph": "tf1_support.compat.reset_default_graph",
}
#: Questions that have one answer eagerly, where rules write it, and two in a graph.
_ASKED_IN_GRAPHS = frozenset({"tensorflow.is_variable_initialized"})
_MAKERS = (k.SESSION, k.SUPERVISOR, k.PLACEHOLDER, k.INIT)
_DEFAULT_GRAPH = "tensorflow.get_default_graph"
#: Of tests, which are eager unless they keep their graph, only what a session alone can use.
_OF_TESTS = frozenset({"tensorflow.train.Saver"})


def in_graph_world(
    sites: list[Site], names: NameTable, rules: RuleSet, everywhere: bool,
    held: frozenset[str] = frozenset(),
) -> list[Site]:  # fmt: skip
    """`sites`, those in graph-building units, or `everywhere`, with tf.compat.v1 for what they
    would do eagerly; so also those of the support symbols `held`."""
    if held:
        sites = [
            replace(s, disposition=_compat(s.disposition, rules)) if s.disposition.target in held else s
            for s in sites
        ]
    if everywhere:
        return [replace(s, disposition=_compat(s.disposition, rules)) for s in sites]
    units = graph_units(sites, names)
    if not units:
        return sites
    handed = _handed(names, units)
    return [
        replace(site, disposition=_compat(site.disposition, rules))
        if _unit(site.reference.scope, names) in units
        or site.disposition.key in _OF_TESTS and _method(site.reference.scope) in units
        or id(site.reference.call) in handed and site.disposition.key in k.OPTIMIZERS
        else site
        for site in sites
    ]


def _handed(names: NameTable, units: set[str]) -> set[int]:
    """Calls, by id, whose result is handed to a function or class that builds a graph: an optimizer
    that minimizes there belongs to that graph."""
    values: list[ast.expr] = []
    for node in walk(names.tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in units:
            values += [*node.args, *(keyword.value for keyword in node.keywords)]
    given = {value.id for value in values if isinstance(value, ast.Name)}
    if given:
        values += [
            node.value for node in walk(names.tree)
            if isinstance(node, ast.Assign)
            and any(isinstance(t, ast.Name) and t.id in given for t in node.targets)
        ]
    return {id(value) for value in values}


def _compat(found: Disposition, rules: RuleSet) -> Disposition:
    if found.key in _ASKED_IN_GRAPHS:
        return Disposition("compat", found.key, found.rest, exists=found.exists)
    if found.kind != "support" or found.key in _SHARED or not found.key.startswith("tensorflow."):
        return found
    if found.key in _IN_GRAPHS:
        return replace(found, target=_IN_GRAPHS[found.key])
    if rules.compat_target(found.key) is None:
        return found
    return Disposition("compat", found.key, found.rest, exists=found.exists)


def graph_units(sites: Iterable[Site], names: NameTable) -> set[str]:
    """Names of the top-level functions and classes ("" for the module), and of the methods of test
    classes (``Class.method``), that build graphs."""
    tree = names.tree
    assert isinstance(tree, ast.Module)
    nodes: dict[str, list[ast.AST]] = {}  # also those in an `if`, `try` or `with` of the module
    for scope in names.scopes:
        if scope.kind in ("function", "class") and scope.parent is names.module_scope:
            nodes.setdefault(scope.node.name, []).append(scope.node)  # type: ignore[attr-defined]
    tests = {
        name for name, same in nodes.items() for node in same if isinstance(node, ast.ClassDef)
        and any("TestCase" in ast.unparse(base) for base in node.bases)
    }
    makers = [
        site.reference.scope for site in sites
        if site.reference.role == "load" and site.reference.call is not None
        and "(" not in site.resolved.name and site.disposition.kind in ("compat", "manual")
        and (k.call_kind(site.resolved.name) in _MAKERS or site.resolved.name == _DEFAULT_GRAPH)
        and not site.resolved.name.endswith("get_default_session")
    ]
    pending = [_unit(scope, names) for scope in makers]
    found = {_method(scope) for scope in makers if _unit(scope, names) in tests} - {""}
    while pending:
        name = pending.pop()
        if name in found or name in tests:
            continue
        found.add(name)
        body = nodes[name] if name else [
            n for n in tree.body if not any(n is node for same in nodes.values() for node in same)
        ]
        pending += [
            inner.id for stmt in body for inner in walk(stmt)
            if isinstance(inner, ast.Name) and inner.id in nodes
        ]
    return found


def _method(scope: Scope) -> str:
    """``Class.method`` for the method of a top-level class that a scope is in, else ""."""
    path: list[str] = []
    current: Scope | None = scope
    while current is not None and current.kind != "module":
        path.append(getattr(current.node, "name", ""))
        current = current.parent
    return ".".join(path[:-3:-1]) if len(path) > 1 else ""


def _unit(scope: Scope, names: NameTable) -> str:
    """The name of the top-level statement that a scope is in."""
    current: Scope | None = scope
    name = ""
    while current is not None and current.kind != "module":
        name = getattr(current.node, "name", "")
        current = current.parent
    return name
