"""The graph that TensorFlow would run: a ConcreteFunction's own, optimised by grappler.

The runtime optimises a function before its first call; the same optimiser can be asked from Python.
It folds, fuses and reorders ops, and the order decides which buffers overlap.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

# Ops without a device are not fused. The runtime has placed them before its optimiser sees them.
DEVICE = "/job:localhost/replica:0/task:0/device:CPU:0"


def _definition(graph: Any) -> Any:
    """The GraphDef with captured variables as VarHandleOps, which tell grappler their shapes."""
    import tensorflow as tf
    from tensorflow.python.ops import handle_data_util

    definition = graph.as_graph_def()
    for nodes in (definition.node, *(f.node_def for f in definition.library.function)):
        for node in nodes:  # loops and branches stay functions, which `flatten` can look into
            if "_lower_using_switch_merge" in node.attr:
                node.attr["_lower_using_switch_merge"].b = False
    for node in definition.node:
        node.device = node.device or DEVICE
        node.attr.pop("_output_shapes", None)
        if node.op != "Placeholder" or node.attr["dtype"].type != tf.resource.as_datatype_enum:
            continue
        data = handle_data_util.get_resource_handle_data(graph.get_tensor_by_name(node.name + ":0"))
        if data is None or not data.is_set or len(data.shape_and_type) != 1:
            continue
        held = data.shape_and_type[0]
        node.op = "VarHandleOp"
        node.attr.clear()
        node.attr["dtype"].type = held.dtype
        node.attr["shape"].shape.CopyFrom(held.shape)
        node.attr["shared_name"].s = node.name.encode()
    return definition


def optimised(graph: Any, fetched: Sequence[Any]) -> tuple[Any, list[Any]] | None:
    """(graph, fetched tensors) after grappler, with all shapes; None where it cannot be done.

    graph: a FuncGraph; its control outputs are kept and set on the result.
    """
    import tensorflow as tf
    from tensorflow.core.protobuf import config_pb2, meta_graph_pb2, rewriter_config_pb2
    from tensorflow.python.grappler import tf_optimizer

    controls = [o.name for o in getattr(graph, "control_outputs", None) or []]
    names = [t.name for t in fetched]
    if not names and not controls:
        return None
    try:
        meta = meta_graph_pb2.MetaGraphDef()
        meta.graph_def.CopyFrom(_definition(graph))
        keep = [o.name for o in graph.get_operations() if o.type == "Placeholder"]
        meta.collection_def["train_op"].node_list.value.extend([*names, *controls, *keep])
        config = config_pb2.ConfigProto()
        options = config.graph_options.rewrite_options
        options.min_graph_nodes = -1
        # its heuristics are for graphs that do not fit the machine they are optimised on
        options.memory_optimization = rewriter_config_pb2.RewriterConfig.NO_MEM_OPT
        definition = tf_optimizer.OptimizeGraph(config, meta, verbose=False)
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
