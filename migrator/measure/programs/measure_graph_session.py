"""Measures a TF1 graph in a Session: `measure_graph_session.py CONFIG.json`.

Runs under real TF 1.15 (Python 3.7) or, unchanged, on TF 2.21 through the compat runtime.
"""

from __future__ import annotations

import os
from typing import Any

import measure_probe as probe  # type: ignore[import-not-found]  # beside this script
import numpy as np
from measure_probe import measure_graphs


def _variable(tf: Any, value: Any, name: str) -> tuple[Any, Any]:
    """A resource variable outside the model's collections holding one input array."""
    feed = tf.placeholder(tf.as_dtype(value.dtype), value.shape)
    # a copy: the array's own buffer would live outside the allocator that is being measured
    start = tf.raw_ops.DeepCopy(x=feed)
    made = tf.Variable(start, trainable=False, collections=[], use_resource=True, name=name)
    return made, feed


def _experimental(tf: Any) -> Any:
    """tf.config.experimental where this TensorFlow has memory statistics, else None."""
    if tf.__version__.startswith("1."):
        return None
    return tf.compat.v2.config.experimental


def _device(tf: Any) -> str:
    if tf.__version__.startswith("1."):
        return "CPU:0"
    return "GPU:0" if tf.compat.v2.config.list_physical_devices("GPU") else "CPU:0"


def _session_config(tf: Any, config: dict[str, Any]) -> Any:
    """One thread between ops; memory growth unless the allocator option says otherwise."""
    made = tf.ConfigProto(
        inter_op_parallelism_threads=1, intra_op_parallelism_threads=config["threads"]
    )
    option = config["allocator"]
    made.gpu_options.allow_growth = not option.startswith("limit:")
    if option.startswith("limit:") and not tf.__version__.startswith("1."):
        limit = int(option.partition(":")[2]) // 2**20
        for gpu in tf.compat.v2.config.list_physical_devices("GPU"):
            logical = tf.compat.v2.config.LogicalDeviceConfiguration(memory_limit=limit)
            tf.compat.v2.config.set_logical_device_configuration(gpu, [logical])
    return made


# -- what is run: {input name: array} and a function from {input name: tensor} to outputs


def _function(tf: Any, config: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    workload = config["workload"]
    arrays = probe.make_inputs(workload["inputs"], config["batch"], config["root"], resize=True)
    called = measure_graphs.function(config)
    return arrays, lambda inputs: called(**inputs)


def _built(tf: Any, config: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """A builder's Keras model or callable, called on the inputs in the graph."""
    workload = config["workload"]
    if not workload["inputs"]:
        raise probe.Unusable("give the model's inputs (--input) to measure it before the migration")
    arrays = probe.make_inputs(workload["inputs"], config["batch"], config["root"], resize=True)
    model = probe.target(workload["call"])(**workload["kwargs"])

    def forward(inputs: dict[str, Any]) -> Any:
        values = list(inputs.values())
        return model(values[0] if len(values) == 1 else values)

    return arrays, forward


def _frozen_graph(tf: Any, config: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    workload = config["workload"]
    path = os.path.join(config["root"], workload["path"])
    if not os.path.isfile(path):
        raise probe.Unusable("there is no frozen graph {} in the repository".format(workload["path"]))
    graph_def = tf.GraphDef()
    with open(path, "rb") as fh:
        graph_def.ParseFromString(fh.read())
    return _imported(tf, config, graph_def, list(workload["fetches"]))


def _saved_model(tf: Any, config: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """A SavedModel's graph with its variables as constants: what a frozen graph of it would be."""
    workload = config["workload"]
    path = os.path.join(config["root"], workload["path"])
    if not os.path.isdir(path):
        raise probe.Unusable("there is no SavedModel {} in the repository".format(workload["path"]))
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as sess:
        meta = tf.saved_model.loader.load(sess, [tf.saved_model.tag_constants.SERVING], path)
        fetches = list(workload["fetches"])
        if not fetches:
            keys = sorted(meta.signature_def)
            if not keys:
                raise probe.Unusable("the SavedModel has no signature: name inputs and fetches")
            key = "serving_default" if "serving_default" in keys else keys[0]
            signature = meta.signature_def[key]
            fetches = sorted(v.name for v in signature.outputs.values())
        names = sorted({n.split(":")[0] for n in fetches})
        frozen = tf.graph_util.convert_variables_to_constants(sess, graph.as_graph_def(), names)
    return _imported(tf, config, frozen, fetches)


def _imported(
    tf: Any, config: dict[str, Any], graph_def: Any, fetches: list[str]
) -> tuple[dict[str, Any], Any]:
    """A GraphDef whose placeholders are the inputs; without fetches, what nothing else reads."""
    placeholders = [n for n in graph_def.node if n.op in ("Placeholder", "PlaceholderV2")]
    read = {i.lstrip("^").split(":")[0] for n in graph_def.node for i in n.input}
    fetches = fetches or [
        n.name + ":0" for n in graph_def.node
        if n.name not in read and n.op not in ("Const", "NoOp", "Placeholder")
    ]  # fmt: skip
    specs = list(config["workload"]["inputs"])
    if not specs:
        for node in placeholders:
            sizes = [d.size for d in node.attr["shape"].shape.dim]
            shape = ["batch" if i == 0 and d in (-1, 1) else d for i, d in enumerate(sizes)]
            if -1 in shape or not shape:
                raise probe.Unusable(f"input {node.name!r}: say its shape (--input)")
            kind = tf.as_dtype(node.attr["dtype"].type).name
            high = 255.0 if kind == "uint8" else 1.0
            specs.append({"name": node.name + ":0", "shape": shape, "dtype": kind, "high": high})
    elif all(s["name"].startswith("input") for s in specs) and len(specs) == len(placeholders):
        known = {n.name for n in placeholders}
        specs = [
            s if s["name"].split(":")[0] in known else dict(s, name=n.name + ":0")
            for s, n in zip(specs, placeholders)  # noqa: B905
        ]
    arrays = probe.make_inputs(specs, config["batch"], config["root"], resize=True)

    def forward(inputs: dict[str, Any]) -> Any:
        mapped = {k if ":" in k else k + ":0": v for k, v in inputs.items()}
        try:
            return tf.import_graph_def(
                graph_def, input_map=mapped, return_elements=fetches, name="model"
            )
        except ValueError as error:
            raise probe.Unusable(f"the graph cannot be imported: {error}") from error

    return arrays, forward


def _graph(tf: Any, config: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """An object whose own placeholders read the inputs, so that these lie where all else does."""
    workload = config["workload"]
    owners = [tf, tf.compat.v1] if hasattr(tf.compat, "v1") else [tf]
    placeholder = tf.placeholder
    if not workload["inputs"]:
        seen: list[Any] = []

        def noted(*args: Any, **kwargs: Any) -> Any:
            seen.append(placeholder(*args, **kwargs))
            return seen[-1]

        with tf.Graph().as_default(), measure_graphs.replaced(owners, "placeholder", noted):
            workload["inputs"] = measure_graphs.described(
                measure_graphs.made(config), seen, probe.GUESS
            )
    arrays = probe.make_inputs(workload["inputs"], config["batch"], config["root"], resize=True)

    def forward(inputs: dict[str, Any]) -> Any:
        waiting = list(inputs.values())

        def given(dtype: Any, shape: Any = None, name: Any = None) -> Any:
            if not waiting:
                raise probe.Unusable("it has more placeholders than inputs are described")
            value = tf.cast(waiting.pop(0), dtype)
            return tf.placeholder_with_default(value, shape, name)

        with measure_graphs.replaced(owners, "placeholder", given):
            thing = measure_graphs.made(config)
        if waiting:
            raise probe.Unusable("more inputs are described than it has placeholders")
        return measure_graphs.fetched(thing, workload["fetches"])

    return arrays, forward


_KINDS = {
    "function": _function, "graph": _graph, "model": _built, "frozen_graph": _frozen_graph,
    "saved_model": _saved_model,
}  # fmt: skip


def _loss(tf: Any, config: dict[str, Any], outputs: Any) -> Any:
    name = config["workload"].get("loss") or ""
    if ":" in name:
        return probe.target(name)(outputs)
    if config["workload"]["kind"] == "function":
        return probe.scalar_loss(outputs, name)
    flat = outputs if isinstance(outputs, (list, tuple)) else [outputs]
    return tf.add_n([tf.reduce_mean(tf.square(tf.cast(t, tf.float32))) for t in flat])


def main(config: dict[str, Any]) -> dict[str, Any]:
    """Measures one cell; the sample as the parent reads it."""
    workload = config["workload"]
    phases = probe.Phases()
    import tensorflow as tf

    is_tf1 = tf.__version__.startswith("1.")
    phases.end("import")
    if workload["kind"] not in _KINDS:
        raise probe.Unusable("a {} has no form before the migration".format(workload["kind"]))
    session_config = _session_config(tf, config)
    if config.get("arena_bytes") and _device(tf) == "CPU:0":
        with tf.Graph().as_default():
            arena = tf.raw_ops.Empty(
                shape=[16, config["arena_bytes"] // 64], dtype=tf.float32, init=False
            )
            with tf.Session(config=session_config) as sess:
                sess.run(arena.op)
    phases.allocator = probe.Allocator(_experimental(tf), _device(tf))
    phases.allocator.reset()
    phases.end("device")

    if is_tf1:
        tf.enable_resource_variables()
    tf.set_random_seed(1)
    arrays, forward = _KINDS[workload["kind"]](tf, config)
    held = {
        k: _variable(tf, v, f"workload_inputs/{i}")
        for i, (k, v) in enumerate(arrays.items())
    }
    read = {k: v.read_value() for k, (v, _) in held.items()}
    outputs = forward(read)
    model_variables = tf.global_variables()
    constants = _constants(tf) if workload["kind"] in ("frozen_graph", "saved_model") else {}
    fetch = outputs
    trains = config["mode"] == "training" and workload["kind"] != "graph"  # which updates by itself
    if trains:
        loss = _loss(tf, config, outputs)
        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            update = tf.train.MomentumOptimizer(1e-3, 0.9).minimize(loss)
        fetch = [update, loss]
    if isinstance(fetch, dict):
        fetch = dict(fetch)
    slot_variables = [v for v in tf.global_variables() if v not in model_variables]
    if workload["kind"] == "graph":
        trained = {v.op.name for v in tf.trainable_variables()}
        slot_variables = [v for v in model_variables if measure_graphs.is_slot(v.op.name, trained)]
        model_variables = [v for v in model_variables if v not in slot_variables]

    visited: set[Any] = set()
    sess = tf.Session(config=session_config)
    for key, (made, feed) in held.items():
        sess.run(made.initializer, {feed: arrays[key]})
    sess.run(one_by_one(model_variables, visited))
    sess.run([tf.local_variables_initializer(), tf.tables_initializer()])
    if workload.get("checkpoint"):
        path = probe.existing_checkpoint(config["root"], workload["checkpoint"])
        names = {n for n, _ in tf.train.list_variables(path)}
        tf.train.Saver([v for v in model_variables if v.op.name in names]).restore(sess, path)
    phases.end("initialisation")
    if slot_variables:
        sess.run(one_by_one(slot_variables, visited))
        phases.end("slots")

    on_gpu = _device(tf).startswith("GPU")
    # On a GPU a fetch is a copy over the bus: the work alone ends with all results on the device.
    work = measure_graphs.computed(tf, fetch) if on_gpu else fetch

    def step() -> Any:
        return sess.run(work)

    phases.allocator.reset()
    step()
    phases.end("first step")
    timed = probe.timed_steps(
        step, phases.allocator, config["warmups"], config["steps"],
        (lambda _: sess.run(fetch)) if on_gpu else None, whole=True,
    )  # fmt: skip
    phases.end("steady")
    resident = {
        "weights": dict(_sizes(model_variables), **constants),
        "optimizer slots": _sizes(slot_variables),
        "inputs": _sizes([v for v, _ in held.values()]),
    }
    result = {
        "phases": phases.records,
        **timed,
        "weights": sum(resident["weights"].values()),
        "slots": sum(resident["optimizer slots"].values()),
        "inputs": sum(resident["inputs"].values()),
        "traces": None,
        "extra": {
            "tensorflow": tf.__version__,
            "device": _device(tf),
            "parameters": sum(int(np.prod(v.shape.as_list())) for v in model_variables),
            "input_shapes": {k: list(v.shape) for k, v in arrays.items()},
            "inputs": list(workload["inputs"]),
            "limits": measure_graphs.limits(tf, read),
        },
    }
    if config["trace"] and is_tf1:
        result["extra"]["full_trace_peak"] = full_trace_peak(tf, sess, fetch)
    elif config["trace"]:
        from migrator.measure.programs import measure_trace, source_lines

        result["attribution"] = measure_trace.trace(
            step, phases.allocator, resident, config.get("trace_dir") or "",
            source=source_lines.SourceLines(sess.graph, config["root"]),
        )  # fmt: skip
    return result


def one_by_one(variables: list[Any], visited: set[Any]) -> list[Any]:
    """The variables' initializers in order of name, each waiting for the one before: where they lie
    in memory then repeats. One run for all, because each run prunes the whole graph.

    visited: names of ops that wait already, so that no op waits for what it feeds itself.
    """
    chain: list[Any] = []
    for variable in sorted(variables, key=lambda v: v.name):
        waiting = [variable.initializer]
        while waiting:
            op = waiting.pop()
            if op.name in visited:
                continue
            visited.add(op.name)
            if chain:
                op._add_control_input(chain[-1])
            waiting += [t.op for t in op.inputs] + list(op.control_inputs[: -1 if chain else None])
        chain.append(variable.initializer)
    return chain


def full_trace_peak(tf: Any, sess: Any, fetch: Any) -> int:
    """Peak of `allocator_bytes_in_use` over the ops of one fully traced step, in bytes (TF 1.15)."""
    metadata = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    sess.run(fetch, options=options, run_metadata=metadata)
    return max(
        [
            m.allocator_bytes_in_use
            for d in metadata.step_stats.dev_stats
            for n in d.node_stats
            for m in n.memory
        ]
        or [0]
    )


def _sizes(variables: list[Any]) -> dict[str, int]:
    """{name: bytes}."""
    return {
        v.op.name: int(np.prod(v.shape.as_list())) * int(v.dtype.base_dtype.size)
        for v in variables
    }


def _constants(tf: Any) -> dict[str, int]:
    """{name: bytes} of the graph's constants that are more than one value: a frozen graph's weights."""
    found = {}
    for op in tf.get_default_graph().get_operations():
        if op.type == "Const":
            out = op.outputs[0]
            count = out.shape.num_elements()
            if count is not None and count > 1 and out.dtype.size:
                found[op.name] = int(count) * int(out.dtype.size)
    return found


if __name__ == "__main__":
    probe.run_main(main)
