"""Writes frozen graphs: a function with its variables turned into constants, in one .pb file."""
from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tensorflow as tf
from google.protobuf import text_format
from tensorflow.core.framework.graph_pb2 import GraphDef  # in no public module
from tensorflow.core.framework.node_def_pb2 import NodeDef
from tensorflow.core.framework.types_pb2 import DT_RESOURCE
from tensorflow.core.protobuf.meta_graph_pb2 import MetaGraphDef

# TensorFlow's guides use these functions, but no public module exports them.
from tensorflow.python.framework.convert_to_constants import (
    convert_variables_to_constants_from_session_graph,
    convert_variables_to_constants_v2,
)

from .checkpoint import NewCheckpointReader
from .graphs import default_graph

_ASSIGNS = ("AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp")


def _rename(graph_def: Any, old: str, new: str) -> None:
    """Gives the node `old` the name `new`, wherever it is mentioned."""
    for node in graph_def.node:
        if node.name == old:
            node.name = new
        for k, source in enumerate(node.input):
            control, plain = source[:source.startswith("^")], source.lstrip("^")
            name, colon, index = plain.partition(":")
            if name == old:
                node.input[k] = f"{control}{new}{colon}{index}"


def _strip_defaults(graph: tf.Graph, graph_def: Any) -> None:
    """Drops attributes that have their default values, so that older TensorFlows, which do not
    know all of them, can read the graph."""
    for node in graph_def.node:
        for attribute in graph.get_operation_by_name(node.name).op_def.attr:
            if (attribute.HasField("default_value")
                    and node.attr[attribute.name] == attribute.default_value):
                del node.attr[attribute.name]


def freeze(function: Callable[..., Any], input_signature: Sequence[tf.TensorSpec],
           path: str | os.PathLike[str] | None = None,
           output_names: Sequence[str] | None = None) -> Any:
    """A GraphDef that computes `function`, with the values that its variables have now.

    Args:
        function: Takes the inputs, gives a tensor, a list of tensors or a dict of them by name.
        input_signature: The inputs; their names become those of the placeholders.
        path: Where to write the GraphDef, if anywhere.
        output_names: Names for the outputs in their order; default: the keys of the dict, else
            "output", "output_1", ...

    Returns:
        The GraphDef.

    Raises:
        ValueError: there are not as many different names as outputs.
    """
    outputs: list[str] = list(output_names or ())

    def flat(*inputs: tf.Tensor) -> list[tf.Tensor]:
        result = function(*inputs)
        if isinstance(result, Mapping):
            outputs[:] = outputs or list(result)
            result = list(result.values())
        elif not isinstance(result, (list, tuple)):
            result = [result]
        return [tf.convert_to_tensor(tensor) for tensor in result]

    concrete = tf.function(flat, input_signature=list(input_signature),
                           autograph=False).get_concrete_function()
    frozen = convert_variables_to_constants_v2(concrete, lower_control_flow=False)
    count = len(frozen.outputs)
    names = outputs or ["output", *(f"output_{k}" for k in range(1, count))][:count]
    if len(names) != count or len(set(names)) != count:
        raise ValueError(f"{count} outputs need {count} different names, not {names}")
    graph_def = frozen.graph.as_graph_def()
    _strip_defaults(frozen.graph, graph_def)
    present = {node.name for node in graph_def.node}
    results = {}
    for k, (name, tensor) in enumerate(zip(names, frozen.outputs, strict=True)):
        if name in present:  # the network has a node of this name already
            _rename(graph_def, name, f"{name}_inner_{k}")
        results[name] = tensor
    renamed = {name: f"{name}_inner_{k}" for k, name in enumerate(names) if name in present}
    for name, tensor in results.items():
        node, _, index = tensor.name.partition(":")
        identity = graph_def.node.add(
            name=name, op="Identity", input=[f"{renamed.get(node, node)}:{index}"])
        identity.attr["T"].type = tensor.dtype.as_datatype_enum
    if path is not None:
        directory = os.path.dirname(os.fspath(path))
        if directory:
            tf.io.gfile.makedirs(directory)
        with tf.io.gfile.GFile(os.fspath(path), "wb") as file:
            file.write(graph_def.SerializeToString())
    return graph_def


def _frozen(source: Any, graph_def: Any, outputs: Sequence[str], kept: Any, left: Any) -> Any:
    """TensorFlow's own work; what assigned to a variable does nothing where that is a constant now."""
    made = convert_variables_to_constants_from_session_graph(source, graph_def, list(outputs), kept, left)
    _without_assigns(made.node, {node.name for node in made.node if node.op == "Const"}, set())
    for function in made.library.function:  # branches and loops
        given = function.signature.input_arg
        plain = {arg.name for arg in given if arg.type != DT_RESOURCE}
        _without_assigns(function.node_def, plain, {arg.name for arg in given})
        kinds = {node.name: node.op for node in function.node_def}
        for name, source in list(function.ret.items()):  # which TensorFlow leaves as they were
            node, _, output = source.partition(":")
            if output == "value:0" and kinds.get(node) == "Identity":
                function.ret[name] = f"{node}:output:0"
    return made


def _without_assigns(every: Any, constants: set[str], given: set[str]) -> None:
    """Has what assigns to one of `constants` do nothing. given: what is no node that can be waited for."""
    nodes = {node.name: node for node in every}

    def origin(name: str) -> str:
        while (node := nodes.get(name)) is not None and node.op in ("Identity", "Switch", "Enter"):
            name = node.input[0].partition(":")[0]
        return name

    for node in every:
        if node.op in _ASSIGNS and origin(node.input[0].partition(":")[0]) in constants:
            names = (name.lstrip("^").partition(":")[0] for name in node.input)
            after = dict.fromkeys(f"^{name}" for name in names if name not in given)
            node.CopyFrom(NodeDef(name=node.name, op="NoOp", device=node.device, input=after))


class _Values:
    """What TensorFlow asks a session for while it freezes: the values of variables, by name."""

    def __init__(self, graph: Any) -> None:
        self._graph = graph

    def run(self, names: Sequence[str]) -> list[Any]:
        # what was imported may have an operation that is called like the variable
        variables = {name.partition(":")[0]: v for name, v in self._graph.variable_handles().items()}
        variables |= self._graph.store.variables_by_name
        found = [variables[name.partition(":")[0].removesuffix("/Read/ReadVariableOp")]
                 for name in names]
        with tf.init_scope():
            return [variable.numpy() for variable in found]


def _call_as_variables(graph_def: Any, graph: Any) -> None:
    """Gives the constants of imported variables the names of these, which what read them have."""
    nodes = {node.name: node for node in graph_def.node}
    handles = {id(v): name.partition(":")[0] for name, v in graph.variable_handles().items()}
    for name, variable in graph.store.variables_by_name.items():
        constant, read = nodes.get(handles.get(id(variable), name)), nodes.get(name)
        if constant is None or constant.name == name or constant.op != "Const":
            continue
        if read is not None and (read.op != "Identity" or list(read.input) != [constant.name]):
            continue
        if read is not None:
            graph_def.node.remove(read)
        _rename(graph_def, constant.name, name)


def convert_variables_to_constants(sess: Any, input_graph_def: Any,
                                   output_node_names: Sequence[str],
                                   variable_names_whitelist: Sequence[str] | None = None,
                                   variable_names_blacklist: Sequence[str] | None = None) -> Any:
    """The part of `input_graph_def` that `output_node_names` follow from, with constants for the
    variables of the graph that is being built.

    Args:
        sess: The session, if its graph is another one.
        input_graph_def: What ``graph.as_graph_def()`` gave.

    Raises:
        ValueError: there is no node with one of the names.
    """
    graph = getattr(sess, "graph", None) or default_graph()
    if sess is not None:
        graph.use(sess)
    made = _frozen(_Values(graph), input_graph_def, output_node_names,
                   variable_names_whitelist, variable_names_blacklist)
    _call_as_variables(made, graph)
    return made


class _Saved:
    """The same, of a checkpoint, which may have them under other names."""

    def __init__(self, path: str, keys: Mapping[str, str]) -> None:
        self._reader, self._keys = NewCheckpointReader(path), keys

    def run(self, names: Sequence[str]) -> list[Any]:
        plain = [name.partition(":")[0].removesuffix("/Read/ReadVariableOp") for name in names]
        return [self._reader.get_tensor(self._keys.get(name, name)) for name in plain]


def freeze_graph(input_graph: str, input_saver: str, input_binary: bool, input_checkpoint: str,
                 output_node_names: str, restore_op_name: str, filename_tensor_name: str,
                 output_graph: str, clear_devices: bool, initializer_nodes: str,
                 variable_names_whitelist: str = "", variable_names_blacklist: str = "",
                 input_meta_graph: str | None = None, input_saved_model_dir: str | None = None,
                 saved_model_tags: str = "serve", checkpoint_version: int = 2) -> Any:
    """TensorFlow's tool for a graph and a checkpoint in files, with TF 1's arguments.

    What restores variables is taken from no file: their values are read from the checkpoint. Where a
    SavedModel is given, or operations have to be run, the work is TensorFlow's own.

    Returns:
        The GraphDef that was written to `output_graph`, if that is named.

    Raises:
        ValueError: there is no such checkpoint, or no node of a name.
    """
    if input_saved_model_dir or initializer_nodes:
        from tensorflow.python.tools.freeze_graph import freeze_graph as freeze_by_session

        return freeze_by_session(
            input_graph, input_saver, input_binary, input_checkpoint, output_node_names,
            restore_op_name, filename_tensor_name, output_graph, clear_devices, initializer_nodes,
            variable_names_whitelist, variable_names_blacklist, input_meta_graph,
            input_saved_model_dir, saved_model_tags, checkpoint_version)
    if input_meta_graph:
        graph_def = _read(MetaGraphDef(), input_meta_graph, input_binary).graph_def
    else:
        graph_def = _read(GraphDef(), input_graph, input_binary)
    return freeze_graph_with_def_protos(
        graph_def, None, input_checkpoint, output_node_names, restore_op_name, filename_tensor_name,
        output_graph, clear_devices, "", variable_names_whitelist, variable_names_blacklist)


def freeze_graph_with_def_protos(
        input_graph_def: Any, input_saver_def: Any, input_checkpoint: str, output_node_names: str,
        restore_op_name: str | None, filename_tensor_name: str | None, output_graph: str,
        clear_devices: bool, initializer_nodes: str | None, variable_names_whitelist: str = "",
        variable_names_blacklist: str = "", input_meta_graph_def: Any = None,
        input_saved_model_dir: str | None = None, saved_model_tags: Any = None,
        checkpoint_version: int = 2) -> Any:
    """The same for a GraphDef, and what a Saver holds (`as_saver_def`), if its names are other ones."""
    if input_saved_model_dir or initializer_nodes and input_saver_def is None:
        from tensorflow.python.tools.freeze_graph import freeze_graph_with_def_protos as by_session

        return by_session(
            input_graph_def, None, input_checkpoint, output_node_names, restore_op_name,
            filename_tensor_name, output_graph, clear_devices, initializer_nodes,
            variable_names_whitelist, variable_names_blacklist, input_meta_graph_def,
            input_saved_model_dir, saved_model_tags, checkpoint_version)
    graph_def = input_graph_def if input_meta_graph_def is None else input_meta_graph_def.graph_def
    if clear_devices:
        for node in graph_def.node:
            node.device = ""
    kept, left = (words.replace(" ", "").split(",") if words else None
                  for words in (variable_names_whitelist, variable_names_blacklist))
    keys = {} if input_saver_def is None else input_saver_def.names
    made = _frozen(_Saved(input_checkpoint, keys), graph_def,
                   output_node_names.replace(" ", "").split(","), kept, left)
    if output_graph:
        with tf.io.gfile.GFile(output_graph, "wb") as file:
            file.write(made.SerializeToString(deterministic=True))
    return made


def _read(message: Any, path: str, binary: bool) -> Any:
    with tf.io.gfile.GFile(path, "rb" if binary else "r") as file:
        if binary:
            message.ParseFromString(file.read())
        else:
            text_format.Parse(file.read(), message)
    return message
