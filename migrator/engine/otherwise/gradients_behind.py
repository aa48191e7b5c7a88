"""Gradients that wait for an update: TensorFlow 1 took them through the variables that it left, unless these
were resources."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.analysis.tree_walk import calls_in, last_name, walk
from migrator.engine.otherwise import Changed, tells
from migrator.model import Finding

_SWITCHES = ("enable_resource_variables()", "enable_v2_behavior()")
_DIFFERENTIATE = ("minimize", "compute_gradients", "gradients")
_LEFT = ("the gradient waits for an update and goes through the variables that it left; with resource "
         "variables TensorFlow 1 took those of the forward pass",
         "Make the variables with use_resource=True: they are read as the forward pass read them.")
_READ = ("the gradient waits for an update, and TensorFlow 1 took it through the variables that this left; "
         "now it goes through those of the forward pass",
         "This is what a gradient means; results differ from those of before.")
_UPDATE = ("minimize", "apply_gradients")


@tells("control_dependencies")
def gradients_behind_updates(changed: Changed) -> Iterator[Finding]:
    """Where the form that the program goes on in reads variables otherwise than it did: the graph form reads
    them as they are by then, the step of an estimator as the forward pass read them."""
    resources = any(switch in text for text in changed.texts for switch in _SWITCHES)
    estimator = not changed.in_graph and any("EstimatorSpec" in text for text in changed.texts)
    if resources is not changed.in_graph or not changed.in_graph and not estimator:
        return
    updates = {name for name, values in changed.assigned.items() if any(_calls(v, _UPDATE) for v in values)}
    for node in walk(changed.before.tree):
        if isinstance(node, ast.With) and any(_calls(part, _DIFFERENTIATE) for part in node.body) and any(
                "control_dependencies" in ast.unparse(item.context_expr) and any(
                    ast.unparse(part) in updates for part in walk(item.context_expr)
                    if isinstance(part, (ast.Name, ast.Attribute)))
                for item in node.items):
            yield changed.told("TF317", node, *(_LEFT if changed.in_graph else _READ))


def _calls(node: ast.AST, names: tuple[str, ...]) -> bool:
    return any(last_name(call.func) in names for call in calls_in(node))
