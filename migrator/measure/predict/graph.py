"""A TensorFlow graph as liveness nodes: dead code dropped, what grappler removes skipped.

Needs TensorFlow; runs in measuring children and wherever a ConcreteFunction is at hand.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from migrator.measure.predict import liveness, ops, workspace
from migrator.measure.predict.liveness import Node, Output, Peak

DEPTH = 8  # of nested function bodies that are looked into


class _Graph:
    """One FuncGraph (or Graph) being turned into nodes."""

    def __init__(self, graph: Any, fetched: Sequence[Any], depth: int = 0) -> None:
        self.graph, self.depth = graph, depth
        self.fetched = list(fetched)
        self.skip: dict[str, int | None] = {}
        self.ops = self._needed()

    def _needed(self) -> dict[str, Any]:
        """The ops that the outputs and the graph's own side effects need, in definition order."""
        roots = [t.op for t in self.fetched]
        roots += list(getattr(self.graph, "control_outputs", None) or [])
        if not roots:
            return {o.name: o for o in self.graph.get_operations()}
        seen: set[str] = set()
        stack = list(roots)
        while stack:
            op = stack.pop()
            if op.name in seen:
                continue
            seen.add(op.name)
            stack += [t.op for t in op.inputs] + list(op.control_inputs)
        return {o.name: o for o in self.graph.get_operations() if o.name in seen}

    def passes(self, op: Any) -> int | None:
        """The input position that `op` only passes on (-1: by output number), None if it works."""
        if op.name not in self.skip:
            self.skip[op.name] = self._passes(op)
        return self.skip[op.name]

    def _passes(self, op: Any) -> int | None:
        if op.type in ops.SKIPPED:
            return -1
        if op.type in ops.NEUTRAL and len(op.inputs) == 2:
            for i in (0, 1) if op.type in ops.COMMUTES else (1,):
                kept = op.inputs[1 - i]
                if kept.shape.is_fully_defined() and op.outputs[0].shape == kept.shape:
                    if _scalar(op.inputs[i]) == ops.NEUTRAL[op.type]:
                        return 1 - i
        return None

    def source(self, tensor: Any) -> Any:
        """The tensor behind ops that only pass it on."""
        while (k := self.passes(tensor.op)) is not None:
            tensor = tensor.op.inputs[tensor.value_index if k == -1 else k]
        return tensor

    def controls(self, op: Any) -> set[str]:
        """Names of the working ops that must have run before `op` besides its inputs' producers."""
        found: set[str] = set()
        stack = list(op.control_inputs)
        for t in op.inputs:
            while (k := self.passes(t.op)) is not None:
                stack += list(t.op.control_inputs)
                t = t.op.inputs[t.value_index if k == -1 else k]
        seen: set[str] = set()
        while stack:
            c = stack.pop()
            if c.name in seen:
                continue
            seen.add(c.name)
            if self.passes(c) is None:
                found.add(c.name)
            else:
                stack += [t.op for t in c.inputs] + list(c.control_inputs)
        return found

    def nodes(self) -> tuple[list[Node], list[tuple[int, int]]]:
        """(nodes, fetched outputs)."""
        working = [o for o in self.ops.values() if self.passes(o) is None]
        index = {o.name: i for i, o in enumerate(working)}
        made = []
        for op in working:
            inputs = [self.source(t) for t in op.inputs]
            positions = tuple((index[t.op.name], t.value_index) for t in inputs)
            controls = tuple(sorted(index[c] for c in self.controls(op) if c in index))
            alias = {}
            if op.type in ops.ALIAS and op.type not in ops.FREE and inputs:
                alias = {i: (i if op.type == "IdentityN" else 0) for i in range(len(op.outputs))}
            forwards: tuple[int, ...] = ()
            if op.type in ops.FORWARDS:
                forwards = tuple(range(len(inputs)))
            resident = op.type in ops.FREE
            outputs = tuple(_output(t, resident) for t in op.outputs)
            extra = self._inside(op, outputs) + workspace.scratch_bytes(op)
            made.append(
                Node(op.name, op.type, positions, controls, outputs, alias, forwards, extra)
            )
        sources = [self.source(t) for t in self.fetched]
        return made, [(index[t.op.name], t.value_index) for t in sources]

    def _inside(self, op: Any, outputs: tuple[Output, ...]) -> int:
        """Bytes that the op's function bodies need beyond its own outputs, at their peak."""
        if op.type not in ops.CALLS or self.depth >= DEPTH:
            return 0
        own = sum(liveness.rounded(o.bytes or 0) for o in outputs if not o.resident)
        most = 0
        for attribute in ops.CALLS[op.type]:
            for body in _bodies(self.graph, op, attribute):
                inner = _Graph(body, list(body.outputs), self.depth + 1)
                nodes, fetched = inner.nodes()
                most = max(most, liveness.replay(nodes, fetched).bytes - own)
        return max(most, 0)


def _bodies(graph: Any, op: Any, attribute: str) -> list[Any]:
    """The FuncGraphs that an attribute of a call-like op names, with shapes where they are known."""
    from tensorflow.python.framework import function_def_to_graph

    value = op.get_attr(attribute)
    found = []
    for f in value if isinstance(value, list) else [value]:
        definition = graph._get_function(f.name)
        if definition is None:
            continue
        definition = getattr(definition, "cached_definition", None) or definition.definition
        shapes = [t.shape for t in op.inputs][-len(definition.signature.input_arg) :]
        try:
            with graph.as_default():
                found.append(function_def_to_graph.function_def_to_graph(definition, shapes))
        except (ValueError, KeyError, TypeError):
            continue  # a body that cannot be rebuilt counts as nothing
    return found


def _scalar(tensor: Any) -> float | None:
    if tensor.op.type != "Const" or tensor.shape.num_elements() != 1:
        return None
    import tensorflow as tf

    value = tf.make_ndarray(tensor.op.get_attr("value")).reshape(-1)
    return float(value[0]) if value.dtype.kind in "fiu" else None


def _output(tensor: Any, resident: bool) -> Output:
    size = tensor.dtype.size or 4
    if tensor.dtype.name in ("resource", "variant", "string"):
        return Output(0, size, True)
    if resident:
        return Output(0, size, True)
    if tensor.shape.rank is None or not tensor.shape.is_fully_defined():
        return Output(None, size)
    return Output(math.prod(tensor.shape.as_list()) * size, size)


def predict(function: Any, order: str = "fifo") -> Peak:
    """Peak bytes of one call of a ConcreteFunction, on top of weights, slots and inputs."""
    graph = _Graph(function.graph, list(function.outputs))
    nodes, fetched = graph.nodes()
    return liveness.replay(nodes, fetched, order)


def interval(function: Any) -> tuple[Peak, int, int]:
    """(prediction, lowest, highest bytes): the order of ready ops is the runtime's own choice."""
    graph = _Graph(function.graph, list(function.outputs))
    nodes, fetched = graph.nodes()
    first = liveness.replay(nodes, fetched, "fifo")
    other = liveness.replay(nodes, fetched, "depth")
    return first, min(first.bytes, other.bytes), max(first.bytes, other.bytes)
