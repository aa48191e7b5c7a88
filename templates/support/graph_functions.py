"""Functions of a graph (see `graphs`): which order changes have, how values get in and out."""
from __future__ import annotations

import contextlib
import logging
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from .direct_calls import direct
from .ending import called
from .feeds import as_fetched
from .slices import VIEWS, Slice, as_made

_log = logging.getLogger(__name__)
# What XLA says of an operation that it has no kernel for, of a size that follows from the data, and of
# whatever else it could not convert.
_REFUSED = re.compile(r"Detected unsupported operations when trying to compile graph[^\n]*"
                      r"|Input \d+ to node `[^`]+` with op \w+ must be a compile-time constant"
                      r"|\A[^\n]*(?=[\s\S]*tf2xla conversion failed)")
_PLAIN = "a function of the graph is not compiled by XLA: %s"
_READS = frozenset({"ReadVariableOp", "ResourceGather", "ResourceGatherNd", "VariableShape",
                    "VarIsInitializedOp"})
# What waits for data to come, from a pipeline, a queue or Python.
_WAITS = re.compile(r"Iterator\w*GetNext\w*|Queue\w*Dequeue\w*|ReaderRead\w*|\w*PyFunc\w*")
Operations = dict[str, tf.Operation]  # by name


def structure(graph: Any, value: Any) -> tuple[list[Any], Any, Callable[[Iterator[Any]], Any]]:
    """What is fetched by a nest: (its elements, what tells two nests apart, a function that puts
    the elements' values into the nest's form).

    Raises:
        TypeError: None is fetched.
    """
    if isinstance(value, tf.compat.v1.SparseTensorValue):
        value = tuple(value)
    if isinstance(value, Mapping):
        parts = {name: structure(graph, inner) for name, inner in value.items()}
        flat = [element for part in parts.values() for element in part[0]]
        key = ("dict", *((name, part[1]) for name, part in parts.items()))
        return flat, key, lambda found: {name: part[2](found) for name, part in parts.items()}
    if isinstance(value, (list, tuple)):
        inner = [structure(graph, part) for part in value]
        flat = [element for part in inner for element in part[0]]
        kind = type(value)
        make: Callable[[list[Any]], Any] = (
            (lambda found: kind(*found)) if hasattr(kind, "_fields") else kind)
        return flat, (kind, *(part[1] for part in inner)), (
            lambda found: make([part[2](found) for part in inner]))
    if isinstance(value, str):
        value = graph.element(value)
    if value is None:
        raise TypeError(f"Fetch argument None has invalid type {type(None)!r}, must be a string or "
                        "Tensor. (Can not convert a NoneType into a Tensor or Operation.)")
    value = getattr(value, "fetched", value)
    return [value], id(value), next


class Function:
    """Computes `outputs` from `inputs`, with only what is between them: call it with their values.

    Operations among the outputs happen, and give None; variables are read after them.  Values are
    numpy arrays and scalars, as a session's were.  A variable among the inputs keeps its value: what
    is given is what the operations read of it.

    What changes variables happens in the order that most runs of TF 1 had: changes that follow from
    no variable and no data that must come (`step.assign_add(1)`) first, then what reads variables, then
    what trains them.
    """

    def __init__(self, graph: Any, inputs: list[Any], outputs: list[Any],
                 rebuild: Callable[[Iterator[Any]], Any], jit_compile: bool = False) -> None:
        self.graph, self.inputs, self._rebuild = graph, inputs, rebuild
        self.outputs = outputs  # kept, since the graph knows its functions by the ids of these
        self._session: Any = self  # the session, if any, for which it was noted what the function changes
        with graph.as_default():
            elements = [_element(value) for value in outputs]
        fetches = [part for element in elements for part in _graph_parts(element)]
        fed = tf.nest.flatten(inputs, expand_composites=True)
        self.specs = [_spec(part, k) for k, part in enumerate(fed)]
        places = [graph.reads_of(t) if isinstance(t, tf.Variable) else [t] for t in fed]
        part = self._part(places, fetches)
        told = [graph.told[name] for name in part.operations if name in graph.told]
        if told:  # what happens in branches
            part = self._part([*places, told], [*fetches, *(o for t in told for o in t.consumers())])
        self._python = [graph.python[name] for name in graph.python if name in part.operations]
        self.changed = _changed(graph, part.operations)
        self.acts = frozenset(name for name, o in part.operations.items()
                              if o.op_def.is_stateful and o.type not in _READS)
        self.draws = any(_is_seeded(operation) for operation in part.operations.values())

        def computed(*values: tf.Tensor) -> list[Any]:
            found = iter(part(*(v for v, own in zip(values, places, strict=True) for _ in own),
                              *[tf.constant(True) for _ in told]))
            results = [_restored(element, found) for element in elements]
            behind = [v for v in tf.nest.flatten(results, expand_composites=True) if v is not None]
            with tf.control_dependencies([getattr(v, "op", v) for v in behind]):
                results = [_read(e) if isinstance(e, tf.Variable) else r
                           for e, r in zip(elements, results, strict=True)]
                if any(isinstance(r, tf.Operation) for r in results):
                    results.append(tf.constant(0))  # what keeps operations without state alive
            return [None if isinstance(r, tf.Operation) else r for r in results]

        strings = any(spec.dtype == tf.string for spec in (*self.specs, *fetches) if hasattr(spec, "dtype"))
        if jit_compile and strings:
            _log.warning(_PLAIN, "XLA has no strings")
        self._computed, self.compiled = computed, jit_compile and not strings
        self._trace()
        self._compute: Callable[..., Any] | None = None
        if any(name not in graph.python for name in part.operations) or fetches == [] or any(
                not isinstance(element, tf.Operation) for element in elements):
            with tf.init_scope():
                self._compute = direct(self.traced.get_concrete_function())

    def _part(self, places: list[list[Any]], fetches: list[Any]) -> Slice:
        graph = self.graph
        return Slice(graph.traced, [tensor for own in places for tensor in own], fetches,
                     unfed, graph.bound(), lambda operations: in_order(graph, operations),
                     lambda operations: read_again(graph, operations))

    def _trace(self) -> None:
        self.traced = tf.function(self._computed, input_signature=self.specs, autograph=False,
                                  jit_compile=self.compiled or None)

    def _values(self, given: list[Any]) -> Any:
        """What the outputs come to.  What XLA refuses to compile runs without it from then on, and the
        log says why: nothing of the call had happened by then."""
        assert self._compute is not None
        try:
            return self._compute(*given)
        except (tf.errors.InvalidArgumentError, tf.errors.UnimplementedError) as error:
            refused = _REFUSED.search(str(error)) if self.compiled else None
            if refused is None:
                raise
            _log.warning(_PLAIN, refused[0])
        self.compiled = False
        self._trace()
        with tf.init_scope():
            self._compute = direct(self.traced.get_concrete_function())
        return self._compute(*given)

    def __call__(self, *values: Any) -> Any:
        if len(values) != len(self.inputs):
            raise TypeError(f"{len(self.inputs)} values are needed, not {len(values)}")
        with called(), outside():
            given = [part for spec, value in zip(self.inputs, values, strict=True)
                     for part in _fed(spec, value)]
            for do in self._python:
                do(self.inputs, values)
            found = self._values(given) if self._compute else [None] * len(self.outputs)
        if self._session is not self.graph.session:
            self._session = self.graph.session
            self.graph.run.initialized |= self.changed
        return self._rebuild(map(as_fetched, found))


def outside() -> Any:
    """Code of the block computes at once, wherever it is."""
    if tf.executing_eagerly():
        return contextlib.nullcontext()
    return tf.__internal__.eager_context.eager_mode()


def unfed(operation: tf.Operation) -> Exception:
    """What TF 1 said where a value was missing."""
    dtype, shape = operation.outputs[0].dtype, operation.outputs[0].shape
    known = "" if shape.rank is None else (
        " and shape [" + ",".join("?" if d is None else str(d) for d in shape) + "]")
    kind = {"float32": "float", "float64": "double"}.get(dtype.name, dtype.name)
    return tf.errors.InvalidArgumentError(
        None, operation, f"You must feed a value for placeholder tensor {operation.name!r} with "
                         f"dtype {kind}{known}")


# ---- what is fetched ---------------------------------------------------------------------------
def _element(value: Any) -> Any:
    """A graph element or variable as it is, anything else as a tensor."""
    if isinstance(value, tf.keras.Variable):
        return value.value
    if isinstance(value, (tf.Tensor, tf.Operation, tf.Variable)) or tf.nest.flatten(
            value, expand_composites=True) != [value]:
        return value
    return tf.convert_to_tensor(value)


def _graph_parts(element: Any) -> list[Any]:
    """The tensors and operations of the graph behind a fetched element."""
    if isinstance(element, tf.Variable):
        change = _change(element)
        return [] if change is None else [change]
    return [part for part in tf.nest.flatten(element, expand_composites=True)
            if not hasattr(part, "numpy")]


def _change(variable: tf.Variable) -> tf.Operation | None:
    """The operation that gave what `assign` returned."""
    try:
        operation = variable.op
    except AttributeError:  # it is a variable itself
        return None
    return operation if isinstance(operation, tf.Operation) else None


def _restored(element: Any, found: Iterator[Any]) -> Any:
    """An element with the tensors of the function around the call."""
    if isinstance(element, tf.Variable):
        return None if _change(element) is None else next(found)
    if isinstance(element, tf.Operation):
        return next(found)
    parts = [part if hasattr(part, "numpy") else next(found)
             for part in tf.nest.flatten(element, expand_composites=True)]
    return tf.nest.pack_sequence_as(element, parts, expand_composites=True)


def _read(variable: tf.Variable) -> tf.Tensor:
    return tf.raw_ops.ReadVariableOp(resource=variable.handle, dtype=variable.dtype)


# ---- what is fed -------------------------------------------------------------------------------
def _spec(tensor: Any, position: int) -> tf.TensorSpec:
    return tf.TensorSpec(tensor.shape, tensor.dtype, f"feed_{position}")


def _fed(spec: Any, value: Any) -> list[Any]:
    """The tensors that are given for an input.

    Raises:
        ValueError: the shape is not one of the input's.
    """
    if isinstance(spec, (list, tuple, dict)):  # a nest, as the states of cells are
        own, given = tf.nest.flatten(spec), tf.nest.flatten(value)
        if len(own) != len(given):
            raise ValueError(f"{len(own)} values are needed for {spec!r}, not {len(given)}")
        return [part for pair in zip(own, given, strict=True) for part in _fed(*pair)]
    if isinstance(spec, tf.SparseTensor):
        parts = ((value.indices, value.values, value.dense_shape)
                 if isinstance(value, tf.SparseTensor) else value)
        return [part for own, given in zip(
            (spec.indices, spec.values, spec.dense_shape), parts, strict=True)
            for part in _fed(own, given)]
    if isinstance(value, tf.Tensor) and value.dtype == spec.dtype:
        tensor = value
    elif spec.dtype in (tf.resource, tf.variant):
        tensor = value
    else:
        kind = spec.dtype.as_numpy_dtype
        given = value if spec.dtype == tf.string else np.asarray(value, kind)
        tensor = tf.convert_to_tensor(given, spec.dtype)
    if not spec.shape.is_compatible_with(tensor.shape):
        raise ValueError(f"Cannot feed value of shape {tuple(tensor.shape)!r} for Tensor "
                         f"{spec.name!r}, which has shape '{spec.shape}'")
    return [tensor]


# ---- in which order ----------------------------------------------------------------------------
def in_order(graph: Any, operations: Operations) -> list[tf.Operation]:
    """Operations in the order in which what they do to variables happens.

    First what is to be read first and what changes variables and follows from none, then what reads
    them and follows from no change, then changes that follow from variables alone (moving averages of
    them), then everything else, as it was made: what waits for data came after what only had to be read.
    """
    made, handles = as_made(graph.traced, operations), graph.variable_handles()
    kinds = {o.name: _kind(o, handles) for o in made}
    if "change" not in kinds.values():
        return made
    units: dict[str, Any] = {name: graph.effects.get(name, name) for name in operations}
    inside = {o.name for o in made if o.name in graph.effects}
    changing = {units[name] for name, kind in kinds.items() if kind == "change"} | {
        units[name] for name in inside}
    reading, after_read, after_change = set[Any](), set[str](), set[str]()
    after_data, late = set[str](), set[Any]()
    for operation in made:
        name = operation.name
        if _WAITS.fullmatch(operation.type) or any(
                t.op.type == "Placeholder" and t.dtype != tf.resource for t in operation.inputs):
            after_data.add(name)
        for before in _before(operation, operations):
            if before in after_data:
                after_data.add(name)
            if before in after_read or kinds[before] == "read" and before not in inside:
                after_read.add(name)
            if units[before] in changing and units[before] != units[name] or before in after_change:
                after_change.add(name)
        if _WAITS.fullmatch(operation.type):
            after_read.add(name)
        if name in after_read:
            reading.add(units[name])
        if name in after_data or name in after_change:
            late.add(units[name])
    rank: dict[str, int] = {}
    for operation in reversed(made):
        name = operation.name
        own = 3
        if name in graph.read_first:
            own = -1
        elif units[name] in changing and units[name] not in reading:
            own = 0
        elif kinds[name] == "read" and name not in inside and name not in after_change:
            own = 1
        elif units[name] in changing and units[name] not in late:
            own = 2
        rank[name] = own = min(own, rank.get(name, 3))
        for before in _before(operation, operations):
            rank[before] = min(own, rank.get(before, 3))
    return sorted(made, key=lambda o: rank[o.name])


def read_again(graph: Any, operations: Operations) -> dict[str, list[int]]:
    """Inputs of operations that were read of a variable ahead of a change that the operation waits for.

    TF 1 read variables without copying them (but those that are resources): whatever ran behind the change
    saw what it left, like the gradient of one loss through weights that the step for another had updated.
    """
    made, handles = as_made(graph.traced, operations), graph.variable_handles()
    bits: dict[str, int] = {}  # of variables that are changed, by their handles
    own: dict[str, int] = {}
    for operation in made:
        if _kind(operation, handles) == "change":
            names = [t.name for t in operation.inputs if t.name in handles]
            own[operation.name] = sum(bits.setdefault(name, 1 << len(bits)) for name in names)
    if not own:
        return {}
    units: dict[str, Any] = {name: graph.effects.get(name, name) for name in operations}
    seen: dict[str, int] = {}  # what other units changed before it
    inner: dict[str, int] = {}  # what its own unit changed up to it
    found: dict[str, list[int]] = {}
    for operation in made:
        name, before, within = operation.name, 0, own.get(operation.name, 0)
        for other in _before(operation, operations) & seen.keys():  # a loop's gradient adds inputs to it
            before |= seen[other]
            if units[other] == units[name]:
                within |= inner[other]
            else:
                before |= inner[other]
        seen[name], inner[name] = before, within
        for k, tensor in enumerate(operation.inputs if before and operation.type not in VIEWS else ()):
            read = _read_by(tensor)
            if read is None or read.name not in seen or getattr(
                    handles[read.inputs[0].name], "tf1_resource", False):
                continue
            if bits.get(read.inputs[0].name, 0) & before & ~seen[read.name]:
                found.setdefault(name, []).append(k)
    return found


def _read_by(tensor: tf.Tensor) -> tf.Operation | None:
    """The operation that read a variable for a tensor, which is as it was read."""
    while tensor.op.type in VIEWS:
        tensor = tensor.op.inputs[0]
    return tensor.op if tensor.op.type == "ReadVariableOp" else None


def _before(operation: tf.Operation, operations: Operations) -> set[str]:
    return {name for name in (*(t.op.name for t in operation.inputs),
                              *(o.name for o in operation.control_inputs)) if name in operations}


def _kind(operation: tf.Operation, handles: Mapping[str, Any]) -> str:
    """Whether an operation reads variables, changes one, or neither: "read", "change", ""."""
    used = [k for k, t in enumerate(operation.inputs) if t.dtype == tf.resource and (
        t.name in handles)]
    if not used:
        return ""
    if operation.type in _READS:
        return "read"
    try:
        only_read = operation.get_attr("_read_only_resource_inputs")
    except ValueError:
        return "change"
    return "read" if set(used) <= set(only_read) else "change"


def _changed(graph: Any, operations: Operations) -> frozenset[int]:
    """Ids of the variables that operations change."""
    handles = graph.variable_handles()
    return frozenset(
        id(handles[t.name]) for o in operations.values() if _kind(o, handles) == "change"
        for t in o.inputs if t.name in handles)


def _is_seeded(operation: tf.Operation) -> bool:
    """Whether an operation draws what its seed says, going on where it stopped."""
    known = {a.name for a in operation.op_def.attr}
    return "seed2" in known and any(operation.get_attr(a) for a in ("seed", "seed2"))
