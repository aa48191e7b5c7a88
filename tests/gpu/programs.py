"""Programs of the GPU's tests, one process each: `programs.py NAME ROOT DEVICE` prints JSON.

They run on "CPU:0" as well, which shows that they work where there is no GPU.
"""

from __future__ import annotations

import json
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

STEPS = 3


def place(variable: Any) -> str:
    """The device of a variable: "GPU:0"."""
    kept = getattr(variable, "value", variable) if hasattr(variable, "path") else variable
    return str(kept.device).rpartition("device:")[2]


def config(root: str, name: str, execution: str, precision: str, batch: int) -> dict[str, Any]:
    """What a measuring child is told about a workload of the sample."""
    workloads = tomllib.loads((Path(root) / "migrator.toml").read_text())["workload"]
    workload = next(w for w in workloads if w["name"] == name)
    workload.pop("checkpoint", "")
    return {
        "root": root, "roots": ["."], "workload": workload, "batch": batch,
        "mode": workload.get("mode", "inference"), "execution": execution, "precision": precision,
        "allocator": "default", "strategy": "", "threads": 2,
    }  # fmt: skip


def stepper(
    root: str, device: str, name: str, execution: str = "function", precision: str = "float32"
) -> Any:
    """The step of a workload as a migration writes it, its variables, slots and inputs made."""
    from migrator.measure.programs import measure_migrated
    from migrator.measure.programs.measure_steps import Stepper

    sys.path.insert(0, root)
    told = config(root, name, execution, precision, 2)
    measure_migrated.set_up(tf, told)
    tf.config.experimental.enable_tensor_float_32_execution(False)
    tf.config.experimental.enable_op_determinism()
    with tf.device(device):
        subject = measure_migrated.subject_of(tf, told)
        made = Stepper(tf, told, subject, device)
        arrays = subject.inputs(told)
        made.make_variables(arrays)
        if made.training:
            made.make_slots()
        made.make_step(arrays)
    return made


def places(root: str, device: str) -> dict[str, Any]:
    """Where variables, slots, moving averages and the loss scale lie."""
    step = stepper(root, device, "training, 300 pixels", precision="mixed_float16")
    step.step()
    from tf1_support.moving_averages import ExponentialMovingAverage

    averages = ExponentialMovingAverage(0.99)
    trained = step.subject.trainable()
    averages.apply(trained)
    return {
        "variables": {k: place(v) for k, v in step.subject.variables().items()},
        "slots": {v.path: place(v) for v in step.optimizer.variables},
        "averages": {v.name: place(averages.average(v)) for v in trained},
        "scale": place(step.optimizer.dynamic_scale),
        "results": [str(t.device).rpartition("device:")[2] for t in tf.nest.flatten(step.call(step.held))],
    }


def copies(root: str, device: str) -> dict[str, Any]:
    """What crosses the bus in a training step whose inputs lie on the device: bytes by direction."""
    from tensorflow.tsl.profiler.protobuf import xplane_pb2

    step = stepper(root, device, "training, 300 pixels")
    for _ in range(3):
        step.read(step.step())
    found = {"h2d": 0, "d2h": 0, "events": 0}
    with tempfile.TemporaryDirectory() as folder:
        options = tf.profiler.experimental.ProfilerOptions(host_tracer_level=2, device_tracer_level=1)
        tf.profiler.experimental.start(folder, options=options)
        results = step.step()
        step.read(results)
        tf.profiler.experimental.stop()
        for path in Path(folder).rglob("*.xplane.pb"):
            space = xplane_pb2.XSpace.FromString(path.read_bytes())
            for plane in space.planes:
                _count(plane, found)
    return {
        **found, "results": sum(int(np.asarray(t).nbytes) for t in tf.nest.flatten(results)),
        "weights": sum(int(np.prod(v.shape)) * 4 for v in step.subject.variables().values()),
    }  # fmt: skip


def _count(plane: Any, found: dict[str, int]) -> None:
    """Adds a plane's kernels and copies: CUPTI names these MemcpyH2D and MemcpyD2H, with details
    such as "kind_src:pageable kind_dst:device size:123 dest:0 async:1"."""
    names = {k: m.name for k, m in plane.event_metadata.items()}
    stats = {k: m.name for k, m in plane.stat_metadata.items()}
    for line in plane.lines if plane.name.startswith("/device:GPU") else ():
        for event in line.events:
            found["events"] += 1
            kind = names[event.metadata_id].lower()
            way = next((w for w in ("h2d", "d2h") if w in kind), "")
            for stat in event.stats if way else ():
                if stats[stat.metadata_id] == "memcpy_details":
                    words = stat.str_value or stats.get(stat.ref_value, "")
                    found[way] += int(words.partition("size:")[2].split()[0])


def values(root: str, device: str) -> dict[str, Any]:
    """Losses of some training steps from the same weights, outputs of the forward pass, and the weights
    that the steps left."""
    step = stepper(root, device, "training, 300 pixels")
    random = np.random.RandomState(0)
    for name in sorted(step.subject.variables()):
        variable = step.subject.variables()[name]
        if not name.endswith(("moving_mean", "moving_variance", "beta", "gamma", "biases")):
            variable.assign(random.normal(0, 0.05, variable.shape).astype("float32"))
    losses = [float(step.read(step.step())) for _ in range(STEPS)]
    left = {k: v.numpy().astype("float64") for k, v in step.subject.variables().items()}
    return {
        "losses": losses,
        "weights": {k: [float(v.mean()), float(np.abs(v).max())] for k, v in left.items()},
    }


def compiled(root: str, device: str) -> dict[str, Any]:
    """Whether XLA compiles a workload's step, and what it gives."""
    name = sys.argv[4]
    step = stepper(root, device, name, "xla")
    results = tf.nest.flatten(step.read(step.step()))
    return {"results": len(results), "finite": all(bool(np.isfinite(r).all()) for r in results)}


def growth(root: str, device: str) -> dict[str, Any]:
    """What configure_gpus did: memory that grows, and what the process then has of the card."""
    sys.path.insert(0, root)
    from tf1_support import gpu

    used = gpu.configure_gpus("growth")
    grows = [tf.config.experimental.get_memory_growth(g) for g in used]
    with tf.device(device):
        tf.reduce_sum(tf.ones([256, 256])).numpy()
    held = tf.config.experimental.get_memory_info("GPU:0")["peak"] if used else 0
    from migrator.measure.programs import nvml

    return {"gpus": len(used), "grows": grows, "peak": held, "driver": nvml.used()}


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]](sys.argv[2], sys.argv[3])))
