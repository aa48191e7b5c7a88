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
from migrator.engine.ruleset import Disposition, RuleSet
from migrator.engine.work import Site

#: Shared by both worlds: the support package's take part in the graph that is being built.
_SHARED = frozenset(
    f"tensorflow.{name}" for name in (
        "Variable", "get_variable", "variable_scope", "get_variable_scope", "variable_op_scope",
        "VariableScope", "AUTO_REUSE", "make_template", "get_local_variable", "name_scope",
        "NameScope",
    )
)
_MAKERS = (k.SESSION, k.PLACEHOLDER, k.INIT)


def in_graph_world(sites: list[Site], names: NameTable, rules: RuleSet) -> list[Site]:
    """`sites`, those in graph-building units with tf.compat.v1 for what they would do eagerly."""
    units = graph_units(sites, names)
    if not units:
        return sites
    return [
        replace(site, disposition=_compat(site.disposition, rules))
        if _unit(site.reference.scope, names) in units else site
        for site in sites
    ]


def _compat(found: Disposition, rules: RuleSet) -> Disposition:
    if found.kind != "support" or found.key in _SHARED or not found.key.startswith("tensorflow."):
        return found
    if rules.compat_target(found.key) is None:
        return found
    return Disposition("compat", found.key, found.rest, exists=found.exists)


def graph_units(sites: Iterable[Site], names: NameTable) -> set[str]:
    """Names of the top-level functions and classes ("" for the module) that build graphs."""
    tree = names.tree
    assert isinstance(tree, ast.Module)
    nodes = {
        n.name: n for n in tree.body
        if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
    }
    tests = {
        name for name, node in nodes.items() if isinstance(node, ast.ClassDef)
        and any("TestCase" in ast.unparse(base) for base in node.bases)
    }
    pending = [
        _unit(site.reference.scope, names) for site in sites
        if site.reference.role == "load" and site.reference.call is not None
        and "(" not in site.resolved.name and site.disposition.kind in ("compat", "manual")
        and k.call_kind(site.resolved.name) in _MAKERS
        and not site.resolved.name.endswith("get_default_session")
    ]
    found: set[str] = set()
    while pending:
        name = pending.pop()
        if name in found or name in tests:
            continue
        found.add(name)
        body: list[ast.stmt] = [nodes[name]] if name else [
            n for n in tree.body if n not in nodes.values()
        ]
        pending += [
            inner.id for stmt in body for inner in ast.walk(stmt)
            if isinstance(inner, ast.Name) and inner.id in nodes
        ]
    return found


def _unit(scope: Scope, names: NameTable) -> str:
    """The name of the top-level statement that a scope is in."""
    current: Scope | None = scope
    name = ""
    while current is not None and current.kind != "module":
        name = getattr(current.node, "name", "")
        current = current.parent
    return name
