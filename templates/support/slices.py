"""Parts of graphs: what lies between feeds and fetches, as code that a `tf.function` can trace."""
from __future__ import annotations

import hashlib
import threading
import weakref
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import tensorflow as tf
from tensorflow.core.framework import function_pb2, graph_pb2

Tensor = Any  # tf.Tensor
Bound = Callable[[], Any]  # called in the trace: gives the tensor that takes an old one's place
Again = Mapping[str, Collection[int]]  # operations by name -> which of their inputs

PLACEHOLDERS = ("Placeholder", "PlaceholderV2")
CALL = "StatefulPartitionedCall"  # by type and by name: profiles take such scopes for no layer
V1_CONTROL_FLOW = ("Switch", "RefSwitch", "Merge", "RefMerge", "Enter", "Exit", "NextIteration",
                   "LoopCond")
_WITH_BODIES = ("If", "Case", "While")  # those that may change state
_WITH_SHAPES = (*_WITH_BODIES, "StatelessIf", "StatelessCase", "StatelessWhile")
ASKED = "update_is_asked"  # in the names of what tells a branch to do so
VIEWS = ("Identity", "Reshape", "Squeeze", "ExpandDims", "StopGradient")  # share the memory of their input
_NOT_TO_COPY = ("_class", "_output_shapes")  # colocation with what may be elsewhere; what is inferred

_known_functions: set[str] = set()  # library functions that the runtime was told of
_libraries: Any = weakref.WeakKeyDictionary()  # graph -> (its version, its library)
_lock = threading.Lock()


def key_of(tensor: Tensor) -> tuple[str, int]:
    """(name of its operation, which of the outputs)."""
    return tensor.op.name, tensor.value_index


class Slice:
    """The operations that compute `fetches` when `feeds` are given.

    A slice without TF 1 control flow (Switch, Merge, Enter, ...) is put in line, so gradients and
    `jit_compile` work through it; one with it becomes a function of the runtime as a whole, which
    runs as Session.run ran it, but has no gradient.

    Args:
        feeds: Tensors of the graph, whose values `__call__` takes.
        fetches: Tensors and operations.
        bound: What takes the place of further tensors, by `key_of` them.
        ordered: Puts the operations into the order in which what changes state is to happen; they
            are given by name, in the order in which they were made.
        again: Says of the operations, given by name, which inputs are to be computed once more just
            ahead of them: which of its inputs, by the operation's name.
        unfed: Makes the error for a placeholder that is needed and not fed.
        left_out: Names of operations that nothing needs but what waits for them.
    """

    def __init__(self, graph: tf.Graph, feeds: Sequence[Tensor], fetches: Sequence[Any],
                 unfed: Callable[[tf.Operation], Exception],
                 bound: Mapping[tuple[str, int], Bound] | None = None,
                 ordered: Callable[[dict[str, tf.Operation]], Iterable[tf.Operation]] | None = None,
                 again: Callable[[dict[str, tf.Operation]], Again] | None = None,
                 clear_devices: bool = False, left_out: Collection[str] = ()) -> None:
        self.graph, self._feeds, self._fetches = graph, list(feeds), list(fetches)
        self._clear_devices = clear_devices
        given = {key_of(t): f"feed_{k}" for k, t in enumerate(self._feeds)}
        bound = bound or {}
        needed: dict[str, tf.Operation] = {}
        used: dict[tuple[str, int], Bound] = {}
        todo = [f for f in self._fetches if isinstance(f, tf.Operation)]
        todo += [f.op for f in self._fetches if not isinstance(f, tf.Operation)
                 and key_of(f) not in given and key_of(f) not in bound]
        used |= {key_of(f): bound[key_of(f)] for f in self._fetches
                 if not isinstance(f, tf.Operation) and key_of(f) in bound}
        while todo:
            operation = todo.pop()
            if operation.name in needed:
                continue
            if operation.type in PLACEHOLDERS:
                if (operation.name, 0) in bound:  # a control edge from it
                    continue
                raise unfed(operation)
            needed[operation.name] = operation
            for tensor in operation.inputs:
                key = key_of(tensor)
                if key in given:
                    continue
                if key in bound:
                    used[key] = bound[key]
                else:
                    todo.append(tensor.op)
            todo += [o for o in operation.control_inputs if o.name not in left_out and (
                (o.name, 0) not in given or o.type not in PLACEHOLDERS)]
        self.operations = needed
        self._bound = list(used.values())
        self._names = given | {key: f"bound_{k}" for k, key in enumerate(used)}
        self._dtypes = [t.dtype for t in self._feeds] + [
            graph.get_tensor_by_name(f"{name}:{k}").dtype for name, k in used]
        in_order = ordered(needed) if ordered else as_made(graph, needed)
        self._again = again(needed) if again else {}
        self._as_one = any(o.type in V1_CONTROL_FLOW for o in needed.values())
        self._definition = (self._called if self._as_one else self._inlined)(in_order)
        _tell_runtime(self._definition)

    def __call__(self, *values: Tensor) -> list[Any]:
        """What the fetches are for the `values` of the feeds, traced by the function around the
        call; for an operation, one that has it behind it."""
        inputs = [*values, *(bound() for bound in self._bound)]
        names = [*(f"feed_{k}" for k in range(len(self._feeds))),
                 *(f"bound_{k}" for k in range(len(self._bound)))]
        read = {source for node in self._definition.node for source in node.input}
        computed = [f for f in self._fetches if isinstance(f, tf.Operation)
                    or key_of(f) not in self._names]
        if self._as_one:
            tensors = [f for f in computed if not isinstance(f, tf.Operation)]
            elements = [CALL if isinstance(f, tf.Operation) else f"{CALL}:{tensors.index(f)}"
                        for f in computed]
        else:
            elements = [f.name for f in computed]
        found = iter(tf.graph_util.import_graph_def(
            self._definition, return_elements=elements, name="",
            input_map={n: v for n, v in zip(names, inputs, strict=True) if n in read}) or ())
        given = dict(zip(names, inputs, strict=True))
        results = []
        for fetch in self._fetches:
            name = None if isinstance(fetch, tf.Operation) else self._names.get(key_of(fetch))
            value = next(found) if name is None else given[name]
            if isinstance(value, tf.Tensor) and value.dtype not in (tf.resource, tf.variant):
                value = tf.ensure_shape(value, fetch.shape)
            results.append(value)
        return results

    # ---- definitions -------------------------------------------------------------------------
    def _empty(self) -> Any:
        return graph_pb2.GraphDef(versions=self.graph.graph_def_versions)

    def _node(self, operation: tf.Operation, node: Any, source: Callable[[Tensor], str]) -> None:
        """Writes the definition of an operation, whose inputs `source` names, into `node`."""
        node.CopyFrom(operation.node_def)
        for attribute in _NOT_TO_COPY:
            node.attr.pop(attribute, None)
        set_shapes(operation, node)
        if self._clear_devices:
            node.device = ""
        del node.input[:]
        node.input.extend(source(tensor) for tensor in operation.inputs)
        node.input.extend(f"^{o.name}" for o in operation.control_inputs
                          if o.name in self.operations)

    def _inlined(self, operations: Iterable[tf.Operation]) -> Any:
        def source(tensor: Tensor) -> str:
            return self._names.get(key_of(tensor)) or tensor.name

        def once_more(tensor: Tensor, behind: str) -> str:
            """The name of a copy of what a tensor is read from, read for the operation `behind`."""
            operation = tensor.op
            inputs = [once_more(t, behind) if operation.type in VIEWS and not k else source(t)
                      for k, t in enumerate(operation.inputs)]
            node = graph_def.node.add()
            self._node(operation, node, source)
            node.name = f"{operation.name}/for/{behind}"
            for k, name in enumerate(inputs):
                node.input[k] = name
            return f"{node.name}:{tensor.value_index}"

        graph_def = self._empty()
        for operation in operations:
            anew = {k: once_more(operation.inputs[k], f"{operation.name}/{k}")
                    for k in self._again.get(operation.name, ())}
            node = graph_def.node.add()
            self._node(operation, node, source)
            for k, name in anew.items():
                node.input[k] = name
        graph_def.library.CopyFrom(library(self.graph, graph_def.node))
        _keep_effects(graph_def.node, graph_def.library)
        return graph_def

    def _called(self, operations: Iterable[tf.Operation]) -> Any:
        """One call, CALL, of a library function that holds the operations."""
        def source(tensor: Tensor) -> str:
            return self._names.get(key_of(tensor)) or _function_form(tensor)

        graph_def = self._empty()
        function, call = function_pb2.FunctionDef(), graph_def.node.add(name=CALL, op=CALL)
        for attribute in ("Tin", "Tout"):
            call.attr[attribute].list.SetInParent()
        for name, dtype in zip(self._names.values(), self._dtypes, strict=True):
            function.signature.input_arg.add(name=name, type=dtype.as_datatype_enum)
            call.input.append(name)
            call.attr["Tin"].list.type.append(dtype.as_datatype_enum)
        for operation in operations:
            self._node(operation, function.node_def.add(), source)
        tensors = [f for f in self._fetches if not isinstance(f, tf.Operation)
                   and key_of(f) not in self._names]
        for k, fetch in enumerate(tensors):
            dtype = fetch.dtype.as_datatype_enum
            function.signature.output_arg.add(name=f"fetch_{k}", type=dtype)
            function.ret[f"fetch_{k}"] = source(fetch)
            call.attr["Tout"].list.type.append(dtype)
        for operation in self._fetches:
            if isinstance(operation, tf.Operation):
                function.signature.control_output.append(operation.name)
                function.control_ret[operation.name] = _survivor(function.node_def, operation.name)
        graph_def.library.CopyFrom(library(self.graph, function.node_def))
        _keep_effects(function.node_def, graph_def.library)
        digest = hashlib.sha256(function.SerializeToString(deterministic=True)).hexdigest()[:16]
        function.signature.name = call.attr["f"].func.name = f"frozen_graph_{digest}"
        graph_def.library.function.append(function)
        return graph_def


def as_made(graph: tf.Graph, operations: Mapping[str, tf.Operation]) -> list[tf.Operation]:
    """Operations of a graph, by name, in the order in which they were made."""
    return [o for o in graph.get_operations() if o.name in operations]


def set_shapes(operation: tf.Operation, node: Any) -> None:
    """Writes the shapes of what a condition or a loop gives into its definition, `node`.

    Gradients through it leave those of the first branch, or of the body, there; another branch, or a
    loop with shape invariants, may give another shape.
    """
    if node.op in _WITH_SHAPES and node.attr["output_shapes"].list.shape:
        shapes = node.attr["output_shapes"].list.shape
        del shapes[:]
        shapes.extend(output.shape.as_proto() for output in operation.outputs)


def _function_form(tensor: Tensor) -> str:
    """'node:3' in the notation of function bodies: 'node:<output argument>:<index in it>'."""
    index = tensor.value_index
    for argument in tensor.op.op_def.output_arg:
        count = 1
        if argument.number_attr:
            count = tensor.op.get_attr(argument.number_attr)
        elif argument.type_list_attr:
            count = len(tensor.op.get_attr(argument.type_list_attr))
        if index < count:
            return f"{tensor.op.name}:{argument.name}:{index}"
        index -= count
    raise KeyError(tensor.name)


def _survivor(nodes: Any, operation: str) -> str:
    """Adds nodes of which the last runs whether or not a cond skips `operation`; gives its name.

    A function whose control output is skipped gives nothing at all; a Merge takes what comes.
    """
    for name, source in (("ran", [f"^{operation}"]), ("always", [])):
        constant = nodes.add(name=f"{operation}/{name}", op="Const", input=source)
        constant.attr["dtype"].type = tf.int32.as_datatype_enum
        constant.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(0))
    merge = nodes.add(name=f"{operation}/merged", op="Merge",
                      input=[f"{operation}/ran:output:0", f"{operation}/always:output:0"])
    merge.attr["T"].type = tf.int32.as_datatype_enum
    merge.attr["N"].i = 2
    return str(merge.name)


# ---- library functions -------------------------------------------------------------------------
def functions_in(value: Any) -> Iterable[Any]:
    """The NameAttrList messages in an attribute."""
    if value.HasField("func"):
        yield value.func
    yield from value.list.func


def _called_by(nodes: Iterable[Any]) -> set[str]:
    """The names of functions that nodes may call: in an attribute, or as their type."""
    found = {f.name for node in nodes for value in node.attr.values() for f in functions_in(value)}
    return found | {node.op for node in nodes if not hasattr(tf.raw_ops, node.op)}


def library(graph: tf.Graph, nodes: Iterable[Any]) -> Any:
    """The library functions of `graph` that nodes call, and those that these call."""
    todo, found = _called_by(nodes), function_pb2.FunctionDefLibrary()
    if not todo:
        return found
    version, every = _libraries.get(graph, (-1, None))
    if version != graph.version:
        every = graph.as_graph_def().library
        _libraries[graph] = graph.version, every
    known, done = {f.signature.name: f for f in every.function}, set[str]()
    while todo:
        name = todo.pop()
        if name in known and name not in done:
            done.add(name)
            found.function.append(known[name])
            todo |= _called_by(known[name].node_def)
    found.gradient.extend(g for g in every.gradient if g.function_name in done)
    return found


def _keep_effects(nodes: Any, library: Any) -> None:
    """Makes branches and loop bodies do what they do even if nobody reads what they give, which
    TensorFlow 2 takes for granted only of what it traced with automatic control dependencies."""
    every = [*nodes, *(node for function in library.function for node in function.node_def)]
    bodies = {f.name for node in every if node.op in _WITH_BODIES
              for value in node.attr.values() for f in functions_in(value)}
    changed = False
    for function in library.function:
        if function.signature.name not in bodies or function.control_ret:
            continue
        own = {node.name for node in function.node_def}
        told = {node.name for node in function.node_def if node.op in _WITH_BODIES
                and any(ASKED in source for source in node.input)}
        for source in sorted({source.partition(":")[0] for source in function.ret.values()} & own | told):
            function.signature.control_output.append(source)
            function.control_ret[source] = source
            changed = True
    if changed:
        rename_functions(nodes, library)


def rename_functions(nodes: Any, library: Any) -> None:
    """Gives library functions names with a digest of them all.

    The runtime has one table of functions; two graphs may both have a `cond_true_1`.
    """
    digest = hashlib.sha256(library.SerializeToString(deterministic=True)).hexdigest()[:12]
    names = {f.signature.name: f"{f.signature.name}_{digest}" for f in library.function}

    def rename(node: Any) -> None:
        node.op = names.get(node.op, node.op)
        for value in node.attr.values():
            for function in functions_in(value):
                function.name = names.get(function.name, function.name)

    for node in nodes:
        rename(node)
    for function in library.function:
        function.signature.name = names[function.signature.name]
        for node in function.node_def:
            rename(node)
    for gradient in library.gradient:
        gradient.function_name = names.get(gradient.function_name, gradient.function_name)
        gradient.gradient_func = names.get(gradient.gradient_func, gradient.gradient_func)


def _tell_runtime(graph_def: Any) -> None:
    """An eager import makes the runtime know library functions; a tf.function that calls them does
    not do so by itself."""
    with _lock:
        names = {f.signature.name for f in graph_def.library.function}
        if names - _known_functions:
            library = graph_pb2.GraphDef(versions=graph_def.versions, library=graph_def.library)
            with tf.init_scope():
                tf.graph_util.import_graph_def(library, name="")
            _known_functions.update(names)
