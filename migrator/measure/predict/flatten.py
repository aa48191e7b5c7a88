"""A FuncGraph as one flat list of ops: calls and loops written out, one branch taken.

TensorFlow inlines function calls and lowers loops and branches to ops of the same graph before it
runs them, so their buffers live and die among the others. Loops whose counters are known run as often
as these say, others twice: a second iteration shows what every later one holds, but for the lists
that iterations fill. Of a branch's alternatives the one that needs most is taken.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from migrator.measure.predict import bodies, trips

DEPTH = 16  # of nested function bodies that are looked into
ITERATIONS = 2  # of a loop that is not written out
WRITTEN_OUT = 20_000  # ops of a loop's iterations, at most
CALLS = frozenset({"PartitionedCall", "StatefulPartitionedCall"})
LOOPS = frozenset({"While", "StatelessWhile"})
BRANCHES = {
    "If": ("then_branch", "else_branch"), "StatelessIf": ("then_branch", "else_branch"),
    "Case": ("branches",), "StatelessCase": ("branches",),
}  # fmt: skip
Ref = tuple["Item", int]


@dataclass(eq=False, repr=False)
class Item:
    """One op that will run. inputs: (item, output number) of its data; controls: what runs before.

    times: how often the op's kernel runs in one call, in all iterations of the loops around it. gate:
    what the op is in the loop that the runtime makes of a While: "Enter", "Switch", ...
    """

    op: Any
    name: str
    inputs: list[Ref] = field(default_factory=list)
    controls: list[Item] = field(default_factory=list)
    cut: bool = False  # begins a loop of which not all iterations are here
    times: int = 1
    gate: str = ""

    @property
    def type(self) -> str:
        return str(self.op.type)


@dataclass
class Flat:
    """The items in definition order, what is fetched, and what must run though nobody reads it."""

    items: list[Item]
    fetched: list[Ref]
    effects: list[Item]


def flatten(
    graph: Any, fetched: Sequence[Any], heavier: Callable[[list[Flat]], int] = lambda _: 0
) -> Flat:
    """The graph's needed ops with the bodies of calls, loops and branches among them.

    heavier: of several branches, the index of the one to take. Iterations of a loop begin as soon as
    its condition holds, as many at a time as the loop allows, and wait for each other's data only.
    """
    flattener = _Flattener(heavier)
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
            inputs = [outputs[ref] if ref in outputs else _stand_in(tf, ref) for ref in item.inputs]
            attributes = {k: copy.deepcopy(v) for k, v in old.node_def.attr.items()}
            if old.type == "Merge":  # a TF 1 loop's way back was cut
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


def _stand_in(tf: Any, ref: Ref) -> Any:
    """A placeholder in the place of an output that is not in the new graph."""
    from tensorflow.python.ops import handle_data_util

    tensor = ref[0].op.outputs[ref[1]]
    holder = tf.raw_ops.Placeholder(dtype=tensor.dtype, shape=tensor.shape)
    data = handle_data_util.get_resource_handle_data(tensor)
    if data is not None and data.is_set:
        handle_data_util.set_handle_data(holder, data)
    return holder


@dataclass(frozen=True)
class _Gates:
    """What hands a loop's variables from op to op in the executor: Enter, Merge, Switch, ...

    passing: an op for each variable that passes it on; None for handles, which all iterations share.
    """

    passing: tuple[Any, ...]

    @classmethod
    def of(cls, inside: Any, arguments: Sequence[Any]) -> _Gates:
        import tensorflow as tf

        with inside.as_default():
            return cls(tuple(
                None if a.dtype == tf.resource else tf.raw_ops.Identity(input=a).op
                for a in arguments
            ))  # fmt: skip

    def all(
        self, kind: str, prefix: str, state: Sequence[Ref], controls: list[Item], items: list[Item]
    ) -> list[Ref]:
        """The variables behind gates of one kind, which are added to `items`."""
        made: list[Ref] = []
        for number, (ref, op) in enumerate(zip(state, self.passing, strict=True)):
            if op is not None:
                item = Item(op, f"{prefix}{kind}_{number}", [ref], list(controls), gate=kind)
                items.append(item)
                ref = (item, 0)
            made.append(ref)
        return made

    def pivot(self, state: Sequence[Ref]) -> list[Item]:
        """What ops without an input of the iteration wait for."""
        return [ref[0] for ref, op in zip(state, self.passing, strict=True) if op is not None][:1]


class _Flattener:
    def __init__(self, heavier: Callable[[list[Flat]], int]) -> None:
        self.heavier = heavier
        self.inlined = False  # whether any body was written out
        self.known: dict[Ref, trips.Value] = {}  # what loops counted up to
        self.bodies: dict[tuple[Any, ...], Any] = {}

    def graph(
        self, graph: Any, fetched: Sequence[Any], given: dict[str, Ref] | None, prefix: str,
        depth: int, before: Sequence[Item] = (),
    ) -> Flat:  # fmt: skip
        """given: items for the placeholders by their names; before: must run ahead of the body."""
        effects = list(getattr(graph, "control_outputs", None) or [])
        ops = _needed(graph, [t.op for t in fetched] + effects)
        refs: dict[str, Ref] = {}  # by tensor name
        done: dict[str, list[Item]] = {}  # by op name: what has run once the op has
        items: list[Item] = []
        arguments = set((given or {}).values())
        for op in ops:
            # a TF 1 loop's way back is cut: it is run once
            inputs = [
                refs[t.name] for t in op.inputs
                if not (op.type == "Merge" and t.op.type == "NextIteration")
            ]  # fmt: skip
            controls = [i for c in op.control_inputs for i in done.get(c.name, ())]
            if given is not None and op.name in given:
                refs[op.outputs[0].name] = given[op.name]
                done[op.name] = [given[op.name][0]]
                continue
            if given is not None and (not inputs and not controls or arguments & set(inputs)):
                controls = [*controls, *before]
            body = self._body(graph, op, inputs, controls, prefix, depth)
            if body is None:
                item = Item(op, prefix + op.name, inputs, controls)
                items.append(item)
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
        for op in ops:
            if op.type == "Exit" and op.name in done:  # the one iteration has run by then
                for item in done[op.name]:
                    item.controls += [i for b in _way_back(op) for i in done.get(b.name, ())]
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
        if op.type in CALLS:
            return self._call(graph, op, "f", list(op.inputs), inputs, controls, inner, depth)
        if op.type in LOOPS:
            return self._loop(graph, op, inputs, controls, inner, depth)
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

    def _loop(
        self, graph: Any, op: Any, inputs: list[Ref], controls: list[Item], prefix: str, depth: int
    ) -> Flat | None:
        condition_body = self._rebuilt(graph, op.get_attr("cond").name, list(op.inputs))
        loop_body = self._rebuilt(graph, op.get_attr("body").name, list(op.inputs))
        if condition_body is None or loop_body is None:
            return None
        first = [self._scalar(ref, t) for ref, t in zip(inputs, op.inputs, strict=True)]
        counted = trips.counted(condition_body, loop_body, first)
        size = len(loop_body[0].get_operations()) + len(condition_body[0].get_operations())
        number_of = ITERATIONS
        if counted is not None:
            number_of = min(counted[0], max(ITERATIONS, WRITTEN_OUT // max(size, 1)))
        at_once = op.get_attr("parallel_iterations")
        gates = self._gates(graph, op, loop_body[0], loop_body[1])
        items: list[Item] = []
        state = gates.all("Enter", prefix, inputs, list(controls), items)
        ended: list[list[Item]] = []
        for number in range(number_of + 1):
            inside = f"{prefix}{number}/"
            waited = ended[number - at_once] if number >= at_once else []
            state = gates.all("Merge", inside, state, waited, items)
            condition = self._call(
                graph, op, "cond", list(op.inputs), state, gates.pivot(state), inside + "cond/", depth
            )  # fmt: skip
            if condition is None:
                return None
            items += condition.items
            holds = [i for i, _ in condition.fetched]
            if number == number_of:
                break
            state = gates.all("Switch", inside, state, holds, items)
            body = self._call(
                graph, op, "body", list(op.inputs), state, gates.pivot(state), inside, depth
            )
            if body is None or len(body.fetched) != len(state):
                return None
            items += body.items
            if number == 0 and body.items and (counted is None or number_of < counted[0]):
                body.items[0].cut = True
            ended.append(list(dict.fromkeys([*body.effects, *(i for i, _ in body.fetched)])))
            state = gates.all("NextIteration", inside, body.fetched, [], items)
        effects = ended[-1] if ended else list(controls)
        state = gates.all("Exit", prefix, state, holds, items)
        for item in items:
            item.times *= counted[0] if counted is not None else number_of
        if counted is not None:
            self.known |= dict(zip(state, counted[1], strict=True))
        return Flat(items, state, effects)

    def _gates(self, graph: Any, op: Any, inside: Any, arguments: Sequence[Any]) -> _Gates:
        """The gates of a loop; their ops are made once in the graph of its body."""
        key = (id(graph), op.name, "gates")
        if key not in self.bodies:
            self.bodies[key] = _Gates.of(inside, arguments), graph
        found: _Gates = self.bodies[key][0]
        return found

    def _scalar(self, ref: Ref, tensor: Any) -> trips.Value:
        """The value of what goes into a loop, where it is a constant or an earlier loop's counter."""
        known = self.known.get(ref)
        while known is None and ref[0].gate:
            ref = ref[0].inputs[0]
            known = self.known.get(ref)
        if known is not None or ref[0].op.type != "Const":
            return known
        return trips.scalar(ref[0].op.outputs[ref[1]])

    def _rebuilt(self, graph: Any, name: str, tensors: list[Any]) -> Any:
        """`rebuild`, once for arguments that are the same tensors."""
        key = (id(graph), name, *map(id, tensors))
        if key not in self.bodies:
            body = bodies.rebuild(graph, name, tensors)
            if body is not None:
                body = bodies.optimised(*body)
            self.bodies[key] = (body, graph, tensors)  # keeps the ids
        return self.bodies[key][0]

    def _call(
        self, graph: Any, op: Any, function: str, tensors: list[Any], inputs: list[Ref],
        controls: list[Item], prefix: str, depth: int,
    ) -> Flat | None:  # fmt: skip
        """The body of one function; `function` is an attribute's or the function's own name."""
        name = function
        if function in ("f", "cond", "body"):
            name = op.get_attr(function).name
        body = self._rebuilt(graph, name, tensors)
        if body is None:
            return None
        inside, arguments, results = body
        given = {a.op.name: ref for a, ref in zip(arguments, inputs, strict=True)}
        return self.graph(inside, results, given, prefix, depth + 1, controls)


def compiled(op: Any) -> bool:
    """Whether XLA compiles the op's function: its buffers are then XLA's own."""
    try:
        return op.type in CALLS and bool(op.get_attr("_XlaMustCompile"))
    except ValueError:  # no such attribute
        return False


def _way_back(leaving: Any) -> list[Any]:
    """The NextIteration ops of the variable that an Exit of a TF 1 loop hands out."""
    merge = leaving.inputs[0].op
    if merge.type == "Switch":
        merge = merge.inputs[0].op
    return [t.op for t in merge.inputs if t.op.type == "NextIteration"]


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
