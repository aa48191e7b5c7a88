"""What TF 1's Optimizer offered to subclasses, and asked of those that compute updates themselves.

A subclass could define `_create_slots`, `_prepare`, `_apply_dense`, `_apply_sparse`,
`_resource_apply_dense`, `_resource_apply_sparse` and `_finish`, and call the methods below.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from .devices import beside
from .names import key_of, outside_traces, variable_name

Tensor = Any  # tf.Tensor
Variable = Any  # tf.Variable

_HOOKS = ("_apply_dense", "_resource_apply_dense")


class OptimizerHooks:
    """State by slot name for subclasses that keep their own."""

    _own_slots: dict[str, dict[int, Variable]]
    _own_labels: dict[int, str]  # of each such variable, its name in a TF 1 checkpoint
    _scalars: dict[str, Variable]

    @property
    def applies_itself(self) -> bool:
        """Whether the subclass computes its updates in methods that TF 1 asked it for."""
        return any(hasattr(self, name) for name in _HOOKS)

    def apply_own(self, gradient: Any, variable: Variable) -> Any:
        """The update by the subclass's own methods; that for resource variables goes first."""
        arguments: tuple[Any, ...] = (gradient, variable)
        names = _HOOKS[::-1]
        if isinstance(gradient, tf.IndexedSlices):
            names = ("_resource_apply_sparse", "_apply_sparse")
        for name in names:
            apply = getattr(self, name, None)
            if apply is None:
                continue
            if name == "_resource_apply_sparse":
                arguments = (gradient.values, variable, gradient.indices)
            else:
                arguments = (gradient, variable)
            try:
                return apply(*arguments)
            except NotImplementedError:
                if name == names[-1]:
                    raise
        raise NotImplementedError(f"{type(self).__name__} has no {' or '.join(names)}")

    def create_own_slots(self, variables: list[Variable]) -> None:
        create = getattr(self, "_create_slots", None)
        if create is not None:
            create(variables)

    def own_slot(self, variable: Variable, name: str) -> Variable | None:
        return self._own_slots.get(name, {}).get(key_of(variable))

    def _own_slot(
        self, variable: Variable, slot: str, op_name: str, value: Callable[[], Tensor]
    ) -> Variable:
        of_slot = self._own_slots.setdefault(slot, {})
        key = key_of(variable)
        if key not in of_slot:
            stem = label = f"{variable_name(variable)}/{op_name}"
            taken = set(self._own_labels.values())
            count = 0
            while label in taken:
                count += 1
                label = f"{stem}_{count}"
            with outside_traces(), beside(variable):
                made = of_slot[key] = tf.Variable(
                    value(), trainable=False, name=label.replace(":", "_"))
            self._own_labels[key_of(made)] = label
        return of_slot[key]

    def own_variables(self) -> dict[str, Variable]:
        """State that the subclass made, by its name in a TF 1 checkpoint."""
        return {self._own_labels[key_of(variable)]: variable
                for of_slot in self._own_slots.values() for variable in of_slot.values()}

    # ---- for subclasses ----------------------------------------------------------------------
    def _zeros_slot(self, var: Variable, slot_name: str, op_name: str) -> Variable:
        return self._own_slot(var, slot_name, op_name, lambda: tf.zeros(var.shape, var.dtype))

    def _get_or_make_slot(
        self, var: Variable, val: Any, slot_name: str, op_name: str
    ) -> Variable:
        return self._own_slot(
            var, slot_name, op_name, lambda: val() if callable(val) else tf.convert_to_tensor(val))

    def _get_or_make_slot_with_initializer(
        self, var: Variable, initializer: Callable[..., Tensor], shape: Any, dtype: Any,
        slot_name: str, op_name: str,
    ) -> Variable:
        return self._get_or_make_slot(
            var, initializer(shape, dtype=dtype), slot_name, op_name)

    def _create_non_slot_variable(
        self, initial_value: Any, name: str, colocate_with: Any = None
    ) -> Variable:
        if name not in self._scalars:
            with outside_traces(), beside(colocate_with):
                self._scalars[name] = tf.Variable(initial_value, trainable=False, name=name)
        return self._scalars[name]

    def _get_non_slot_variable(self, name: str, graph: Any = None) -> Variable | None:
        return self._scalars.get(name)

    def _call_if_callable(self, param: Any) -> Any:
        return param() if callable(param) else param
