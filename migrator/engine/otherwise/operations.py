"""The list of all operations of a graph that the program builds."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.analysis.tree_walk import calls_in, walk
from migrator.engine.otherwise import Changed, tells
from migrator.model import Finding

_ADVICE = ("What is looked for by name is better asked for by name, or kept where it is made; a count or a "
           "list of all operations has other contents.")  # fmt: skip
_SESSIONS = frozenset(("tensorflow.Session", "tensorflow.InteractiveSession"))
#: Functions of graph_util that give a part of a definition.
_PARTS = frozenset(("convert_variables_to_constants", "extract_sub_graph", "remove_training_nodes"))


def _builds(changed: Changed) -> bool:
    """Whether the graph is the program's own: one from a file has what it had."""
    own = changed.modules & {"graphs", "freezing"}
    return bool(own) and not changed.modules & {"frozen_graph", "meta_graph"} and not changed.stays


@tells("get_operations")
def listed_operations(changed: Changed) -> Iterator[Finding]:
    """``graph.get_operations()``."""
    if not _builds(changed):
        return
    for call in calls_in(changed.before.tree):
        if isinstance(call.func, ast.Attribute) and call.func.attr == "get_operations" and not call.args:
            yield changed.told(
                "TF308", call,
                "the operations of a graph that this program builds are other ones in TensorFlow 2: a "
                "variable has no VariableV2, Assign and read, layers and gradients have other kernels",
                _ADVICE,
            )  # fmt: skip


@tells("graph_def", ".node")
def listed_nodes(changed: Changed) -> Iterator[Finding]:
    """``graph.as_graph_def().node``, also of a name that has the definition, and of what is frozen of it."""
    if not _builds(changed):
        return
    opened: dict[str, list[ast.expr]] = {}
    for node in walk(changed.before.tree):
        if isinstance(node, ast.withitem) and node.optional_vars is not None:
            opened.setdefault(ast.unparse(node.optional_vars), []).append(node.context_expr)

    def made(node: ast.expr) -> list[ast.expr]:
        key = ast.unparse(node)
        return [*changed.assigned.get(key, ()), *opened.get(key, ())]

    def is_definition(node: ast.expr, depth: int = 3) -> bool:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr == "as_graph_def":
                return True
        if isinstance(node, ast.Call):
            module, _, function = (changed.before.names.resolve_node(node.func) or "").rpartition(".")
            return function in _PARTS and module.endswith("graph_util")
        if isinstance(node, ast.Attribute) and node.attr == "graph_def":
            return any(isinstance(value, ast.Call)
                       and changed.before.names.resolve_node(value.func) in _SESSIONS
                       for value in made(node.value))
        if not (depth and isinstance(node, (ast.Name, ast.Attribute))):
            return False
        return any(is_definition(value, depth - 1) for value in made(node))

    for node in walk(changed.before.tree):
        if isinstance(node, ast.Attribute) and node.attr == "node" and is_definition(node.value):
            yield changed.told(
                "TF308", node,
                "the nodes of a graph that this program builds are other ones in TensorFlow 2: variables are "
                "read by ReadVariableOp and have their values without operations that initialize them",
                _ADVICE,
            )  # fmt: skip
