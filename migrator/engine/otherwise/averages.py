"""TensorFlow's own update of a moving average."""

from __future__ import annotations

from collections.abc import Iterator

from migrator.analysis.tree_walk import calls_in
from migrator.engine.otherwise import Changed, tells
from migrator.model import Finding


@tells("assign_moving_average")
def moved_at_once(changed: Changed) -> Iterator[Finding]:
    """TensorFlow's own update of a moving average, which is no operation to be run outside of a graph."""
    for call in () if changed.in_graph else calls_in(changed.before.tree):
        name = changed.before.names.resolve_node(call.func) or ""
        if name.startswith("tensorflow.") and name.endswith("moving_averages.assign_moving_average"):
            yield changed.told(
                "TF153", call,
                "in TensorFlow 1 this average moved where the operation was run; outside of a graph it moves "
                "at each call, also where the network only predicts",
                "Call it where the program trains only, or keep what it returned out of the network: "
                "moving_averages of the support package has assign_moving_average, too.",
            )  # fmt: skip
