"""The list of all operations of a graph that the program builds."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.analysis.tree_walk import calls_in
from migrator.engine.otherwise import Changed, tells
from migrator.model import Finding


@tells("get_operations")
def listed_operations(changed: Changed) -> Iterator[Finding]:
    """The list of all operations of a graph that the program builds."""
    loaded = changed.modules & {"frozen_graph", "meta_graph"}  # a graph from a file has what it had
    if not changed.in_graph or loaded or changed.stays:
        return
    for call in calls_in(changed.before.tree):
        if isinstance(call.func, ast.Attribute) and call.func.attr == "get_operations" and not call.args:
            yield changed.told(
                "TF308", call,
                "the operations of a graph that this program builds are other ones in TensorFlow 2: a "
                "variable has no VariableV2, Assign and read, layers and gradients have other kernels",
                "What is looked for by name is better asked for by name, or kept where it is made; a "
                "count or a list of all operations has other contents.",
            )  # fmt: skip
