"""A TF 1 frozen graph as a callable by tensor names, without sessions and without tf.compat.v1."""
from __future__ import annotations

import difflib
import hashlib
import os
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from .names import current_graph

TensorName = Any  # "node:0", "node", or a tensor or operation of FrozenGraph.graph

PLACEHOLDERS = ("Placeholder", "PlaceholderV2")
CALL = "StatefulPartitionedCall"  # by type and by name: profiles take such scopes for no layer
UNFROZEN = ("Variable", "VariableV2", "VarHandleOp")
V1_CONTROL_FLOW = ("Switch", "RefSwitch", "Merge", "RefMerge", "Enter", "Exit", "NextIteration",
                   "LoopCond")


def read_graph_def(path: str | os.PathLike[str]) -> Any:
    """The GraphDef in the binary file at `path`.

    Raises:
        tf.errors.NotFoundError: there is no such file.
        ValueError: the file is not a binary GraphDef.
    """
    graph_def = tf.Graph().as_graph_def()
    try:
        with tf.io.gfile.GFile(os.fspath(path), "rb") as file:  # also while a graph is being built
            graph_def.ParseFromString(file.read())
    except Exception as error:
        if isinstance(error, tf.errors.OpError):
            raise
        raise ValueError(f"{path} is not a binary GraphDef: {error}") from error
    if not graph_def.node:
        raise ValueError(f"{path} holds no graph: it is empty or not a binary GraphDef")
    return graph_def


def _split(name: str) -> tuple[str, int]:
    """'node:1' -> ('node', 1); '^node' and 'node' -> ('node', 0)."""
    node, _, index = name.lstrip("^").partition(":")
    return node, int(index or 0)


def _functions_in(value: Any) -> Iterable[Any]:
    """The NameAttrList messages in an attribute."""
    if value.HasField("func"):
        yield value.func
    yield from value.list.func


def _with_unique_functions(graph_def: Any) -> Any:
    """A copy of `graph_def` whose library functions carry a digest of the graph in their names.

    The runtime has one table of functions; two graphs may both have a `cond_true_1`.
    """
    result = type(graph_def)()
    result.CopyFrom(graph_def)
    digest = hashlib.sha256(graph_def.SerializeToString(deterministic=True)).hexdigest()[:12]
    names = {f.signature.name: f"{f.signature.name}_{digest}" for f in result.library.function}

    def rename(node: Any) -> None:
        node.op = names.get(node.op, node.op)
        for value in node.attr.values():
            for function in _functions_in(value):
                function.name = names.get(function.name, function.name)

    for node in result.node:
        rename(node)
    for function in result.library.function:
        function.signature.name = names[function.signature.name]
        for node in function.node_def:
            rename(node)
    for gradient in result.library.gradient:
        gradient.function_name = names.get(gradient.function_name, gradient.function_name)
        gradient.gradient_func = names.get(gradient.gradient_func, gradient.gradient_func)
    return result


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
    return merge.name


class FrozenGraph(tf.Module):
    """A frozen GraphDef whose tensors can be fed and fetched by name.

    For every combination of feeds and fetches, the part of the graph between them becomes one
    `tf.function`, traced once for all shapes the placeholders admit.  A part without TF 1 control
    flow (Switch, Merge, Enter, ...) is inlined, so gradients and `jit_compile` work through it;
    a part with it is kept whole as one runtime function, which runs as Session.run ran it but has
    no gradient.  Several threads may call one object.

    Tensors can be added: ``with frozen.as_default(): small = tf.squeeze(boxes)`` puts an operation
    behind the tensor `boxes` of the graph, and `small` can be fetched like the others.

    Args:
        path_or_def: Path of a binary GraphDef, or the GraphDef itself.
        prefix: The `name` under which TF 1 code imported the graph ("import" was TF 1's default);
            names of feeds and fetches may leave it out.
        clear_devices: Forget the devices that are written in the graph.

    Attributes:
        graph: The imported `tf.Graph`, to look at names, shapes and operations.
    """

    def __init__(self, path_or_def: Any, prefix: str = "", clear_devices: bool = False,
                 name: str | None = None) -> None:
        super().__init__(name=name)
        graph_def = (read_graph_def(path_or_def)
                     if isinstance(path_or_def, (str, os.PathLike)) else path_or_def)
        self._prefix = prefix.rstrip("/") + "/" if prefix else ""
        self.graph = tf.Graph()
        with self.graph.as_default():
            tf.graph_util.import_graph_def(_with_unique_functions(graph_def), name=prefix)
        self._clear_devices = clear_devices
        self._read: tuple[int, Any, dict[str, Any]] | None = None
        self._functions: dict[Any, Any] = {}
        self._lock = threading.RLock()

    def _contents(self) -> tuple[int, Any, dict[str, Any]]:
        """(version, GraphDef with the defaults of attributes filled in, its nodes by name)."""
        if self._read is None or self._read[0] != self.graph.version:
            with self._lock:
                version, graph_def = self.graph.version, self.graph.as_graph_def()
                if self._clear_devices:
                    for node in graph_def.node:
                        node.device = ""
                self._read = version, graph_def, {node.name: node for node in graph_def.node}
        return self._read

    @property
    def _def(self) -> Any:
        return self._contents()[1]

    @property
    def _nodes(self) -> dict[str, Any]:
        return self._contents()[2]

    def as_default(self) -> Any:
        """A context in which new operations are added to the graph."""
        return self.graph.as_default()

    # ---- names -------------------------------------------------------------------------------
    @property
    def tensor_names(self) -> list[str]:
        """The names of all tensors of the graph."""
        return [t.name for op in self.graph.get_operations() for t in op.outputs]

    @property
    def inputs(self) -> dict[str, tf.TensorSpec]:
        """The placeholders: tensor name -> shape and dtype."""
        return {t.name: tf.TensorSpec(t.shape, t.dtype) for op in self.graph.get_operations()
                if op.type in (*PLACEHOLDERS, "PlaceholderWithDefault") for t in op.outputs}

    @property
    def outputs(self) -> dict[str, tf.TensorSpec]:
        """The tensors of operations that nothing else in the graph reads."""
        return {t.name: tf.TensorSpec(t.shape, t.dtype) for op in self.graph.get_operations()
                if op.type not in PLACEHOLDERS and not any(o.consumers() for o in op.outputs)
                for t in op.outputs}

    def _element(self, name: TensorName) -> tf.Tensor | tf.Operation:
        """The tensor (or the operation without outputs) called `name`.

        Raises:
            KeyError: there is none; the message lists names that look alike.
        """
        text = name if isinstance(name, str) else name.name
        node, index = _split(text)
        if node not in self._nodes and self._prefix:
            node = self._prefix + node
        if node in self._nodes:
            operation = self.graph.get_operation_by_name(node)
            if index < len(operation.outputs):
                return operation.outputs[index]
            if ":" not in text:
                return operation
            raise KeyError(f"{text!r}: {node!r} ({operation.type}) has only "
                           f"{len(operation.outputs)} outputs")
        near = difflib.get_close_matches(node, self._nodes, n=5, cutoff=0.5)
        hint = f"; names like it: {', '.join(near)}" if near else (
            f"; the graph's placeholders are {', '.join(self.inputs) or 'none'}")
        raise KeyError(f"no tensor {text!r} in the frozen graph{hint}")

    def get_tensor_by_name(self, name: str) -> tf.Tensor:
        """The tensor of `graph` with this name, to build on (to fetch it, its name will do).

        Raises:
            KeyError: there is none.
        """
        found = self._element(name)
        if isinstance(found, tf.Operation):
            raise KeyError(f"{name!r} has no output")
        return found

    def get_operation_by_name(self, name: str) -> tf.Operation:
        """The operation of `graph` with this name. Raises KeyError: there is none."""
        found = self._element(name)
        return found if isinstance(found, tf.Operation) else found.op

    # ---- the part of the graph between feeds and fetches ------------------------------------
    def _slice(self, feeds: Sequence[str], fetches: Sequence[Any]) -> list[Any]:
        """The nodes needed to compute `fetches` from the tensors `feeds`.

        Raises:
            ValueError: they need a placeholder that is not fed, or a variable.
        """
        fed = {_split(name) for name in feeds}
        todo = [f.name if isinstance(f, tf.Operation) else f.op.name for f in fetches
                if isinstance(f, tf.Operation) or f.name not in feeds]
        needed: dict[str, Any] = {}
        while todo:
            name = todo.pop()
            if name in needed:
                continue
            node = needed[name] = self._nodes[name]
            if node.op in PLACEHOLDERS:
                raise ValueError(f"{[f.name for f in fetches]} need a value for placeholder "
                                 f"'{name}:0'; fed are {list(feeds)}")
            if node.op in UNFROZEN:
                raise ValueError(f"the graph is not frozen: it holds the variable {name!r}")
            for source in node.input:
                if not self._is_fed(source, fed):
                    todo.append(_split(source)[0])
        return list(needed.values())

    def _captures(self, nodes: Sequence[Any]) -> dict[str, Any]:
        """Variables by the names of the resources that `nodes` read without their being fed."""
        del nodes
        return {}

    def _is_fed(self, source: str, fed: set[tuple[str, int]]) -> bool:
        """Whether an input of a node comes from a feed; so does a control edge of a placeholder."""
        node = _split(source)[0]
        if source.startswith("^"):
            return (node, 0) in fed and self._nodes[node].op in (*PLACEHOLDERS, "VarHandleOp")
        return _split(source) in fed

    def _function_form(self, tensor: tf.Tensor) -> str:
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

    def _graph_def(self, nodes: Iterable[Any] = ()) -> Any:
        graph_def = type(self._def)()
        graph_def.versions.CopyFrom(self._def.versions)
        graph_def.library.CopyFrom(self._def.library)
        graph_def.node.extend(nodes)
        return graph_def

    def _inlined(self, feeds: Sequence[str], nodes: Sequence[Any]) -> Any:
        """A GraphDef of `nodes` in which the k-th feed is read from the missing node 'feed_<k>'."""
        positions = {_split(name): k for k, name in enumerate(feeds)}
        graph_def = self._graph_def(nodes)
        for node in graph_def.node:
            sources = [f"feed_{positions[_split(s)]}" if _split(s) in positions
                       and not s.startswith("^") else s
                       for s in node.input if not (s.startswith("^")
                                                   and self._is_fed(s, set(positions)))]
            del node.input[:]
            node.input.extend(sources)
        return graph_def

    def _called(self, feeds: Sequence[str], fetches: Sequence[Any], nodes: Sequence[Any],
                operations: Sequence[str]) -> Any:
        """A GraphDef of one call, CALL, of a library function that holds `nodes` and gives
        `fetches`; it has run the `operations` when it returns."""
        positions = {_split(name): k for k, name in enumerate(feeds)}

        def reference(tensor: tf.Tensor) -> str:
            key = (tensor.op.name, tensor.value_index)
            return f"feed_{positions[key]}" if key in positions else self._function_form(tensor)

        graph_def = self._graph_def()
        function = graph_def.library.function.add()
        call = graph_def.node.add(name=CALL, op=CALL)
        for attribute in ("Tin", "Tout"):
            call.attr[attribute].list.SetInParent()
        for k, name in enumerate(feeds):
            dtype = self.graph.get_tensor_by_name(name).dtype.as_datatype_enum
            function.signature.input_arg.add(name=f"feed_{k}", type=dtype)
            call.input.append(f"feed_{k}")
            call.attr["Tin"].list.type.append(dtype)
        for node in nodes:
            copy = function.node_def.add()
            copy.CopyFrom(node)
            copy.attr.pop("_output_shapes", None)
            del copy.input[:]
            for source in node.input:
                if source.startswith("^"):
                    if not self._is_fed(source, set(positions)):
                        copy.input.append(source)
                else:
                    copy.input.append(reference(self._element(source)))
        for k, fetch in enumerate(fetches):
            dtype = fetch.dtype.as_datatype_enum
            function.signature.output_arg.add(name=f"fetch_{k}", type=dtype)
            function.ret[f"fetch_{k}"] = reference(fetch)
            call.attr["Tout"].list.type.append(dtype)
        for name in operations:
            function.signature.control_output.append(name)
            function.control_ret[name] = _survivor(function.node_def, name)
        digest = hashlib.sha256(function.SerializeToString(deterministic=True)).hexdigest()[:16]
        function.signature.name = call.attr["f"].func.name = f"frozen_graph_{digest}"
        return graph_def

    # ---- running -----------------------------------------------------------------------------
    def function(self, feeds: Sequence[TensorName], fetches: Sequence[TensorName],
                 jit_compile: bool | None = None) -> Any:
        """A `tf.function` of the values of `feeds`, in their order, giving the list of `fetches`.

        An operation without outputs among `fetches` is run; its place in the list is left out.

        Raises:
            KeyError: a name is not in the graph.
            ValueError: something else would have to be fed, or the graph is not frozen.
        """
        feed_tensors = [self._element(f) for f in feeds]
        targets = [self._element(f) for f in fetches]
        names = [t.name for t in feed_tensors]
        key = (tuple(names), tuple(t.name for t in targets), jit_compile)
        if key not in self._functions:
            with self._lock:
                if key not in self._functions:
                    self._functions[key] = self._build(feed_tensors, names, targets, jit_compile)
        return self._functions[key]

    def _build(self, feed_tensors: Sequence[tf.Tensor], names: Sequence[str],
               targets: Sequence[Any], jit_compile: bool | None) -> Any:
        nodes = self._slice(names, targets)
        computed = [t for t in targets if not isinstance(t, tf.Operation) and t.name not in names]
        captured = self._captures(nodes)
        inputs = [*names, *captured]
        if any(node.op in V1_CONTROL_FLOW for node in nodes):
            operations = [t.name for t in targets if isinstance(t, tf.Operation)]
            graph_def = self._called(inputs, computed, nodes, operations)
            elements = [f"{CALL}:{k}" for k in range(len(computed))]
        else:
            graph_def = self._inlined(inputs, nodes)
            elements = [t.name for t in computed]
        used = {source for node in graph_def.node for source in node.input}
        # An eager import makes the runtime know the library functions; a tf.function that calls
        # them does not do so by itself.
        library = type(graph_def)(versions=graph_def.versions, library=graph_def.library)
        with tf.init_scope():
            tf.graph_util.import_graph_def(library, name="")
        specs = [tf.TensorSpec(t.shape, t.dtype, t.op.name.replace("/", "_"))
                 for t in feed_tensors]

        def run(*values: tf.Tensor) -> list[tf.Tensor]:
            graph = current_graph()  # the function's
            for variable in captured.values():
                graph.watch_variable(variable)  # so that tapes know what the function reads
            given = [*values, *(graph.capture(v.handle) for v in captured.values())]
            found = tf.graph_util.import_graph_def(
                graph_def, return_elements=elements, name="",
                input_map={f"feed_{k}": v for k, v in enumerate(given) if f"feed_{k}" in used})
            results = dict(zip(names, values, strict=True))
            for tensor, value in zip(computed, found, strict=True):
                results[tensor.name] = tf.ensure_shape(value, tensor.shape)
            return [results[t.name] for t in targets if not isinstance(t, tf.Operation)]

        return tf.function(run, input_signature=specs, autograph=False, jit_compile=jit_compile)

    def _value(self, tensor: tf.Tensor, value: Any) -> tf.Tensor:
        if not isinstance(value, tf.Tensor):
            value = tf.constant(np.asarray(value, dtype=tensor.dtype.as_numpy_dtype))
        if not tensor.shape.is_compatible_with(value.shape):
            raise ValueError(f"cannot feed a value of shape {value.shape} to {tensor.name!r}, "
                             f"which has shape {tensor.shape}")
        return value

    def __call__(self, fetches: Any, feed_dict: Mapping[TensorName, Any] | None = None) -> Any:
        """The fetched tensors, in the nest (list, tuple, dict) in which `fetches` names them.

        Args:
            fetches: Names of tensors; an operation without outputs is run and gives None.
            feed_dict: Values by tensor name; arrays are cast to the dtype of the placeholder.

        Raises:
            KeyError, ValueError: see `function`; or a value has the wrong shape.
        """
        feeds = {self._element(name): value for name, value in (feed_dict or {}).items()}
        targets = [self._element(f) for f in tf.nest.flatten(fetches)]
        # The concrete function: a tf.function would warn of retracing, once for each set of names.
        function = self.function(list(feeds), targets).get_concrete_function()
        values = iter(function(*[self._value(t, v) for t, v in feeds.items()]))
        results = [None if isinstance(t, tf.Operation) else next(values) for t in targets]
        return tf.nest.pack_sequence_as(fetches, results)

    def run(self, fetches: Any, feed_dict: Mapping[TensorName, Any] | None = None) -> Any:
        """As calling the object, with NumPy arrays as results: what Session.run returned."""
        # Where operations are being added to the graph, a call would be one of them.
        with tf.__internal__.eager_context.eager_mode():
            return tf.nest.map_structure(lambda t: t if t is None else t.numpy(),
                                         self(fetches, feed_dict))

    def signature(self, inputs: Mapping[str, TensorName],
                  outputs: Mapping[str, TensorName]) -> Any:
        """A `tf.function` that takes `inputs` by keyword and gives the dict of `outputs`."""
        inner = self.function(list(inputs.values()), list(outputs.values()))
        specs = [tf.TensorSpec(spec.shape, spec.dtype, key)
                 for key, spec in zip(inputs, inner.input_signature, strict=True)]

        def serve(*values: tf.Tensor) -> dict[str, tf.Tensor]:
            return dict(zip(outputs, inner(*values), strict=True))

        return tf.function(serve, input_signature=specs, autograph=False)

    def save(self, path: str | os.PathLike[str], inputs: Mapping[str, TensorName],
             outputs: Mapping[str, TensorName]) -> None:
        """Writes a SavedModel with the default signature `inputs` -> `outputs`."""
        module = tf.Module()
        module.serve = self.signature(inputs, outputs)
        tf.saved_model.save(module, os.fspath(path), signatures=module.serve)
