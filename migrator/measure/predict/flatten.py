"""A FuncGraph as one flat list of ops: calls written out, one branch taken.

TensorFlow inlines function calls and lowers loops and branches to ops of the same graph before it
runs them, so their buffers live and die among the others. Loops are there as Enter, Merge, Switch, ...
already (see `grappler`); they stay loops. Of a branch's alternatives the one that needs most is taken.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from migrator.measure.predict import bodies, frames, grappler, ops

DEPTH = 16  # of nested function bodies that are looked into
BRANCHES = {
    "If": ("then_branch", "else_branch"), "StatelessIf": ("then_branch", "else_branch"),
    "Case": ("branches",), "StatelessCase": ("branches",),
}  # fmt: skip
Ref = tuple["Item", int]


@dataclass(eq=False, repr=False)
class Item:
    """One op that will run. inputs: (item, output number) of its data; controls: what runs before."""

    op: Any
    name: str
    inputs: list[Ref] = field(default_factory=list)
    controls: list[Item] = field(default_factory=list)
    gate: str = ""  # what it is of a loop; `remade` puts an op in its place that tells its shape
    enters: frames.Gate | None = None

    @property
    def type(self) -> str:
        return self.gate or str(self.op.type)


@dataclass
class Flat:
    """The items in definition order, what is fetched, and what must run though nobody reads it."""

    items: list[Item]
    fetched: list[Ref]
    effects: list[Item]


def flatten(
    graph: Any, fetched: Sequence[Any], heavier: Callable[[list[Flat]], int] = lambda _: 0,
    on_gpu: bool = False,
) -> Flat:  # fmt: skip
    """The graph's needed ops with the bodies of calls and branches among them.

    heavier: of several branches, the index of the one to take. on_gpu: bodies are optimised for a card.
    """
    flattener = _Flattener(heavier, on_gpu)
    found = flattener.graph(graph, fetched, None, "", 0)
    return remade(found) if flattener.inlined else found


def remade(flat: Flat) -> Flat:
    """The same items as ops of one new graph: shapes then flow through what was a call or a loop.

    The shape inference of TensorFlow evaluates what it needs of the constants behind a shape. An op
    that cannot be made anew keeps what was known of it.
    """
    import tensorflow as tf

    graph = tf.Graph()
    outputs: dict[Ref, Any] = {}
    with graph.as_default():
        for item in flat.items:
            old = item.op
            # shapes are those of a loop's first iteration: what comes back is left out
            refs = [r for r in item.inputs if item.type != "Merge" or r[0].type != "NextIteration"]
            inputs = [outputs[ref] if ref in outputs else _stand_in(tf, ref) for ref in refs]
            if item.gate and len(inputs) < 3 and (len(inputs) < 2 or item.gate == "Switch"):
                # TensorFlow tells no shape of an Enter, which may change from iteration to iteration
                item.op = _gate(tf, item, inputs[0])
                outputs |= {(item, k): item.op.outputs[0] for k in range(len(old.outputs))}
                continue
            attributes = {k: copy.deepcopy(v) for k, v in old.node_def.attr.items()}
            if item.type == "Merge":
                attributes["N"].i = len(inputs)
            try:
                made = graph._create_op_internal(
                    old.type, inputs, [t.dtype for t in old.outputs],
                    attrs=attributes, name="op",
                )  # fmt: skip
                for before, after in zip(old.outputs, made.outputs, strict=True):
                    after.set_shape(after.shape.merge_with(before.shape))
                item.op = made
            except (ValueError, KeyError, TypeError, tf.errors.OpError):
                made = None
            for k, tensor in enumerate((made or old).outputs):
                outputs[item, k] = tensor if made is not None else _stand_in(tf, (item, k))
    return flat


def _gate(tf: Any, item: Item, given: Any) -> Any:
    """An op in the place of a gate, of the same shape; what changes with iterations has no value."""
    if item.gate != "Merge" or _returned(item):
        return tf.raw_ops.Identity(input=given).op
    return _holder(tf, given).op


def _returned(merge: Item) -> bool:
    """Whether each iteration gets from the one before what this one got."""
    for ref in merge.inputs:
        while ref[0].gate in ("NextIteration", "Switch") or ref[0].type == "Identity":
            ref = ref[0].inputs[0]
        if ref[0] is not merge and ref is not merge.inputs[0]:
            return ref[0].gate == "Enter"
    return True


def _stand_in(tf: Any, ref: Ref) -> Any:
    """A placeholder in the place of an output that is not in the new graph."""
    return _holder(tf, ref[0].op.outputs[ref[1]])


def _holder(tf: Any, tensor: Any) -> Any:
    """A placeholder for a tensor."""
    from tensorflow.python.ops import handle_data_util

    holder = tf.raw_ops.Placeholder(dtype=tensor.dtype, shape=tensor.shape)
    data = handle_data_util.get_resource_handle_data(tensor)
    if data is not None and data.is_set:
        handle_data_util.set_handle_data(holder, data)
    return holder


class _Flattener:
    def __init__(self, heavier: Callable[[list[Flat]], int], on_gpu: bool = False) -> None:
        self.heavier, self.on_gpu = heavier, on_gpu
        self.inlined = False  # whether any body was written out, or there are loops
        self.bodies: dict[tuple[Any, ...], Any] = {}

    def graph(
        self, graph: Any, fetched: Sequence[Any], given: dict[str, Ref] | None, prefix: str,
        depth: int, before: Sequence[Item] = (),
    ) -> Flat:  # fmt: skip
        """given: items for the placeholders by their names; before: must run ahead of the body."""
        effects = list(getattr(graph, "control_outputs", None) or [])
        needed = _needed(graph, [t.op for t in fetched] + effects)
        refs: dict[str, Ref] = {}  # by tensor name
        done: dict[str, list[Item]] = {}  # by op name: what has run once the op has
        items: list[Item] = []
        arguments = set((given or {}).values())
        loops: list[tuple[Item, list[Any]]] = []  # Merges, and what comes back to them
        for op in needed:
            back = [t for t in op.inputs if op.type == "Merge" and t.op.type == "NextIteration"]
            inputs = [refs[t.name] for t in op.inputs if not any(t is b for b in back)]
            controls = [i for c in op.control_inputs for i in done.get(c.name, ())]
            if given is not None and op.name in given:
                refs[op.outputs[0].name] = given[op.name]
                done[op.name] = [given[op.name][0]]
                continue
            if given is not None and (not inputs and not controls or arguments & set(inputs)):
                controls = [*controls, *before]
            body = self._body(graph, op, inputs, controls, prefix, depth)
            if body is None:
                gate = op.type if op.type in frames.GATES else ""
                item = Item(op, prefix + op.name, inputs, controls, gate, _entered(op, prefix))
                items.append(item)
                if back:
                    loops.append((item, back))
                outputs: list[Ref] = [(item, k) for k in range(len(op.outputs))]
                done[op.name] = [item]
            else:
                self.inlined = True
                items += body.items
                outputs = body.fetched
                done[op.name] = list(
                    dict.fromkeys([*body.effects, *(i for i, _ in body.fetched), *controls])
                )
            for tensor, ref in zip(op.outputs, outputs, strict=True):
                refs[tensor.name] = ref
        for item, tensors in loops:
            item.inputs += [refs[t.name] for t in tensors]
            self.inlined = True
        return Flat(
            items, [refs[t.name] for t in fetched],
            [i for e in effects for i in done[e.name]],
        )  # fmt: skip

    def _body(
        self, graph: Any, op: Any, inputs: list[Ref], controls: list[Item], prefix: str, depth: int
    ) -> Flat | None:
        """What stands for a call-like op; None for an op of its own."""
        if depth >= DEPTH or compiled(op):
            return None
        inner = f"{prefix}{op.name}/"
        if op.type in ops.CALLS:
            return self._call(graph, op, "f", list(op.inputs), inputs, controls, inner, depth)
        if op.type in BRANCHES:
            made = []
            for attribute in BRANCHES[op.type]:
                for function in _functions(op, attribute):
                    made.append(self._call(
                        graph, op, function, list(op.inputs)[1:], inputs[1:],
                        [*controls, inputs[0][0]], inner, depth,
                    ))  # fmt: skip
            found = [m for m in made if m is not None]
            return found[self.heavier(found)] if found else None
        return None

    def _rebuilt(self, graph: Any, name: str, tensors: list[Any]) -> Any:
        """`rebuild`, once for arguments that are the same tensors."""
        key = (id(graph), name, *map(id, tensors))
        if key not in self.bodies:
            body = bodies.rebuild(graph, name, tensors)
            if body is not None:
                body = grappler.body(*body, self.on_gpu)
            self.bodies[key] = (body, graph, tensors)  # keeps the ids
        return self.bodies[key][0]

    def _call(
        self, graph: Any, op: Any, function: str, tensors: list[Any], inputs: list[Ref],
        controls: list[Item], prefix: str, depth: int,
    ) -> Flat | None:  # fmt: skip
        """The body of one function; `function` is an attribute's or the function's own name."""
        name = function
        if function == "f":
            name = op.get_attr(function).name
        body = self._rebuilt(graph, name, tensors)
        if body is None:
            return None
        inside, arguments, results = body
        given = {a.op.name: ref for a, ref in zip(arguments, inputs, strict=True)}
        return self.graph(inside, results, given, prefix, depth + 1, controls)


def _entered(op: Any, prefix: str) -> frames.Gate | None:
    """What an Enter says of its loop, whose name counts in the inlined body only."""
    if op.type != "Enter":
        return None
    return frames.Gate(
        prefix + op.get_attr("frame_name").decode(), op.get_attr("parallel_iterations"),
        op.get_attr("is_constant"),
    )  # fmt: skip


def compiled(op: Any) -> bool:
    """Whether XLA compiles the op's function: its buffers are then XLA's own."""
    try:
        return op.type in ops.CALLS and bool(op.get_attr("_XlaMustCompile"))
    except ValueError:  # no such attribute
        return False


def _functions(op: Any, attribute: str) -> list[str]:
    value = op.get_attr(attribute)
    return [f.name for f in (value if isinstance(value, list) else [value])]


def _needed(graph: Any, roots: list[Any]) -> list[Any]:
    """The ops that the roots need, producers first; all of them where there are no roots."""
    if not roots:
        return list(graph.get_operations())
    seen: set[str] = set()
    stack = list(roots)
    while stack:
        op = stack.pop()
        if op.name not in seen:
            seen.add(op.name)
            stack += [t.op for t in op.inputs] + list(op.control_inputs)
    return [o for o in graph.get_operations() if o.name in seen]
