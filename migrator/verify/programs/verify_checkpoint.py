"""Reads a checkpoint of either kind into arrays by TF1 variable name: `verify_checkpoint.py CONFIG`.

A TF1 checkpoint is keyed by variable name. One of tf.train.Checkpoint is keyed by the path through
the object graph that it also stores, which says the full name of each tf.Variable.
"""

from __future__ import annotations

import re
from typing import Any

import verify_common as common  # type: ignore[import-not-found]  # beside this script

OBJECT_GRAPH = "_CHECKPOINTABLE_OBJECT_GRAPH"
_VALUE = "/.ATTRIBUTES/VARIABLE_VALUE"
_BOOKKEEPING = re.compile(r"(^|/)(save_counter|_CHECKPOINTABLE_OBJECT_GRAPH)(/|$)")


def unescaped(name: str) -> str:
    """An attribute's name as it was before TensorFlow escaped it for an object path."""
    return re.sub(r"\.(S|\.)", lambda m: "/" if m.group(1) == "S" else ".", name)


def object_names(graph: Any, keys: set[str]) -> dict[str, str]:
    """{checkpoint key: name} of the variables in a TrackableObjectGraph.

    The name is the variable's own full name where one is stored, else the last part of its path:
    a VariableStore keeps each variable as an attribute of its TF1 name.
    """
    names: dict[str, str] = {}
    for node in graph.nodes:
        for attribute in node.attributes:
            if attribute.checkpoint_key in keys:
                path = attribute.checkpoint_key.replace(_VALUE, "")
                last = unescaped(path.rpartition("/")[2])
                stored = attribute.full_name.partition(":")[0]
                names[attribute.checkpoint_key] = last if "/" in last or not stored else stored
    return names


def read(tf: Any, path: str) -> dict[str, Any]:
    reader = tf.train.load_checkpoint(path)
    keys = set(reader.get_variable_to_shape_map())
    if OBJECT_GRAPH not in keys:
        return {k: reader.get_tensor(k) for k in keys}
    from tensorflow.core.protobuf import trackable_object_graph_pb2

    graph = trackable_object_graph_pb2.TrackableObjectGraph()
    graph.ParseFromString(reader.get_tensor(OBJECT_GRAPH))
    names = object_names(graph, keys)
    values: dict[str, Any] = {}
    for key in sorted(keys):
        if _BOOKKEEPING.search(key.replace(_VALUE, "")):
            continue
        name = names.get(key, key.replace(_VALUE, ""))
        values[key if name in values else name] = reader.get_tensor(key)
    return values


def run(config: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    tf = common.start_side(config["side"], config["compat_runtime"])
    return read(tf, config["path"]), {}


if __name__ == "__main__":
    common.main(run)
