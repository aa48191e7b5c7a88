"""Graphs that are being built (see `graphs`) as messages: GraphDefs and meta graphs."""
from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.core.framework.variable_pb2 import VariableDef  # in no public module
from tensorflow.core.protobuf.meta_graph_pb2 import MetaGraphDef

from .names import variable_name
from .slices import set_shapes
from .store import GraphKeys

_VARIABLES = (GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES, GraphKeys.TRAINABLE_VARIABLES,
              GraphKeys.MODEL_VARIABLES, GraphKeys.MOVING_AVERAGE_VARIABLES)
FIRST_VALUE = "first_value"  # how a variable's first value is called, below its name

#: Attributes that change no result, which older TensorFlows do not know.
_HINTS = {"MatMul": ("grad_a", "grad_b"), "BatchMatMulV2": ("grad_x", "grad_y"),
          "BatchMatMulV3": ("grad_x", "grad_y"), "AssignVariableOp": ("validate_shape",)}


# ---- GraphDefs ---------------------------------------------------------------------------------
def graph_def_of(graph: Any, add_shapes: bool = False) -> Any:
    """The GraphDef of a graph, in which variables are the resources that they were in TF 1."""
    traced = graph.traced
    with graph.as_default():
        made = traced.as_graph_def(add_shapes=add_shapes)
    names = {id(v): name for name, v in graph.store.variables_by_name.items()}
    handles = graph.variable_handles()
    values = {inner.op.name: outer for outer, inner in traced.captures if hasattr(outer, "numpy")
              and outer.dtype not in (tf.resource, tf.variant)}
    taken, new_names = {node.name for node in made.node}, dict[str, str]()
    present, unsaved = set[str](), dict[str, Any]()
    for node in (*made.node, *(n for f in made.library.function for n in f.node_def)):
        for hint in _HINTS.get(node.op, ()):
            node.attr.pop(hint, None)
    for node in made.node:
        node.attr.pop("_class", None)  # colocation with what has another name now
        operation = traced.get_operation_by_name(node.name)
        set_shapes(operation, node)
        _strip_defaults(operation, node)
        variable = handles.get(f"{node.name}:0")
        if variable is not None:
            name = names.get(id(variable)) or variable_name(variable)
            if name not in taken:
                new_names[node.name] = name
            present.add(name)
            _handle(node, variable, name)
            if id(variable) not in names:
                unsaved[new_names.get(node.name, node.name)] = variable
        elif node.name in values:
            _constant(node, values[node.name])
    if new_names:
        _rename_nodes(made, new_names)
    _keep_values(made, unsaved)
    for name, variable in graph.store.variables_by_name.items():
        if name not in present and name not in taken:
            _handle(made.node.add(name=name), variable, name)
    return made


def _strip_defaults(operation: tf.Operation, node: Any) -> None:
    """Drops attributes that have their default values, which older TensorFlows may not know."""
    for attribute in operation.op_def.attr:
        if attribute.HasField("default_value") and attribute.name in node.attr and (
                node.attr[attribute.name] == attribute.default_value):
            del node.attr[attribute.name]


def _handle(node: Any, variable: Any, name: str) -> None:
    """Makes `node` the resource of a variable."""
    node.op = "VarHandleOp"
    node.ClearField("attr")
    node.attr["dtype"].type = variable.dtype.as_datatype_enum
    node.attr["shape"].shape.CopyFrom(variable.shape.as_proto())
    node.attr["shared_name"].s = name.encode()


def _constant(node: Any, value: tf.Tensor) -> None:
    node.op = "Const"
    node.ClearField("attr")
    node.attr["dtype"].type = value.dtype.as_datatype_enum
    node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(value.numpy(), value.dtype))


def _keep_values(graph_def: Any, variables: Mapping[str, Any]) -> None:
    """What no checkpoint has (a learning rate, a counter of Keras) keeps the value that it has now:
    what is only read becomes a constant, other variables get it as their first value."""
    with tf.init_scope():
        values = {name: variable.read_value() for name, variable in variables.items()}
    changed = {source for node in graph_def.node for source in node.input
               if source in values and node.op != "ReadVariableOp"}
    for node in list(graph_def.node):
        if node.op == "ReadVariableOp" and node.input[0] in values and (
                node.input[0] not in changed):
            _constant(node, values[node.input[0]])
            del node.input[0]
    for node in list(graph_def.node):
        if node.name in values and node.name not in changed:
            graph_def.node.remove(node)
    for name in changed:
        _constant(graph_def.node.add(name=f"{name}/{FIRST_VALUE}"), values[name])


def _rename_nodes(graph_def: Any, names: Mapping[str, str]) -> None:
    for node in graph_def.node:
        node.name = names.get(node.name, node.name)
        for k, source in enumerate(node.input):
            control, plain = source[:source.startswith("^")], source.lstrip("^")
            name, colon, index = plain.partition(":")
            if name in names:
                node.input[k] = f"{control}{names[name]}{colon}{index}"


def write_graph(graph_or_graph_def: Any, logdir: str, name: str, as_text: bool = True) -> str:
    """Writes a graph, or a GraphDef, to a file; gives its path."""
    if hasattr(graph_or_graph_def, "as_graph_def"):
        graph_or_graph_def = graph_or_graph_def.as_graph_def()
    return str(tf.io.write_graph(graph_or_graph_def, logdir, name, as_text))


# ---- meta graphs -------------------------------------------------------------------------------
class _Nodes:
    """Adds nodes to a GraphDef under names that it does not have."""

    def __init__(self, graph_def: Any) -> None:
        self.graph_def = graph_def
        self.names = {node.name for node in graph_def.node}

    def scope(self, stem: str) -> str:
        """`stem`, or `stem_1`, ...: a prefix that no node has."""
        found, count = stem, 0
        while any(name == found or name.startswith(f"{found}/") for name in self.names):
            count += 1
            found = f"{stem}_{count}"
        return found

    def add(self, name: str, op: str, inputs: Iterable[str] = (), **types: Any) -> str:
        node = self.graph_def.node.add(name=name, op=op, input=list(inputs))
        for key, value in types.items():
            if isinstance(value, list):
                node.attr[key].list.type.extend(value)
            else:
                node.attr[key].type = value
        self.names.add(name)
        return name

    def strings(self, name: str, values: Any) -> str:
        self.add(name, "Const", dtype=tf.string.as_datatype_enum)
        node = self.graph_def.node[-1]
        node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(values, tf.string))
        return name


def meta_graph_of(graph: Any, saved: Mapping[str, Any] | None = None,
                  clear_devices: bool = False, graph_def: Any = None) -> Any:
    """The MetaGraphDef of a graph, with a saver for the variables `saved` (by name in checkpoints;
    default: all but the local ones)."""
    meta = MetaGraphDef()
    meta.meta_info_def.tensorflow_version = tf.version.VERSION
    meta.graph_def.CopyFrom(graph_def_of(graph) if graph_def is None else graph_def)
    if clear_devices:
        for node in meta.graph_def.node:
            node.device = ""
    nodes = _Nodes(meta.graph_def)
    variables = graph.store.variables_by_name
    local = {id(v) for v in graph.get_collection(GraphKeys.LOCAL_VARIABLES)}
    # where an operation that was imported is called like a variable, its resource is not
    handles = {node.attr["shared_name"].s.decode(): node.name
               for node in meta.graph_def.node if node.op == "VarHandleOp"}
    names, reads = {}, {}
    for name, variable in variables.items():
        handle = handles.get(name)
        if handle is None:
            continue
        names[id(variable)] = handle
        reads[id(variable)] = _read(nodes, handle, variable)
        if f"{handle}/Assign" not in nodes.names:
            nodes.add(f"{handle}/Assign", "NoOp")
    if saved is None:
        saved = {n: v for n, v in variables.items() if id(v) not in local}
    known = {n: v for n, v in saved.items() if id(v) in reads}
    if known:
        _saver(meta, nodes, known, reads, names)
    _collections(meta, graph, names)
    return meta


def _read(nodes: _Nodes, name: str, variable: Any) -> str:
    read = f"{name}/Read/ReadVariableOp"
    if read not in nodes.names:
        nodes.add(read, "ReadVariableOp", [name], dtype=variable.dtype.as_datatype_enum)
    return read


def _saver(meta: Any, nodes: _Nodes, saved: Mapping[str, Any], reads: Mapping[int, str],
           names: Mapping[int, str]) -> None:
    """TF 1's operations that save and restore variables."""
    scope, text = nodes.scope("save"), tf.string.as_datatype_enum
    default = nodes.strings(f"{scope}/filename/input", "model")
    path = nodes.add(f"{scope}/Const", "PlaceholderWithDefault", [default], dtype=text)
    nodes.graph_def.node[-1].attr["shape"].shape.SetInParent()
    kinds = [v.dtype.as_datatype_enum for v in saved.values()]
    inputs = [path, nodes.strings(f"{scope}/SaveV2/tensor_names", list(saved)),
              nodes.strings(f"{scope}/SaveV2/shape_and_slices", [""] * len(saved))]
    nodes.add(f"{scope}/SaveV2", "SaveV2", [*inputs, *(reads[id(v)] for v in saved.values())],
              dtypes=kinds)
    nodes.add(f"{scope}/control_dependency", "Identity", [path, f"^{scope}/SaveV2"], T=text)
    inputs = [path, nodes.strings(f"{scope}/RestoreV2/tensor_names", list(saved)),
              nodes.strings(f"{scope}/RestoreV2/shape_and_slices", [""] * len(saved))]
    nodes.add(f"{scope}/RestoreV2", "RestoreV2", inputs, dtypes=kinds)
    assigned = [
        nodes.add(f"{scope}/AssignVariableOp_{k}", "AssignVariableOp",
                  [names[id(variable)], f"{scope}/RestoreV2:{k}"], dtype=kinds[k])
        for k, variable in enumerate(saved.values())]
    nodes.add(f"{scope}/restore_all", "NoOp", [f"^{name}" for name in assigned])
    meta.saver_def.filename_tensor_name = f"{path}:0"
    meta.saver_def.save_tensor_name = f"{scope}/control_dependency:0"
    meta.saver_def.restore_op_name = f"{scope}/restore_all"
    meta.saver_def.max_to_keep = 5
    meta.saver_def.version = type(meta.saver_def).V2


def _collections(meta: Any, graph: Any, names: Mapping[int, str]) -> None:
    for key in [*graph.store.registry.collections, *graph.run.collections]:
        values = graph.get_collection(key)
        held = meta.collection_def[key] if isinstance(key, str) and values else None
        if held is None:
            continue
        if key in _VARIABLES:
            held.bytes_list.value.extend(
                _variable_def(v, names[id(v)]).SerializeToString()
                for v in values if id(v) in names)
        elif all(isinstance(v, (tf.Tensor, tf.Operation)) for v in values):
            held.node_list.value.extend(v.name for v in values)
        elif all(isinstance(v, (int, np.integer)) for v in values):
            held.int64_list.value.extend(map(int, values))
        elif all(isinstance(v, (float, np.floating)) for v in values):
            held.float_list.value.extend(map(float, values))
        elif all(isinstance(v, (str, bytes)) for v in values):
            held.bytes_list.value.extend(tf.compat.as_bytes(v) for v in values)
        elif all(id(v) in names for v in values):
            held.bytes_list.value.extend(
                _variable_def(v, names[id(v)]).SerializeToString() for v in values)
        else:  # what only this program can read
            del meta.collection_def[key]


def _variable_def(variable: Any, name: str) -> Any:
    return VariableDef(variable_name=f"{name}:0", initializer_name=f"{name}/Assign",
                       snapshot_name=f"{name}/Read/ReadVariableOp:0", is_resource=True,
                       trainable=bool(variable.trainable))


def written_meta_graph(meta: Any, filename: str | os.PathLike[str] | None,
                       as_text: bool = False) -> Any:
    """`meta`, after it was written to a file, if there is one."""
    if filename is not None:
        folder, name = os.path.split(os.fspath(filename))
        tf.io.write_graph(meta, folder or ".", name, as_text)
    return meta


def extract_sub_graph(graph_def: Any, dest_nodes: Sequence[str]) -> Any:
    """The part of a GraphDef that the nodes `dest_nodes` follow from.

    Raises:
        TypeError: `dest_nodes` is one string.
        ValueError: there is no such node.
    """
    if isinstance(dest_nodes, str):
        raise TypeError("dest_nodes must be an iterable of strings.")
    nodes = {node.name: node for node in graph_def.node}
    missing = [name for name in dest_nodes if name not in nodes]
    if missing:
        raise ValueError(f"{missing[0]} is not in graph")
    needed, todo = set[str](), list(dest_nodes)
    while todo:
        name = todo.pop()
        if name not in needed:
            needed.add(name)
            todo += [s.lstrip("^").partition(":")[0] for s in nodes[name].input]
    found = type(graph_def)(versions=graph_def.versions, library=graph_def.library)
    found.node.extend(node for node in graph_def.node if node.name in needed)
    return found
