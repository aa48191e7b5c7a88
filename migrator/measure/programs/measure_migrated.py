"""Measures a migrated workload on TF 2.21, eagerly, as a tf.function or under XLA.

`measure_migrated.py CONFIG.json`.
"""

from __future__ import annotations

import contextlib
import os
from typing import Any

import numpy as np

from migrator.measure.programs import measure_probe as probe
from migrator.measure.programs import measure_subjects as subjects
from migrator.measure.programs import source_lines, xla_buffers, xla_refusals
from migrator.measure.programs.measure_steps import Stepper

SHOWN = 4096  # values of each output that are kept for comparison, evenly spread


def set_up(tf: Any, config: dict[str, Any]) -> str:
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
        elif option == "growth":
            tf.config.experimental.set_memory_growth(gpu, True)
    if config["precision"] != "float32":
        tf.keras.mixed_precision.set_global_policy(config["precision"])
    tf.keras.utils.set_random_seed(1)
    return "GPU:0" if gpus else "CPU:0"


def kept(tf: Any, outputs: Any) -> list[list[float]]:
    """Up to SHOWN values of each numeric output, in the order of the nest."""
    found = []
    for value in tf.nest.flatten(outputs):
        array = np.asarray(value)
        if array.dtype.kind not in "fiub" and array.dtype.name != "bfloat16":
            continue
        flat = array.astype(np.float64).reshape(-1)
        step = max(1, -(-flat.size // SHOWN))
        found.append([float(v) for v in flat[::step]])
    return found


def subject_of(tf: Any, config: dict[str, Any]) -> subjects.Subject:
    """The workload's subject, with the strategy applied that changes what it is."""
    subject = subjects.load(tf, config)
    kind, _, argument = config["strategy"].partition(":")
    if kind == "swap":
        if subject.model is None:
            raise probe.Unusable("a backbone is swapped in Keras models; name a variant instead")
        from migrator.measure.programs import measure_swap

        other = measure_swap.swap(tf, subject.model, argument)
        subject = subjects.keras_subject(tf, other, config["workload"]["inputs"])
    if kind == "recompute":
        if config["mode"] != "training":
            raise probe.Unusable("activations are recomputed in training only")
        from migrator.measure.programs import measure_recompute

        subject.forward = measure_recompute.forward(tf, subject)
    return subject


def main(config: dict[str, Any]) -> dict[str, Any]:
    """Measures one cell; the sample as the parent reads it, and the outputs to compare."""
    phases = probe.Phases()
    import tensorflow as tf

    phases.end("import")
    device = set_up(tf, config)
    if config.get("arena_bytes") and device == "CPU:0":  # a GPU is reserved whole, or is to grow
        tf.raw_ops.Empty(shape=[16, config["arena_bytes"] // 64], dtype=tf.float32, init=False)
    phases.allocator = probe.Allocator(tf.config.experimental, device)
    phases.allocator.reset()
    from migrator.measure.predict import making
    from migrator.measure.programs import measure_trace

    # one prediction for a cell, whose processes trace alike, and only of the plain ones: it takes seconds
    plain = config["execution"] == "function" and config["precision"] == "float32"
    predicts = config["trace"] and plain and not config.get("repeat")
    made = making.Making() if predicts else None
    record = made.recording if made else contextlib.nullcontext
    phases.fragmentation = measure_trace.fragmentation
    phases.end("device")

    with record():
        subject = subject_of(tf, config)
        stepper = Stepper(tf, config, subject, device)
        arrays = subject.inputs(config)
        stepper.make_variables(arrays)
        if config["workload"].get("checkpoint") and subject.restore is not None:
            subject.restore(os.path.join(config["root"], config["workload"]["checkpoint"]))
    phases.end("initialisation")
    if stepper.training:
        with record():
            stepper.make_slots()
        phases.end("slots")
    with record():
        stepper.make_step(arrays)
    if made:
        made.note(stepper.handles())
    phases.allocator.reset()
    first = xla_refusals.first(tf, stepper.step) if stepper.compiled else stepper.step()
    outputs = tf.nest.map_structure(np.array, stepper.read(first))
    del first  # which lies in the allocator that is measured
    phases.end("first step")
    timed = probe.timed_steps(
        stepper.step, phases.allocator, config["warmups"], config["steps"],
        None if device.startswith("CPU") else stepper.read,
    )  # fmt: skip
    phases.end("steady")
    variables = {"weights": subject.variables(), "optimizer slots": slots(stepper)}
    resident = {kind: subjects.sizes(found) for kind, found in variables.items()}
    resident["weights"] |= dict(subject.constants or {})
    resident["inputs"] = {k: int(v.nbytes) for k, v in arrays.items()}
    elsewhere = {
        kind: subjects.sizes({k: v for k, v in found.items() if not subjects.lies_on(v, device)})
        for kind, found in variables.items()
    }
    result: dict[str, Any] = {
        "phases": phases.records,
        "weights": sum(resident["weights"].values()),
        "slots": sum(resident["optimizer slots"].values()),
        "inputs": sum(resident["inputs"].values()),
        **timed,
        "traces": stepper.traces if config["execution"] in ("function", "xla") else None,
        "extra": {
            "tensorflow": tf.__version__, "keras": tf.keras.__version__, "device": device,
            "input_shapes": {k: list(v.shape) for k, v in arrays.items()},
            "elsewhere": {kind: sum(sizes.values()) for kind, sizes in elsewhere.items() if sizes},
        },
        "outputs": kept(tf, outputs),
    }  # fmt: skip
    if config["execution"] == "function":
        result["extra"]["call"] = stepper.call_cost()
    if made:
        try:
            result["extra"]["predicted_step"] = stepper.predicted(
                sum(sum(sizes.values()) for sizes in resident.values()), made
            )
        except Exception as error:  # a graph that the predictor does not know costs no measurement
            result["extra"]["prediction_failed"] = f"{type(error).__name__}: {error}"
    if config["trace"]:
        here = {
            kind: {k: size for k, size in sizes.items() if k not in elsewhere.get(kind, {})}
            for kind, sizes in resident.items()
        }
        dump = os.environ.get(xla_buffers.FOLDER, "") if stepper.compiled else ""
        result["attribution"] = measure_trace.trace(
            stepper.step, phases.allocator, here, config.get("trace_dir") or "",
            xla_buffers.blocks(dump) if dump else (),
            source_lines.SourceLines(stepper.graph(), config["root"]),
        )  # fmt: skip
    return result


def slots(stepper: Stepper) -> dict[str, Any]:
    """{name: variable} of what the optimizer keeps, and of accumulated gradients."""
    if stepper.subject.slots is not None:
        return stepper.subject.slots()
    if stepper.optimizer is None:
        return {}
    kept = {v.path: v.value for v in stepper.optimizer.variables}
    return kept | {f"accumulated gradient/{i}": v for i, v in enumerate(stepper.accumulated)}


if __name__ == "__main__":
    probe.run_main(main)
