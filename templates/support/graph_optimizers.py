"""An optimizer's updates as operations of the TF 1 graph that is being built, for its session."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import tensorflow as tf

from .store import builds_graph, current_run

Tensor = Any  # tf.Tensor
Variable = Any  # tf.Variable


class GraphOptimizer(tf.compat.v1.train.Optimizer):
    """What an optimizer of this package does in one graph: its state there, its updates there.

    State has the names it had in TF 1.  A subclass that people wrote is asked for its own
    `_create_slots`, `_prepare`, `_apply_dense`, ... where it has them.
    """

    def __init__(self, optimizer: Any, graph: tf.Graph) -> None:
        super().__init__(False, optimizer.get_name())
        self._of, self._graph = optimizer, graph

    def _own(self, name: str) -> Any:
        return getattr(self._of, name, None)

    def _operations(self, compute: Callable[[], Any]) -> tf.Operation:
        """All that `compute` does, in its order, as one operation."""
        @tf.function(autograph=False)
        def update() -> Tensor:
            compute()
            return tf.constant(True)

        return update().op

    def _create_slots(self, var_list: Iterable[Variable]) -> None:
        create = self._own("_create_slots")
        if create is not None:
            create(var_list)
            return
        variables = list(var_list)
        for name, value in self._of.initial_scalars().items():
            self._create_non_slot_variable(
                tf.constant(value), name, min(variables, key=lambda v: v.name))
        for variable in variables:
            for slot in self._of.slots:
                value = self._of.initial_slot(slot)(variable.shape, variable.dtype)
                self._get_or_make_slot(variable, value, slot, self._of.slot_label(slot))

    def _prepare(self) -> None:
        prepare = self._own("_prepare")
        if prepare is not None:
            prepare()
        rate = self._of.given_rate
        self._rate = tf.convert_to_tensor(rate() if callable(rate) else rate)

    def scalar(self, name: str) -> Variable:
        """State that belongs to no variable."""
        return self._get_non_slot_variable(name, self._graph)

    def _state(self, variable: Variable) -> tuple[list[Variable], Tensor]:
        slots = [self.get_slot(variable, slot) for slot in self._of.slots]
        return slots, tf.cast(self._rate, variable.dtype)

    def _resource_apply_dense(self, grad: Tensor, handle: Variable) -> Any:
        if self._of.applies_itself:
            return self._of.apply_own(grad, handle)
        slots, rate = self._state(handle)
        return self._operations(lambda: self._of._update_dense(grad, handle, slots, rate))

    def _resource_apply_sparse(self, grad: Tensor, handle: Variable, indices: Tensor) -> Any:
        if self._of.applies_itself:
            return self._of.apply_own(tf.IndexedSlices(grad, indices), handle)
        slots, rate = self._state(handle)
        return self._operations(
            lambda: self._of._update_sparse(grad, indices, handle, slots, rate))

    def _finish(self, update_ops: list[Any], name_scope: str) -> Any:
        finish = self._own("_finish")
        if finish is not None:
            return finish(update_ops, name_scope)
        with tf.control_dependencies(update_ops):
            last = self._operations(self._of.end_step)
        return tf.group(*update_ops, last, name=name_scope)


def graph_optimizer(optimizer: Any) -> GraphOptimizer | None:
    """What `optimizer` is in the TF 1 graph that is being built, None where there is none."""
    if not builds_graph():
        return None
    run: Any = current_run()
    made = run.optimizers
    if optimizer not in made:
        made[optimizer] = GraphOptimizer(optimizer, run.graph)
    found: GraphOptimizer = made[optimizer]
    return found
