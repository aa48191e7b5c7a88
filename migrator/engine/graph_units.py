"""Which tests stay TF1 graph code: there, tf.compat.v1 is the world that variables are in.

A test that still makes placeholders, sessions or initializers after all transforms builds a graph for
a session of TensorFlow's own test case. What has a `tf.compat.v1` of its own is therefore left to
that; variables, scopes and layers come from the support package in both worlds.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace

from migrator.analysis import graph_kinds as k
from migrator.analysis.names import NameTable, Scope
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
_MAKERS = (k.SESSION, k.SUPERVISOR, k.PLACEHOLDER, k.INIT)
_DEFAULT_GRAPH = "tensorflow.get_default_graph"


def in_graph_world(sites: list[Site], names: NameTable, rules: RuleSet) -> list[Site]:
    """`sites`, those in tests that build a graph with tf.compat.v1 for what they would do eagerly."""
    found = graph_tests(sites, names)
    return [
        replace(site, disposition=_compat(site.disposition, rules))
        if _method(site.reference.scope) in found else site
        for site in sites
    ] if found else sites


def _compat(found: Disposition, rules: RuleSet) -> Disposition:
    if found.kind != "support" or found.key in _SHARED or not found.key.startswith("tensorflow."):
        return found
    if found.key in _IN_GRAPHS:
        return replace(found, target=_IN_GRAPHS[found.key])
    if rules.compat_target(found.key) is None:
        return found
    return Disposition("compat", found.key, found.rest, exists=found.exists)


def graph_tests(sites: Iterable[Site], names: NameTable) -> set[str]:
    """The methods of test classes (``Class.method``) that build graphs."""
    tree = names.tree
    assert isinstance(tree, ast.Module)
    tests = {
        n.name for n in tree.body if isinstance(n, ast.ClassDef)
        and any("TestCase" in ast.unparse(base) for base in n.bases)
    }
    return {
        _method(site.reference.scope) for site in sites
        if site.reference.role == "load" and site.reference.call is not None
        and "(" not in site.resolved.name and _unit(site.reference.scope, names) in tests
        and (k.call_kind(site.resolved.name) in _MAKERS or site.resolved.name == _DEFAULT_GRAPH)
        and not site.resolved.name.endswith("get_default_session")
    } - {""}


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
