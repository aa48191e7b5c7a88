"""Running metrics that an Estimator logs while it trains."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.analysis.tree_walk import calls_in, walk
from migrator.engine.otherwise import Changed, tells
from migrator.model import Finding, Rung

_METRICS = ("tensorflow.metrics.", "tensorflow.contrib.metrics.streaming_")
_LOGS = ("tensorflow.identity", "tensorflow.summary.")


@tells("EstimatorSpec", "metrics.")
def counted_at_each_step(changed: Changed) -> Iterator[Finding]:
    """The update of a metric under a name or in a summary, which TensorFlow 1 ran at the steps only at
    which a hook asked for it."""
    names = changed.before.names
    updates: set[str] = set()
    for node in walk(changed.before.tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and (
                names.resolve_node(node.value.func) or "").startswith(_METRICS):
            for target in node.targets:
                if isinstance(target, ast.Tuple) and len(target.elts) == 2:
                    updates.add(ast.unparse(target.elts[1]))
                else:
                    updates.add(f"{ast.unparse(target)}[1]")
    said: set[str] = set()
    for call in calls_in(changed.before.tree) if updates else ():
        if not (names.resolve_node(call.func) or "").startswith(_LOGS):
            continue
        for update in updates.intersection(map(ast.unparse, call.args)) - said:
            said.add(update)
            yield changed.told(
                "TF312", call,
                f"{update} counts the batch of each training step; TensorFlow 1 counted those only at whose "
                "steps a hook logged or wrote it",
                "What evaluation gives is the same. For the value of one batch log a mean of the batch.",
                Rung.SUPPORT,
            )  # fmt: skip
