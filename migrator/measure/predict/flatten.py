"""A FuncGraph as one flat list of ops: calls and loops written out, one branch taken.

TensorFlow inlines function calls and lowers loops and branches to ops of the same graph before it
runs them, so their buffers live and die among the others. Loops whose counters are known run as often
as these say, others twice: a second iteration shows what every later one holds, but for the lists
that iterations fill. Of a branch's alternatives the one that needs most is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from migrator.measure.predict import trips

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
    """One op that will run. inputs: (item, output number) of its data; controls: what runs before."""

    op: Any
    name: str
    inputs: list[Ref] = field(default_factory=list)
    controls: list[Item] = field(default_factory=list)
    cut: bool = False  # begins a loop of which not all iterations are here

    @property
    def type(self) -> str:
        return str(self.op.type)


@dataclass
class Flat:
    """The items in definition order, what is fetched, and what must run though nobody reads it.

    loops: whether iterations of a loop may run into each other.
    """

    items: list[Item]
    fetched: list[Ref]
    effects: list[Item]
    loops: bool = False


def flatten(
    graph: Any, fetched: Sequence[Any], heavier: Callable[[list[Flat]], int] = lambda _: 0,
    parallel: bool = False,
) -> Flat:  # fmt: skip
    """The graph's needed ops with the bodies of calls, loops and branches among them.

    heavier: of several branches, the index of the one to take. parallel: iterations of a loop begin
    as soon as its condition holds, as many at a time as the loop allows, and wait for each other's
    data only; otherwise each waits for the one before.
    """
    flattener = _Flattener(heavier, parallel)
    found = flattener.graph(graph, fetched, None, "", 0)
    found.loops = flattener.loops
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
            try:
                made = graph._create_op_internal(
                    old.type, inputs, [t.dtype for t in old.outputs],
                    attrs=dict(old.node_def.attr), name="op",
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


class _Flattener:
    def __init__(self, heavier: Callable[[list[Flat]], int], parallel: bool) -> None:
        self.heavier, self.parallel = heavier, parallel
        self.inlined = False  # whether any body was written out
        self.loops = False  # whether there was a loop that runs iterations at once
        self.known: dict[Ref, trips.Value] = {}  # what loops counted up to
        self.bodies: dict[tuple[Any, ...], Any] = {}
        self.ended: dict[Ref, list[Item]] = {}  # what runs before a loop's result is there

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
            controls += [i for ref in inputs for i in self.ended.get(ref, ())]
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
        allowed = op.get_attr("parallel_iterations")
        self.loops = self.loops or allowed > 1
        at_once = allowed if self.parallel else 1
        state, items, effects = inputs, [], list(controls)
        ended: list[list[Item]] = []
        for number in range(number_of):
            inside = f"{prefix}{number}/"
            condition = self._call(
                graph, op, "cond", list(op.inputs), state, effects, inside + "cond/", depth
            )
            if condition is None:
                return None
            items += condition.items
            waited = ended[number - at_once] if number >= at_once else controls
            ahead = [*waited, *(i for i, _ in condition.fetched)]
            body = self._call(graph, op, "body", list(op.inputs), state, ahead, inside, depth)
            if body is None or len(body.fetched) != len(state):
                return None
            items += body.items
            if number == 0 and body.items and (counted is None or number_of < counted[0]):
                body.items[0].cut = True
            effects = list(dict.fromkeys([*body.effects, *(i for i, _ in body.fetched)]))
            ended.append(effects)
            state = body.fetched
        if not self.parallel:
            self.ended |= dict.fromkeys(state, effects)
        if counted is not None:
            self.known |= dict(zip(state, counted[1], strict=True))
        return Flat(items, state, effects)

    def _scalar(self, ref: Ref, tensor: Any) -> trips.Value:
        """The value of what goes into a loop, where it is a constant or an earlier loop's counter."""
        known = self.known.get(ref)
        if known is not None or ref[0].op.type != "Const":
            return known
        return trips.scalar(ref[0].op.outputs[ref[1]])

    def _rebuilt(self, graph: Any, name: str, tensors: list[Any]) -> Any:
        """`rebuild`, once for arguments that are the same tensors."""
        key = (id(graph), name, *map(id, tensors))
        if key not in self.bodies:
            self.bodies[key] = (rebuild(graph, name, tensors), graph, tensors)  # keeps the ids
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


def library(graph: Any) -> dict[str, Any]:
    """The function definitions that a graph can call, by name; kept on the graph."""
    found: dict[str, Any] | None = getattr(graph, "migrator_library", None)
    if found is None:
        definitions = graph.as_graph_def().library.function
        found = graph.migrator_library = {f.signature.name: f for f in definitions}
    return found


def _body(definition: Any) -> tuple[Any, dict[str, str]]:
    """(GraphDef of a function's nodes, {the function's names of tensors: the graph's}).

    In a FunctionDef a tensor is "node:output:number", in a GraphDef "node:number over all outputs".
    """
    from tensorflow.core.framework import graph_pb2
    from tensorflow.python.framework import op_def_registry, versions

    graph_def = graph_pb2.GraphDef()
    graph_def.versions.producer = versions.GRAPH_DEF_VERSION
    flat = {a.name: f"{a.name}:0" for a in definition.signature.input_arg}
    for node in definition.node_def:
        described = op_def_registry.get(node.op)
        if described is None:
            raise KeyError(node.op)  # a function called by its own name
        number = 0
        for output in described.output_arg:
            count = 1
            if output.number_attr:
                count = node.attr[output.number_attr].i
            elif output.type_list_attr:
                count = len(node.attr[output.type_list_attr].list.type)
            for i in range(count):
                flat[f"{node.name}:{output.name}:{i}"] = f"{node.name}:{number}"
                number += 1
    given = {a.name for a in definition.signature.input_arg}
    graph_def.node.extend(definition.node_def)
    for node in graph_def.node:
        node.attr.pop("_output_shapes", None)
        # an argument is there from the beginning: nothing has to wait for it
        kept = [n for n in node.input if n[1:] not in given or not n.startswith("^")]
        node.input[:] = [n if n.startswith("^") else flat[n] for n in kept]
    return graph_def, flat


def rebuild(graph: Any, name: str, tensors: list[Any]) -> tuple[Any, list[Any], list[Any]] | None:
    """(graph, arguments, results) of a library function for arguments like `tensors`.

    Shapes are inferred anew from the caller's, variables' shapes from their handles. None where the
    function is unknown or does not fit.
    """
    import tensorflow as tf
    from tensorflow.python.framework import importer
    from tensorflow.python.ops import handle_data_util

    definition = library(graph).get(name)
    if definition is None:
        return None
    arguments = definition.signature.input_arg
    if len(arguments) != len(tensors):
        return None
    try:
        graph_def, flat = _body(definition)
        inside = tf.Graph()
        inside.migrator_library = library(graph)
        with inside.as_default():
            made = []
            for argument, tensor in zip(arguments, tensors, strict=True):
                holder = tf.raw_ops.Placeholder(
                    dtype=tensor.dtype, shape=tensor.shape, name=f"argument/{argument.name}"
                )
                data = handle_data_util.get_resource_handle_data(tensor)
                if tensor.dtype in (tf.resource, tf.variant) and data is not None and data.is_set:
                    handle_data_util.set_handle_data(holder, data)
                made.append(holder)
            read = {name for node in graph_def.node for name in node.input}
            importer.import_graph_def(
                graph_def, name="", input_map={
                    f"{a.name}:0": m for a, m in zip(arguments, made, strict=True)
                    if f"{a.name}:0" in read
                },
            )  # fmt: skip
        results = []
        for output in definition.signature.output_arg:
            flat_name = flat[definition.ret[output.name]]
            bound = next((m for a, m in zip(arguments, made, strict=True)
                          if flat_name == f"{a.name}:0"), None)  # fmt: skip
            results.append(bound if bound is not None else inside.get_tensor_by_name(flat_name))
        inside.control_outputs = [
            inside.get_operation_by_name(n) for n in definition.control_ret.values()
        ]
    except (ValueError, KeyError, TypeError, tf.errors.OpError):
        return None  # a body that cannot be rebuilt counts as one op
    return inside, made, results
