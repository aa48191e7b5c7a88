"""The graph that TensorFlow would run: a ConcreteFunction's own, optimised by grappler.

The runtime optimises a function before its first call; the same optimiser can be asked from Python.
It folds, fuses and reorders ops, and the order decides which buffers overlap. Given the function's
body in the form in which the runtime has it (arguments first, as _Arg, results as _Retval), it leaves
the very order of nodes that the runtime gets.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from migrator.measure.predict import bodies, lowering

# Ops without a device are not fused. The runtime has placed them before its optimiser sees them.
DEVICE = "/job:localhost/replica:0/task:0/device:{}:0"
# Of a card that is not here: from 7.0 on, half-precision convolutions keep their channels last
# (GetSrcAndDstDataFormats of generic_layout_optimizer.cc). The other figures decide nothing.
ARCHITECTURE = "9.0"


@functools.cache
def _card() -> Any:
    """A cluster with a GPU, for the optimiser only: its layout pass asks whether there is one."""
    from tensorflow.core.protobuf import device_properties_pb2
    from tensorflow.python.grappler import cluster

    devices = []
    for kind in ("CPU", "GPU"):
        device = device_properties_pb2.NamedDevice(name=DEVICE.format(kind))
        device.properties.type = kind
        device.properties.frequency, device.properties.num_cores = 1000, 100
        device.properties.memory_size = device.properties.bandwidth = 1 << 36
        if kind == "GPU":
            device.properties.environment["architecture"] = ARCHITECTURE
        devices.append(device)
    return cluster.Cluster(devices=devices, allow_soft_placement=True)


def _definition(
    graph: Any, fetched: Sequence[Any], arguments: Sequence[Any], device: str
) -> tuple[Any, Any]:
    """(the function's body as the runtime has it, {argument's name: node that stands for it after}).

    Arguments are _Arg nodes, which tell the shapes of what variables hold; results are _Retval nodes,
    whose names `_result` gives.
    """
    import tensorflow as tf
    from tensorflow.python.ops import handle_data_util

    definition = graph.as_graph_def()
    for nodes in (definition.node, *(f.node_def for f in definition.library.function)):
        for node in nodes:  # branches stay functions, of which `flatten` takes one
            if "_lower_using_switch_merge" in node.attr:
                node.attr["_lower_using_switch_merge"].b = False
    number = {t.op.name: i for i, t in enumerate(arguments)}
    nodes = sorted(definition.node, key=lambda n: number.get(n.name, len(number)))
    made = type(definition)(library=definition.library, versions=definition.versions, node=nodes)
    stand_ins = {}
    for node in made.node:
        if node.name not in number:
            continue
        tensor = arguments[number[node.name]]
        stand_in = stand_ins[node.name] = type(node)()
        stand_in.CopyFrom(node)
        node.op = "_Arg"
        node.attr.clear()
        node.attr["T"].type = tensor.dtype.as_datatype_enum
        node.attr["index"].i = number[node.name]
        node.attr["_output_shapes"].list.shape.add().CopyFrom(tensor.shape.as_proto())
        data = handle_data_util.get_resource_handle_data(tensor)
        if tensor.dtype != tf.resource or data is None or not data.is_set:
            continue
        if len(data.shape_and_type) != 1:
            continue
        held = data.shape_and_type[0]
        node.attr["_handle_dtypes"].list.type.append(held.dtype)
        node.attr["_handle_shapes"].list.shape.add().CopyFrom(held.shape)
        stand_in.op = "VarHandleOp"
        stand_in.attr.clear()
        stand_in.attr["dtype"].type = held.dtype
        stand_in.attr["shape"].shape.CopyFrom(held.shape)
        stand_in.attr["shared_name"].s = node.name.encode()
    for i, tensor in enumerate(fetched):
        result = made.node.add(name=_result(i), op="_Retval", input=[tensor.name], device=device)
        result.attr["T"].type = tensor.dtype.as_datatype_enum
        result.attr["index"].i = i
    lowering.lower(made, bodies.library(graph))
    for node in made.node:
        node.device = node.device or device
        node.attr.pop("_output_shapes", None)
    return made, stand_ins


def _result(number: int) -> str:
    return f"migrator_result_{number}"


def _shown(definition: Any, stand_ins: Any, count: int) -> list[str]:
    """Puts arguments back into an optimised definition; the names of the fetched tensors."""
    names = [""] * count
    kept = []
    for node in definition.node:
        if node.op == "_Retval":
            names[node.attr["index"].i] = node.input[0] + ("" if ":" in node.input[0] else ":0")
            continue
        if node.op == "_Arg":
            node.CopyFrom(stand_ins.pop(node.name))
        kept.append(node)
    kept += stand_ins.values()  # of arguments that nothing reads
    made = type(definition)(node=kept)
    del definition.node[:]
    definition.node.extend(made.node)
    return names


def optimised(
    graph: Any, fetched: Sequence[Any], arguments: Sequence[Any], on_gpu: bool = False
) -> tuple[Any, list[Any]] | None:
    """(graph, fetched tensors) after grappler, with all shapes; None where it cannot be done.

    graph: a FuncGraph; its control outputs are kept and set on the result. arguments: what it is
    called with, captured variables among them, in their order; variables become VarHandleOps. on_gpu:
    optimised for a card, which need not be here.
    """
    import tensorflow as tf
    from tensorflow.core.protobuf import config_pb2, meta_graph_pb2, rewriter_config_pb2
    from tensorflow.python.grappler import tf_optimizer

    controls = [o.name for o in getattr(graph, "control_outputs", None) or []]
    if not fetched and not controls:
        return None
    try:
        device = DEVICE.format("GPU" if on_gpu else "CPU")
        given, stand_ins = _definition(graph, fetched, arguments, device)
        meta = meta_graph_pb2.MetaGraphDef(graph_def=given)
        keep = [*map(_result, range(len(fetched))), *controls]
        meta.collection_def["train_op"].node_list.value.extend(keep)
        config = config_pb2.ConfigProto()
        options = config.graph_options.rewrite_options
        options.min_graph_nodes = -1
        # its heuristics are for graphs that do not fit the machine they are optimised on
        options.memory_optimization = rewriter_config_pb2.RewriterConfig.NO_MEM_OPT
        definition = tf_optimizer.OptimizeGraph(
            config, meta, verbose=False, cluster=_card() if on_gpu else None
        )
        names = _shown(definition, stand_ins, len(fetched))
        made = tf.Graph()
        with made.as_default():
            tf.import_graph_def(definition, name="")
        # grappler changed functions but not their names: asking the graph for them would register
        # a second definition of the same name with the runtime
        made.migrator_library = {f.signature.name: f for f in definition.library.function}
        made.control_outputs = [made.get_operation_by_name(n) for n in controls]
        return made, [made.get_tensor_by_name(n) for n in names]
    except (ValueError, KeyError, TypeError, tf.errors.OpError):
        return None


def body(
    inside: Any, arguments: list[Any], results: list[Any], on_gpu: bool = False
) -> tuple[Any, list[Any], list[Any]]:
    """The body after grappler, which in the runtime sees it among the other ops."""
    better = optimised(inside, results, arguments, on_gpu)
    if better is None:
        return inside, arguments, results
    made, found = better
    made.migrator_library = bodies.library(inside) | bodies.library(made)
    return made, [made.get_tensor_by_name(a.name) for a in arguments], found
