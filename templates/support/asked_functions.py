"""Traced functions that run Python code only if something asks for what it gives, as TF 1's sessions did.

What changes state happens in a `tf.function` whether or not its value is used, and Python code counts as
that. TF 1 left it alone where no fetch led to it: a picture of labels that only a summary shows, a
prediction that nobody wants. The same holds for data sets that an input function makes, and for what it
computes of an example that a queue takes.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import tensorflow as tf

from .graph_functions import unfed
from .names import current_graph
from .slices import CALL, PLACEHOLDERS, Slice, library

_PYTHON = ("PyFunc", "EagerPyFunc")
_WITH_BODIES = ("If", "Case", "While", CALL)
_OF_CONDITIONS = ("Identity", "LogicalAnd")


class AskedFunction:
    """`function`, traced for the arguments that `specs` (by position) and `named` (by name) describe.

    Args:
        function: Gives what a call gives, and a nest whose tensors and operations are to run besides.
        sometimes: A variable: `seldom` is for calls for which it is False, so that nothing of what a
            `tf.cond` on it would do is computed.
    """

    def __init__(self, function: Callable[..., tuple[Any, Any]], specs: Sequence[Any] = (),
                 named: Mapping[str, Any] | None = None, sometimes: tf.Variable | None = None) -> None:
        self._specs, self._named = specs, named or {}
        self._feeds: list[Any] = []
        idle, resting = set[str](), set[str]()

        def traced(*args: Any, **kwargs: Any) -> Any:
            given, asked = function(*args, **kwargs)
            self._feeds = tf.nest.flatten((args, kwargs), expand_composites=True)
            graph = current_graph()  # whose control edges are the program's own until the trace ends
            perhaps = {o.name for o in graph.get_operations() if _runs_python(o) or _makes_data_set(o)}
            perhaps |= self._unknown(graph)
            if perhaps:
                parts = tf.nest.flatten([given, asked], expand_composites=True)
                idle.update(perhaps - _needed(graph, parts, perhaps))
                seldom = perhaps | _branches(graph, sometimes)
                resting.update(seldom - _needed(graph, parts, seldom))
                if not resting & perhaps - idle:
                    resting.clear()
            return given

        self.traced = self._concrete(traced)  # kept, since what is made of it has its Python code
        self.function = self._without(idle)
        self.seldom = self._without(resting) if resting else self.function

    def _unknown(self, graph: Any) -> set[str]:
        """Names of the operations behind what an input function made and no step has."""
        given = [*self._feeds, *(inner for _, inner in graph.captures)]
        known = {tensor.op.name for tensor in given if tf.is_tensor(tensor)}
        found = set[str]()
        for operation in graph.get_operations():  # in the order in which they were made
            if any(t.op.name in found for t in operation.inputs) or (
                    operation.type in PLACEHOLDERS and operation.name not in known):
                found.add(operation.name)
        return found

    def _concrete(self, function: Callable[..., Any]) -> Any:
        return tf.function(function, autograph=False).get_concrete_function(*self._specs, **self._named)

    def _without(self, left_out: set[str]) -> Any:
        """The traced function without some of its operations."""
        graph, form = self.traced.graph, self.traced.structured_outputs
        if not left_out:
            return self.traced
        acts = [o for o in graph.control_outputs if o.name not in left_out]
        bound = {(inner.op.name, 0): lambda outer=outer: current_graph().capture(outer)
                 for outer, inner in graph.captures}
        part = Slice(graph, self._feeds, [*graph.outputs, *acts], unfed, bound, left_out=left_out)

        def computed(*args: Any, **kwargs: Any) -> Any:
            found = iter(part(*tf.nest.flatten((args, kwargs), expand_composites=True)))
            flat = [None if value is None else next(found)
                    for value in tf.nest.flatten(form, expand_composites=True)]
            return tf.nest.pack_sequence_as(form, flat, expand_composites=True)

        return self._concrete(computed)


def _runs_python(operation: tf.Operation) -> bool:
    """Whether all that an operation may do besides giving values is to run Python code."""
    if operation.type not in _WITH_BODIES:
        return operation.type in _PYTHON
    return not any(t.dtype == tf.resource for t in operation.inputs) and any(
        node.op in _PYTHON for function in library(operation.graph, [operation.node_def]).function
        for node in function.node_def)


def _makes_data_set(operation: tf.Operation) -> bool:
    return "Dataset" in operation.type and [t.dtype for t in operation.outputs] == [tf.variant]


def _needed(graph: Any, parts: Iterable[Any], perhaps: set[str]) -> set[str]:
    """Names of the operations that lead to `parts` or to what has an effect and is not in `perhaps`."""
    todo = [getattr(part, "op", part) for part in parts if getattr(part, "graph", None) is graph]
    todo += [o for o in graph.get_operations() if o.op_def.is_stateful and o.name not in perhaps]
    needed = set[str]()
    while todo:
        operation = todo.pop()
        if operation.name not in needed:
            needed.add(operation.name)
            todo += [*(t.op for t in operation.inputs), *operation.control_inputs]
    return needed


def _branches(graph: Any, variable: tf.Variable | None) -> set[str]:
    """Names of the conditionals that do nothing while a variable is False."""
    handles = {inner.op.name for outer, inner in graph.captures
               if variable is not None and outer is variable.handle}

    def reads(operation: tf.Operation) -> bool:
        if operation.type == "ReadVariableOp":
            return operation.inputs[0].op.name in handles
        return operation.type in _OF_CONDITIONS and any(reads(t.op) for t in operation.inputs)

    return {o.name for o in graph.get_operations() if o.type == "If" and handles and reads(o.inputs[0].op)}
