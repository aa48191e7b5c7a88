"""Measures a TF1 graph function in a Session: `measure_graph_session.py CONFIG.json`.

Runs under real TF 1.15 (Python 3.7) or, unchanged, on TF 2.21 through the compat runtime.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import measure_probe as probe  # type: ignore[import-not-found]  # beside this script
import numpy as np


def _variable(tf: Any, value: Any, name: str) -> tuple[Any, Any]:
    """A resource variable outside the model's collections holding one input array."""
    feed = tf.placeholder(tf.as_dtype(value.dtype), value.shape)
    made = tf.Variable(feed, trainable=False, collections=[], use_resource=True, name=name)
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


def main() -> None:
    config = probe.read_config(sys.argv[1])
    workload = config["workload"]
    phases = probe.Phases()
    import tensorflow as tf

    is_tf1 = tf.__version__.startswith("1.")
    phases.end("import")
    session_config = tf.ConfigProto(
        inter_op_parallelism_threads=1, intra_op_parallelism_threads=config["threads"]
    )
    session_config.gpu_options.allow_growth = True
    if config.get("arena_bytes"):
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
    arrays = probe.make_inputs(workload["inputs"], config["batch"], config["root"])
    held = {k: _variable(tf, v, "workload_inputs/" + k) for k, v in arrays.items()}
    inputs = {k: v.read_value() for k, (v, _) in held.items()}
    outputs = probe.target(workload["call"])(**dict(inputs, **workload["kwargs"]))
    model_variables = tf.global_variables()
    fetch = outputs
    if config["mode"] == "training":
        loss = probe.scalar_loss(outputs, workload.get("loss"))
        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            update = tf.train.MomentumOptimizer(1e-3, 0.9).minimize(loss)
        fetch = [update, loss]
    if isinstance(fetch, dict):
        fetch = dict(fetch)
    slot_variables = [v for v in tf.global_variables() if v not in model_variables]

    sess = tf.Session(config=session_config)
    for made, feed in held.values():
        key = made.op.name.split("/")[-1]
        sess.run(made.initializer, {feed: arrays[key]})
    inputs_bytes = sum(a.nbytes for a in arrays.values())
    for variable in sorted(tf.global_variables(), key=lambda v: v.name):
        sess.run(variable.initializer)
    sess.run([tf.local_variables_initializer(), tf.tables_initializer()])
    if workload.get("checkpoint"):
        path = os.path.join(config["root"], workload["checkpoint"])
        names = {n for n, _ in tf.train.list_variables(path)}
        tf.train.Saver([v for v in model_variables if v.op.name in names]).restore(sess, path)
    phases.end("initialisation")

    def step() -> Any:
        return sess.run(fetch)

    phases.allocator.reset()
    step()
    phases.end("first step")
    peaks, in_use, wall, cpu = probe.timed_steps(
        step, phases.allocator, config["warmups"], config["steps"]
    )
    phases.end("steady")
    result = {
        "phases": phases.records,
        "weights": _bytes(model_variables),
        "slots": _bytes(slot_variables),
        "inputs": inputs_bytes,
        "steady_peaks": peaks,
        "steady_in_use": in_use,
        "wall": wall,
        "cpu": cpu,
        "traces": None,
        "extra": {
            "tensorflow": tf.__version__,
            "parameters": sum(int(np.prod(v.shape.as_list())) for v in model_variables),
        },
    }
    if config["trace"] and is_tf1:
        result["extra"]["full_trace_peak"] = full_trace_peak(tf, sess, fetch)
    elif config["trace"]:
        from migrator.measure.programs import measure_trace

        result["attribution"] = measure_trace.trace(
            step, phases.allocator, resident=_resident(model_variables, slot_variables, held)
        )
    probe.write_result(config, result)


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


def _bytes(variables: list[Any]) -> int:
    return int(sum(np.prod(v.shape.as_list()) * v.dtype.base_dtype.size for v in variables))


def _resident(
    model: list[Any], slots: list[Any], held: dict[str, tuple[Any, Any]]
) -> dict[str, dict[str, int]]:
    """{category: {name: bytes}} of what stays between steps."""

    def sizes(variables: list[Any]) -> dict[str, int]:
        return {
            v.op.name: int(np.prod(v.shape.as_list()) * v.dtype.base_dtype.size) for v in variables
        }

    return {
        "weights": sizes(model),
        "optimizer slots": sizes(slots),
        "inputs": sizes([v for v, _ in held.values()]),
    }


if __name__ == "__main__":
    main()
