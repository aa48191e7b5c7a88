"""What a ConfigProto says, as arguments of the support package's `configure_gpus`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import libcst as cst

from migrator.transforms import _flow as flow

CONFIG = "tensorflow.ConfigProto"
OPTIONS = "tensorflow.GPUOptions"
GROWTH = "gpu_options.allow_growth"
FRACTION = "gpu_options.per_process_gpu_memory_fraction"
# fields -> parameters of configure_gpus, in the order in which they are written
FIELDS = {
    "gpu_options.visible_device_list": "visible",
    FRACTION: "fraction",
    "device_count": "device_count",
    "allow_soft_placement": "soft_placement",
    "log_device_placement": "log_placement",
    "inter_op_parallelism_threads": "inter_op_threads",
    "intra_op_parallelism_threads": "intra_op_threads",
}
# Fields that only tuned TF 1's runtime; `gpu.py` of the support package has the same list.
IDLE = frozenset(
    {
        "gpu_options.allocator_type", "gpu_options.polling_active_delay_usecs",
        "gpu_options.polling_inactive_delay_msecs", "gpu_options.force_gpu_compatible",
        "gpu_options.deferred_deletion_bytes", "isolate_session_state", "use_per_session_threads",
        "placement_period", "share_cluster_devices_in_session",
        "graph_options.optimizer_options.opt_level",
        "graph_options.optimizer_options.do_constant_folding",
        "graph_options.optimizer_options.do_function_inlining",
        "graph_options.optimizer_options.do_common_subexpression_elimination",
        "graph_options.infer_shapes", "graph_options.place_pruned_graph",
    }
)  # fmt: skip
# Fields that only `configure_from` carries over.
_DYNAMIC = ("graph_options.optimizer_options.global_jit_level", "graph_options.rewrite_options")
_MESSAGES = ("gpu_options", "graph_options", "graph_options.optimizer_options")

Fields = dict[str, cst.BaseExpression]


def known(path: str) -> bool:
    """Whether a field, or what it holds, has a counterpart in TensorFlow 2 or needs none."""
    return (
        path in FIELDS or path in IDLE or path == GROWTH or path in _MESSAGES
        or any(path == name or path.startswith(name + ".") for name in _DYNAMIC)
    )  # fmt: skip


def of_call(call: cst.Call, options: Mapping[str, cst.Call]) -> Fields | None:
    """The fields that a ConfigProto is made with; None where they cannot all be read.

    options: the GPUOptions that names of the scope hold.
    """
    fields: Fields = {}
    for arg in call.args:
        if arg.keyword is None:
            return None
        if arg.keyword.value != "gpu_options":
            fields[arg.keyword.value] = arg.value
            continue
        made = arg.value if isinstance(arg.value, cst.Call) else options.get(
            flow.key_of(arg.value) or ""
        )
        if made is None or any(option.keyword is None for option in made.args):
            return None
        for option in made.args:
            assert option.keyword is not None
            fields[f"gpu_options.{option.keyword.value}"] = option.value
    return fields


def arguments(fields: Fields, gpu_memory: str) -> Fields | None:
    """`configure_gpus`'s arguments by name; None where only `configure_from` carries a field over.

    gpu_memory: "keep", or "growth" or "limit", which outweigh what the fields say about growth.
    """
    if any(path not in FIELDS and path not in IDLE and path != GROWTH for path in fields):
        return None
    found: Fields = {}
    memory = _memory(fields, gpu_memory)
    if memory is not None:
        found["memory"] = memory
    for path, name in FIELDS.items():
        if path in fields and not (path == FRACTION and gpu_memory == "growth"):
            found[name] = fields[path]
    if "device_count" in found and _hides_gpus(found["device_count"]):
        found.pop("device_count")
        found = {**found, "visible": cst.List([])}
    return found


def _memory(fields: Fields, gpu_memory: str) -> cst.BaseExpression | None:
    """"growth", a choice between it and nothing, or nothing."""
    grows: cst.BaseExpression = cst.SimpleString("'growth'")
    said = fields.get(GROWTH)
    if gpu_memory == "growth":
        return grows
    if FRACTION in fields and (said is None or gpu_memory == "limit"):
        return None
    if said is None or gpu_memory == "limit" or flow.code_of(said) == "True":
        return grows
    if flow.code_of(said) == "False":
        return None
    return cst.IfExp(said, grows, cst.Name("None"))


def _hides_gpus(value: cst.BaseExpression) -> bool:
    text = "".join(flow.code_of(value).split()).replace('"', "'")
    return text in ("{'GPU':0}", "{'GPU':0,}", "dict(GPU=0)")


def assigned_paths(statement: cst.CSTNode, key: str) -> Iterator[tuple[str, cst.BaseExpression]]:
    """(field path, value) of `key.path = value`."""
    pair = flow.assigned(statement)
    if pair and isinstance(pair[0], cst.Attribute):
        path = flow.code_of(pair[0])
        if path.startswith(key + "."):
            yield path[len(key) + 1 :], pair[1]
