"""Measures a migrated function on TF 2.21, eagerly, as a tf.function or under XLA.

`measure_migrated.py CONFIG.json`.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from migrator.measure.programs import measure_probe as probe


def _set_up(tf: Any, config: dict[str, Any]) -> str:
    """Threads, allocator and precision, before any op runs; the device to measure."""
    tf.config.threading.set_inter_op_parallelism_threads(1)
    tf.config.threading.set_intra_op_parallelism_threads(config["threads"])
    gpus = tf.config.list_physical_devices("GPU")
    option = config["allocator"]
    for gpu in gpus:
        if option.startswith("limit:"):
            limit = int(option.partition(":")[2]) // 2**20
            logical = tf.config.LogicalDeviceConfiguration(memory_limit=limit)
            tf.config.set_logical_device_configuration(gpu, [logical])
        elif option != "default":
            tf.config.experimental.set_memory_growth(gpu, True)
    if config["precision"] != "float32":
        tf.keras.mixed_precision.set_global_policy(config["precision"])
    tf.random.set_seed(1)
    return "GPU:0" if gpus else "CPU:0"


class _Store:
    """The migrated repository's variable store, or nothing where its code needs none."""

    def __init__(self) -> None:
        try:
            self.scopes: Any = importlib.import_module("tf1_support.scopes")
        except ModuleNotFoundError as error:
            if error.name not in ("tf1_support", "tf1_support.scopes"):
                raise
            self.scopes = None
        self.store = self.scopes.VariableStore() if self.scopes else None

    @contextlib.contextmanager
    def run(self) -> Any:
        if self.store is None:
            yield
            return
        with self.store.as_default(), self.store.run():
            yield

    @property
    def trainable(self) -> list[Any]:
        return list(self.store.trainable_variables) if self.store is not None else []

    @property
    def by_name(self) -> dict[str, Any]:
        return dict(self.store.variables_by_name) if self.store is not None else {}

    def restore(self, path: str) -> None:
        if self.store is not None:
            self.store.load_tf1_checkpoint(path, strict=False)


def _optimizer(tf: Any, config: dict[str, Any]) -> Any:
    optimizer = tf.keras.optimizers.SGD(1e-3, momentum=0.9)
    if config["precision"] == "mixed_float16":
        return tf.keras.mixed_precision.LossScaleOptimizer(optimizer)
    return optimizer


def _steps(
    tf: Any, config: dict[str, Any], store: _Store, arrays: dict[str, Any]
) -> tuple[Callable[[], Any], Callable[[], int | None], Any, Callable[[], dict[str, int] | None]]:
    """(one step, trace count, optimizer or None, prediction of the step's peak)."""
    workload = config["workload"]
    function = probe.target(workload["call"])
    kwargs = workload["kwargs"]
    traces = 0

    def forward(inputs: dict[str, Any]) -> Any:
        with store.run():
            return function(**inputs, **kwargs)

    with tf.init_scope():
        build = tf.function(forward, autograph=False)
        specs = {k: tf.TensorSpec(v.shape, v.dtype) for k, v in arrays.items()}
        build.get_concrete_function(specs)  # makes the variables; computes nothing
    optimizer = _optimizer(tf, config) if config["mode"] == "training" else None
    if optimizer is not None:
        optimizer.build(store.trainable)

    def body(inputs: dict[str, Any]) -> Any:
        nonlocal traces
        traces += 1
        if optimizer is None:
            return forward(inputs)
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(store.trainable)
            loss = probe.scalar_loss(forward(inputs), workload.get("loss"))
            scaled = optimizer.scale_loss(loss) if hasattr(optimizer, "scale_loss") else loss
        optimizer.apply(tape.gradient(scaled, store.trainable), store.trainable)
        return loss

    call: Callable[[dict[str, Any]], Any] = body
    if config["execution"] in ("function", "xla"):
        call = tf.function(body, autograph=False, jit_compile=config["execution"] == "xla")
    # DeepCopy: numpy's own buffer would live outside the allocator that is being measured
    held = {k: tf.raw_ops.DeepCopy(x=tf.constant(v)) for k, v in arrays.items()}

    def step() -> Any:
        return tf.nest.map_structure(lambda t: t.numpy() if hasattr(t, "numpy") else t, call(held))

    counted = config["execution"] in ("function", "xla")

    def predicted() -> dict[str, int] | None:
        """Peak of the step on top of what is resident, predicted from its graph alone."""
        if config["execution"] != "function":
            return None
        from migrator.measure.predict import graph

        nonlocal traces
        before = traces
        peak, low, high = graph.interval(call.get_concrete_function(held))  # type: ignore[attr-defined]
        traces = (
            before  # asking for the function that was traced already is no trace of the program
        )
        return {"bytes": peak.bytes, "low": low, "high": high, "unknown": peak.unknown}

    return step, lambda: traces if counted else None, optimizer, predicted


def _sizes(variables: dict[str, Any]) -> dict[str, int]:
    return {
        k: int(np.prod(v.shape)) * np.dtype(getattr(v.dtype, "as_numpy_dtype", v.dtype)).itemsize
        for k, v in variables.items()
    }


def main() -> None:
    config = probe.read_config(sys.argv[1])
    phases = probe.Phases()
    import tensorflow as tf

    phases.end("import")
    device = _set_up(tf, config)
    if config.get("arena_bytes"):
        tf.raw_ops.Empty(shape=[16, config["arena_bytes"] // 64], dtype=tf.float32, init=False)
    phases.allocator = probe.Allocator(tf.config.experimental, device)
    phases.allocator.reset()
    phases.end("device")

    store = _Store()
    workload = config["workload"]
    arrays = probe.make_inputs(workload["inputs"], config["batch"], config["root"])
    step, traces, optimizer, predicted = _steps(tf, config, store, arrays)
    if workload.get("checkpoint"):
        store.restore(os.path.join(config["root"], workload["checkpoint"]))
    phases.end("initialisation")
    phases.allocator.reset()
    step()
    phases.end("first step")
    peaks, in_use, wall, cpu = probe.timed_steps(
        step, phases.allocator, config["warmups"], config["steps"]
    )
    phases.end("steady")
    resident = {
        "weights": _sizes(store.by_name),
        "optimizer slots": _sizes({v.path: v.value for v in optimizer.variables})
        if optimizer is not None else {},
        "inputs": {k: int(v.nbytes) for k, v in arrays.items()},
    }  # fmt: skip
    result: dict[str, Any] = {
        "phases": phases.records,
        "weights": sum(resident["weights"].values()),
        "slots": sum(resident["optimizer slots"].values()),
        "inputs": sum(resident["inputs"].values()),
        "steady_peaks": peaks, "steady_in_use": in_use, "wall": wall, "cpu": cpu,
        "traces": traces(),
        "extra": {"tensorflow": tf.__version__, "keras": tf.keras.__version__},
    }  # fmt: skip
    if config["trace"]:
        result["extra"]["predicted_step"] = predicted()
        from migrator.measure.programs import measure_trace

        result["attribution"] = measure_trace.trace(step, phases.allocator, resident=resident)
    probe.write_result(config, result)


if __name__ == "__main__":
    main()
