"""Resource variables in a graph of TensorFlow 1: what runs behind an update did not see it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.analysis.tree_walk import walk
from migrator.engine.otherwise import Changed, tells
from migrator.model import Finding

_SWITCHES = ("enable_resource_variables()", "enable_v2_behavior()")
_DIFFERENTIATE = ("minimize", "compute_gradients", "gradients")
_UPDATE = ("minimize", "apply_gradients")


@tells("control_dependencies")
def gradients_behind_updates(changed: Changed) -> Iterator[Finding]:
    """A gradient that waits for a step, in a program that switches resource variables on: the graph form
    reads variables as they are by then, as TensorFlow 1 did by default."""
    if not changed.in_graph or not any(switch in text for text in changed.texts for switch in _SWITCHES):
        return
    updates = {name for name, values in changed.assigned.items() if any(_calls(v, _UPDATE) for v in values)}
    for node in walk(changed.before.tree):
        if isinstance(node, ast.With) and any(_calls(part, _DIFFERENTIATE) for part in node.body) and any(
                "control_dependencies" in ast.unparse(item.context_expr) and any(
                    ast.unparse(part) in updates for part in walk(item.context_expr)
                    if isinstance(part, (ast.Name, ast.Attribute)))
                for item in node.items):
            yield changed.told(
                "TF317", node,
                "the gradient waits for an update and goes through the variables that it left; with resource "
                "variables TensorFlow 1 took those of the forward pass",
                "Make the variables with use_resource=True: they are read as the forward pass read them.",
            )  # fmt: skip


def _calls(node: ast.AST, names: tuple[str, ...]) -> bool:
    return any(isinstance(call, ast.Call) and ast.unparse(call.func).rpartition(".")[2] in names
               for call in walk(node))
