"""The Graph Transform Tool's rewrites of a GraphDef that need nothing but the graph itself."""
from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import tensorflow as tf
from tensorflow.core.framework import graph_pb2, node_def_pb2

Arguments = dict[str, list[str]]
Transform = Callable[[graph_pb2.GraphDef, list[str], list[str], Arguments], graph_pb2.GraphDef]


def TransformGraph(
    input_graph_def: graph_pb2.GraphDef,
    inputs: Sequence[str],
    outputs: Sequence[str],
    transforms: Sequence[str],
) -> graph_pb2.GraphDef:
    """A copy of the graph after `transforms`, one after the other.

    Args:
        input_graph_def: A frozen graph; it is not changed.
        inputs: Names of the nodes that are fed.
        outputs: Names of the nodes that are fetched.
        transforms: "name" or "name(argument=value, ...)": strip_unused_nodes, remove_nodes,
            remove_attribute, sort_by_execution_order.

    Raises:
        ValueError: A transform is not among these; constant folding and the like are done by
            Grappler when the graph runs, quantisation by `tf.lite.TFLiteConverter`.
    """
    graph_def = graph_pb2.GraphDef()
    graph_def.CopyFrom(input_graph_def)
    for text in transforms:
        name, _, rest = text.partition("(")
        arguments: Arguments = {}
        for key, value in re.findall(r'(\w+)\s*=\s*("[^"]*"|[^,)]+)', rest):
            arguments.setdefault(key, []).append(value.strip().strip('"'))
        if name.strip() not in _TRANSFORMS:
            raise ValueError(
                f"the transform {name.strip()!r} is not there in TensorFlow 2; there are "
                + ", ".join(sorted(_TRANSFORMS)))
        graph_def = _TRANSFORMS[name.strip()](
            graph_def, [_node(name) for name in inputs], [_node(name) for name in outputs],
            arguments)
    return graph_def


def _node(name: str) -> str:
    """The node of a tensor or control input: "^a/b" and "a/b:1" are of "a/b"."""
    return name.lstrip("^").split(":")[0]


def _with_nodes(
    graph_def: graph_pb2.GraphDef, nodes: Sequence[node_def_pb2.NodeDef]
) -> graph_pb2.GraphDef:
    return graph_pb2.GraphDef(
        node=nodes, library=graph_def.library, versions=graph_def.versions)


def _strip_unused_nodes(
    graph_def: graph_pb2.GraphDef, inputs: list[str], outputs: list[str], arguments: Arguments
) -> graph_pb2.GraphDef:
    """Keeps what `outputs` need beyond `inputs`, which become placeholders."""
    nodes = {node.name: node for node in graph_def.node}
    used: set[str] = set()
    waiting = list(outputs)
    while waiting:
        name = waiting.pop()
        if name in used or name not in nodes:
            continue
        used.add(name)
        if name not in inputs:
            waiting += [_node(other) for other in nodes[name].input]
    types = dict(zip(arguments.get("name", ()), arguments.get("type_for_name", ()), strict=False))
    shapes = dict(zip(arguments.get("name", ()), arguments.get("shape_for_name", ()), strict=False))
    default_type = arguments.get("type", ["float"])[0]
    default_shape = arguments.get("shape", [""])[0]
    kept = []
    for node in graph_def.node:
        if node.name not in used:
            continue
        if node.name in inputs and node.op != "Placeholder":
            placeholder = node_def_pb2.NodeDef(name=node.name, op="Placeholder")
            kind = tf.as_dtype(types.get(node.name, default_type))
            placeholder.attr["dtype"].type = kind.as_datatype_enum
            sizes = shapes.get(node.name, default_shape).split(",")
            shape = tf.TensorShape([int(size) for size in sizes if size.strip()])
            placeholder.attr["shape"].shape.CopyFrom(shape.as_proto())
            node = placeholder
        kept.append(node)
    return _with_nodes(graph_def, kept)


def _remove_nodes(
    graph_def: graph_pb2.GraphDef, inputs: list[str], outputs: list[str], arguments: Arguments
) -> graph_pb2.GraphDef:
    """Takes nodes of the types `op` out; their readers read the node's first input instead."""
    wanted = set(arguments.get("op", ()))
    if not wanted:
        raise ValueError("remove_nodes expects at least one op type: remove_nodes(op=Identity)")
    fixed = {*inputs, *outputs}
    nodes = {node.name: node for node in graph_def.node}
    gone = {
        node.name: node.input[0]
        for node in graph_def.node
        if node.op in wanted and node.name not in fixed and node.input
        and not any(i.startswith("^") for i in node.input)
    }

    def source(name: str) -> str:
        while _node(name) in gone and not name.startswith("^"):
            name = gone[_node(name)]
        while name.startswith("^") and _node(name) in gone:
            name = "^" + _node(gone[_node(name)])
        return name

    kept = []
    for name, node in nodes.items():
        if name in gone:
            continue
        copy = node_def_pb2.NodeDef()
        copy.CopyFrom(node)
        del copy.input[:]
        copy.input.extend(source(other) for other in node.input)
        kept.append(copy)
    return _with_nodes(graph_def, kept)


def _remove_attribute(
    graph_def: graph_pb2.GraphDef, inputs: list[str], outputs: list[str], arguments: Arguments
) -> graph_pb2.GraphDef:
    """Takes `attribute_name` off the nodes of the type `op_name` ("*": of all)."""
    del inputs, outputs
    names = arguments.get("attribute_name", [])
    if len(names) != 1:
        raise ValueError("remove_attribute expects exactly one attribute_name")
    kind = arguments.get("op_name", ["*"])[0]
    for node in graph_def.node:
        if kind in ("*", node.op) and names[0] in node.attr:
            del node.attr[names[0]]
    return graph_def


def _sort_by_execution_order(
    graph_def: graph_pb2.GraphDef, inputs: list[str], outputs: list[str], arguments: Arguments
) -> graph_pb2.GraphDef:
    """Puts every node behind its inputs."""
    del inputs, outputs, arguments
    nodes = {node.name: node for node in graph_def.node}
    placed: dict[str, node_def_pb2.NodeDef] = {}
    for start in nodes:
        stack = [(start, False)]
        while stack:
            name, ready = stack.pop()
            if name in placed or name not in nodes:
                continue
            if ready or all(_node(other) in placed for other in nodes[name].input):
                placed[name] = nodes[name]
            else:
                stack.append((name, True))
                stack += [(_node(other), False) for other in nodes[name].input]
    return _with_nodes(graph_def, list(placed.values()))


_TRANSFORMS: dict[str, Transform] = {
    "strip_unused_nodes": _strip_unused_nodes,
    "remove_nodes": _remove_nodes,
    "remove_attribute": _remove_attribute,
    "sort_by_execution_order": _sort_by_execution_order,
}
