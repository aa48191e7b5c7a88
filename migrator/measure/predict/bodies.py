"""The functions that a graph calls, as graphs of their own: rebuilt for their arguments."""

from __future__ import annotations

from typing import Any


def library(graph: Any) -> dict[str, Any]:
    """The function definitions that a graph can call, by name; kept on the graph."""
    found: dict[str, Any] | None = getattr(graph, "migrator_library", None)
    if found is None:
        definitions = graph.as_graph_def().library.function
        found = graph.migrator_library = {f.signature.name: f for f in definitions}
    return found


def nodes(definition: Any) -> tuple[Any, dict[str, str]]:
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
        graph_def, flat = nodes(definition)
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
