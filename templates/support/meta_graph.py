"""A TF 1 meta graph (.meta) as a callable by tensor names, with its variables and no session."""
from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from .checkpoint import NewCheckpointReader, write_checkpoint_state
from .frozen_graph import FrozenGraph, TensorName, _split
from .names import current_graph
from .slices import Slice

VARIABLES = ("Variable", "VariableV2")
#: What changed a reference variable -> what changes a resource. Not listed: optimizers' kernels and
#: scatters, which only get the prefix "Resource".
CHANGES = {"Assign": "AssignVariableOp", "AssignAdd": "AssignAddVariableOp",
           "AssignSub": "AssignSubVariableOp", "CountUpTo": "ResourceCountUpTo"}
PREFIXED = ("Apply", "SparseApply", "Scatter")
RESOURCE = tf.resource.as_datatype_enum


def read_meta_graph(path: str | os.PathLike[str]) -> Any:
    """The MetaGraphDef in the binary file at `path`.

    Raises:
        tf.errors.NotFoundError: there is no such file.
        ValueError: the file is not a binary MetaGraphDef.
    """
    # No public module exports the message.
    from tensorflow.core.protobuf.meta_graph_pb2 import MetaGraphDef

    meta = MetaGraphDef()
    if not tf.io.gfile.exists(os.fspath(path)):
        raise tf.errors.NotFoundError(None, None, f"there is no {path}; Savers of TensorFlow 1 wrote "
                                      "such files, later ones do not: build the model by its code "
                                      "and restore the checkpoint into it")
    with tf.io.gfile.GFile(os.fspath(path), "rb") as file:  # also while a graph is being built
        data = file.read()
    try:
        meta.ParseFromString(data)
    except Exception as error:
        raise ValueError(f"{path} is not a binary MetaGraphDef: {error}") from error
    if not meta.graph_def.node:
        raise ValueError(f"{path} holds no graph: it is empty or not a binary MetaGraphDef")
    return meta


def in_resource_form(graph_def: Any) -> Any:
    """A GraphDef whose variables are resources.

    Raises:
        ValueError: it changes a reference in a way that resources lack.
    """
    made = type(graph_def)()
    made.CopyFrom(graph_def)
    for node in made.node:
        node.attr.pop("_class", None)  # colocation with what is another operation now
        node.attr.pop("_output_shapes", None)
    return _ResourceForm(made).result if any(node.op in VARIABLES for node in made.node) else made


class _ResourceForm:
    """Writes `graph_def` with resources for reference variables into `result`.

    The node of a variable becomes a read of it under the same name, and what changed it a change
    of the resource followed by a read under the name of the old node; so everything that could be
    fetched still can.  Whatever reads a variable after something else gets a read of its own.
    """

    def __init__(self, graph_def: Any) -> None:
        self.result = type(graph_def)()
        self.result.versions.CopyFrom(graph_def.versions)
        self.result.library.CopyFrom(graph_def.library)
        self.handles: dict[str, str] = {}  # reference tensor -> tensor of the resource
        self.names: dict[str, str] = {}  # tensor of a resource -> variable
        known = tf.Graph()
        with known.as_default():
            tf.graph_util.import_graph_def(graph_def, name="")
        self.nodes = {node.name: node for node in known.as_graph_def().node}
        for operation in known.get_operations():  # inputs come before what reads them
            self._operation(operation)

    def _add(self, name: str, op: str, inputs: Iterable[str], **types: int) -> Any:
        node = self.result.node.add(name=name, op=op, input=list(inputs))
        for key, value in types.items():
            node.attr[key].type = value
        return node

    def _operation(self, operation: tf.Operation) -> None:
        node, controls = self.nodes[operation.name], [f"^{o.name}" for o in
                                                      operation.control_inputs]
        if operation.type in VARIABLES:
            self._variable(node)
            return
        references = _references(operation)
        if operation.type == "Identity" and operation.inputs[0].name in self.handles:
            self._read(operation.name, operation.inputs[0], controls)
            return
        inputs = [self.handles[t.name] if k in references
                  else self._value(t, f"{operation.name}/read_{k}", controls)
                  for k, t in enumerate(operation.inputs)]
        if not references:
            copy = self.result.node.add()
            copy.CopyFrom(node)
            del copy.input[:]
            copy.input.extend([*inputs, *controls])
        elif operation.type.startswith("Ref"):
            copy = self._add(operation.name, operation.type[3:], [*inputs, *controls])
            for key, value in node.attr.items():
                copy.attr[key].CopyFrom(value)
            copy.attr["T"].type = RESOURCE
            for output in operation.outputs:
                self._refers(output.name, output.name, self.names[inputs[min(references)]])
        elif operation.type == "IsVariableInitialized":
            self._add(operation.name, "VarIsInitializedOp", [*inputs, *controls])
        else:
            self._change(operation, node, [*inputs, *controls], min(references))

    def _variable(self, node: Any) -> None:
        handle = self._add(f"{node.name}/handle", "VarHandleOp", [],
                           dtype=node.attr["dtype"].type)
        handle.attr["shape"].shape.CopyFrom(node.attr["shape"].shape)
        handle.attr["shared_name"].s = node.name.encode()
        self._refers(f"{node.name}:0", f"{node.name}/handle:0", node.name)
        self._add(node.name, "ReadVariableOp", [f"{node.name}/handle"],
                  dtype=node.attr["dtype"].type)

    def _refers(self, tensor: str, handle: str, variable: str) -> None:
        self.handles[tensor] = handle
        self.names[handle] = variable

    def _read(self, name: str, tensor: tf.Tensor, controls: Sequence[str]) -> None:
        self._add(name, "ReadVariableOp", [self.handles[tensor.name], *controls],
                  dtype=tensor.dtype.base_dtype.as_datatype_enum)

    def _value(self, tensor: tf.Tensor, name: str, controls: Sequence[str]) -> str:
        """The tensor to read instead of `tensor`, which may be a reference."""
        if tensor.name not in self.handles:
            return tensor.name
        if not controls and not tensor.op.type.startswith("Ref"):
            return tensor.name
        self._read(name, tensor, controls)
        return name

    def _change(self, operation: tf.Operation, node: Any, inputs: Sequence[str],
                first: int) -> None:
        kind = CHANGES.get(operation.type)
        if kind is None:
            if not operation.type.startswith(PREFIXED):
                raise ValueError(f"{operation.name!r} ({operation.type}) takes a reference to a "
                                 "variable and has no form for resources")
            kind = f"Resource{operation.type}"
        changed = self._add(f"{operation.name}/change", kind, inputs)
        plain = kind.endswith("VariableOp") or (
            kind.startswith("ResourceScatter") and "Nd" not in kind)
        for key, value in node.attr.items():
            if plain and key in ("T", "Tindices"):
                changed.attr["dtype" if key == "T" else key].CopyFrom(value)
            elif not plain and not key.startswith("_"):
                changed.attr[key].CopyFrom(value)
        target = operation.inputs[first]
        self._refers(f"{operation.name}:0", self.handles[target.name],
                     self.names[self.handles[target.name]])
        self._read(operation.name, target, [f"^{operation.name}/change"])


def _references(operation: tf.Operation) -> set[int]:
    """Positions of the inputs that an operation takes as references."""
    found, position = set(), 0
    for argument in operation.op_def.input_arg:
        count = 1
        if argument.number_attr:
            count = operation.get_attr(argument.number_attr)
        elif argument.type_list_attr:
            count = len(operation.get_attr(argument.type_list_attr))
        if argument.is_ref:
            found |= set(range(position, position + count))
        position += count
    return found


class MetaGraph(FrozenGraph):
    """The graph of a .meta file, and variables for it, which `restore` reads from a checkpoint.

    As a `FrozenGraph`, it is called with names of tensors to fetch and values by name; operations
    that train or assign change `variables`, by which there are gradients where there are any.

    Args:
        path: The .meta file, or a MetaGraphDef.
        prefix: The `import_scope`; names may leave it out.
        clear_devices: Forget the devices that are written in the graph.

    Attributes:
        variables_by_name: tf.Variables by their name in the meta graph.

    Raises:
        ValueError: the file is no meta graph, or changes a reference in a way that resources lack.
    """

    def __init__(self, path: Any, prefix: str = "", clear_devices: bool = False,
                 name: str | None = None) -> None:
        self.meta = read_meta_graph(path) if isinstance(path, (str, os.PathLike)) else path
        super().__init__(in_resource_form(self.meta.graph_def), prefix, clear_devices, name)
        trainable = {v.variable_name.partition(":")[0]
                     for v in self._variable_defs("trainable_variables")}
        self.variables_by_name: dict[str, tf.Variable] = {}
        self._resources: dict[str, str] = {}  # tensor of a resource -> variable
        for operation in self.graph.get_operations():
            if operation.type == "VarHandleOp":
                node = operation.node_def
                own = node.name.removeprefix(self._prefix)
                own = own.removesuffix("/handle") if own not in trainable else own
                own = node.attr["shared_name"].s.decode() or own
                self._resources[f"{node.name}:0"] = own
                self.variables_by_name[own] = _variable(node, own, own in trainable)
        self._ready: set[str] = set()  # variables that have values
        self._touched: dict[Any, tuple[set[str], set[str]]] = {}

    def _variable_defs(self, collection: str) -> list[Any]:
        from tensorflow.core.framework.variable_pb2 import VariableDef  # in no public module

        found = []
        for data in self.meta.collection_def[collection].bytes_list.value if (
                collection in self.meta.collection_def) else ():
            found.append(VariableDef())
            found[-1].ParseFromString(data)
        return found

    def get_collection(self, name: str) -> list[Any]:
        """What the graph's collection `name` holds: tensors, operations, variables or numbers.

        Raises:
            ValueError: it holds what only TF 1 could read.
        """
        if name not in self.meta.collection_def:
            return []
        held = self.meta.collection_def[name]
        kind = held.WhichOneof("kind")
        if kind == "node_list":
            return [self._element(node) for node in held.node_list.value]
        if kind in ("int64_list", "float_list"):
            return list(getattr(held, kind).value)
        found = [self.variables_by_name.get(v.variable_name.partition(":")[0])
                 for v in self._variable_defs(name)]
        if any(variable is None for variable in found):
            raise ValueError(f"collection {name!r} of the meta graph holds no variables or tensors")
        return found

    # ---- values ------------------------------------------------------------------------------
    def restore(self, path: str | os.PathLike[str]) -> None:
        """Gives the variables their values in the checkpoint at `path`, as the program's own
        Saver did.

        Raises:
            ValueError: there is no checkpoint at `path`.
        """
        path = os.fspath(path)
        if not tf.io.gfile.glob(path + ".index") and not tf.io.gfile.exists(path):
            raise ValueError(f"{path} is not a checkpoint: there is no {path}.index")
        saver = self.meta.saver_def
        if saver.restore_op_name:
            self.run(saver.restore_op_name, {saver.filename_tensor_name: path})
            return
        reader = NewCheckpointReader(path)
        for name, variable in self.variables_by_name.items():
            if reader.has_tensor(name):
                variable.assign(reader.get_tensor(name))
                self._ready.add(name)

    def save_checkpoint(self, path: str | os.PathLike[str], global_step: Any = None) -> str:
        """Writes a checkpoint of what the program's Saver saves; gives its path, with the step.

        Raises:
            ValueError: the meta graph has no Saver.
        """
        saver = self.meta.saver_def
        if not saver.save_tensor_name:
            raise ValueError("the meta graph has no Saver: save `variables_by_name`")
        target = os.fspath(path)
        if global_step is not None:
            target += f"-{int(global_step)}"
        self.run(saver.save_tensor_name, {saver.filename_tensor_name: target})
        write_checkpoint_state(os.path.dirname(target), [target])
        return target

    def initialize(self) -> None:
        """Gives all variables their first values, as global and local initializers did."""
        both = [*self._variable_defs("variables"), *self._variable_defs("local_variables")]
        self.run(list(dict.fromkeys(v.initializer_name for v in both)))

    # ---- running -----------------------------------------------------------------------------
    def _bound(self) -> dict[tuple[str, int], Any]:
        def handle(variable: tf.Variable) -> Any:
            graph = current_graph()  # the function's
            graph.watch_variable(variable)  # so that tapes know what the function reads
            return graph.capture(variable.handle)

        return {_split(tensor): functools.partial(handle, self.variables_by_name[name])
                for tensor, name in self._resources.items()}

    def _part(self, feeds: Sequence[tf.Tensor], fetches: Sequence[Any]) -> Slice:
        part = super()._part(feeds, fetches)
        read, changed = set[str](), set[str]()
        for operation in part.operations.values():
            if operation.type == "VarIsInitializedOp":
                raise ValueError(f"{operation.name!r} asks which variables a session has "
                                 "initialised; here they are restored or initialised as a whole")
            used = [self._resources[t.name] for t in operation.inputs if t.name in self._resources]
            (changed if operation.type == "AssignVariableOp" else read).update(used)
        key = tuple(t.name for t in feeds), tuple(f.name for f in fetches)
        self._touched[key] = read - changed, changed
        return part

    def __call__(self, fetches: Any, feed_dict: Mapping[TensorName, Any] | None = None) -> Any:
        """As for a `FrozenGraph`.

        Raises:
            tf.errors.FailedPreconditionError: a variable was neither restored nor initialised.
        """
        feeds = [self._element(name) for name in feed_dict or {}]
        targets = [self._element(f) for f in tf.nest.flatten(fetches)]
        self.function(feeds, targets)
        key = tuple(t.name for t in feeds), tuple(t.name for t in targets)
        read, changed = self._touched[key]
        missing = sorted(read - self._ready)
        if missing:
            raise tf.errors.FailedPreconditionError(
                None, None, f"variables without values: {', '.join(missing[:5])}; call restore() "
                            "or initialize() first")
        result = super().__call__(fetches, feed_dict)
        self._ready |= changed
        return result


def _variable(node: Any, name: str, trainable: bool) -> tf.Variable:
    dtype = tf.dtypes.as_dtype(node.attr["dtype"].type)
    shape = tf.TensorShape(node.attr["shape"].shape)
    first = np.zeros([size or 0 for size in shape] if shape.rank is not None else [],
                     dtype.as_numpy_dtype)
    return tf.Variable(first if dtype != tf.string else tf.zeros(first.shape, tf.string),
                       trainable=trainable, shape=shape, dtype=dtype, name=name)
