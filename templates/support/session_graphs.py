"""Graphs of TF1 that are built for a session (`with tf.Graph().as_default():` and no store).

Each has a store, and what is collected is the graph's as well, for the session that will run it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from .names import current_graph
from .store import GraphKeys, Run, VariableStore, _Holder


class GraphRun(Run):
    """The one run of code that builds a TF1 graph for a session: collections are the graph's."""

    builds = True

    def __init__(self, store: VariableStore, graph: tf.Graph) -> None:
        super().__init__(store)
        self.graph = graph
        self.optimizers: dict[Any, Any] = {}  # what each optimizer is in this graph

    def without_value(self, variables: Sequence[Any], name: str) -> tf.Tensor:
        return tf.compat.v1.report_uninitialized_variables(list(variables), name)

    def add_to_collection(self, name: str, value: Any) -> None:
        super().add_to_collection(name, value)
        self.graph.add_to_collection(name, value)

    def add_update(
        self, name: str, update: Callable[[], Any], collections: Sequence[str] = ("update_ops",)
    ) -> None:
        """The update becomes an operation at once; a session runs it if something depends on it."""
        result = update()
        for collection in collections:
            self.graph.add_to_collection(collection, result)

    def get_collection(self, name: str, scope: str | None = None) -> list[Any]:
        return list(self.graph.get_collection(name, scope))

    def get_collection_ref(self, name: str) -> list[Any]:
        values: list[Any] = self.graph.get_collection_ref(name)
        return values

    def penalize(self, name: str) -> None:
        penalty = self.store.regularization_loss(name)
        if penalty is not None:
            self.graph.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, penalty)


def run_of_graph() -> Run:
    """The run of the TF1 graph that is being built; its variables are the graph's own."""
    graph = current_graph()
    run: Run | None = getattr(graph, "variable_store_run", None)
    if run is None:
        # What branches and loops of a session's graph make is the graph's own, as in TF1. Functions
        # keep TF2's control flow.
        tf.compat.v1.disable_control_flow_v2()
        store = VariableStore("graph_store")
        run = GraphRun(store, graph)
        store._building = _Holder(run)
        graph.variable_store_run = run
    return run
