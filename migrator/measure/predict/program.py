"""Traces a workload at some batch sizes and predicts its peaks on a GPU: `program.py CONFIG.json`.

Nothing is computed but the initial weights.
"""

from __future__ import annotations

import collections
import dataclasses
import math
from typing import Any

from migrator.measure.programs import measure_probe as probe
from migrator.measure.programs import measure_subjects as subjects
from migrator.measure.programs import measure_trace
from migrator.measure.programs.measure_migrated import set_up, slots, subject_of
from migrator.measure.programs.measure_steps import Stepper

HOLDERS = 200  # a kind of memory in a layer each


def main(config: dict[str, Any]) -> dict[str, Any]:
    """The forecast of migrator.measure.predict.forecast as a dict."""
    import tensorflow as tf

    from migrator.measure.predict import making, runs

    set_up(tf, config)
    made = making.Making()
    with made.recording():
        subject = subject_of(tf, config)
        stepper = Stepper(tf, config, subject)
        # one item is enough to make the variables; larger batches exist as shapes only
        arrays = subject.inputs({**config, "batch": 1})
        stepper.make_variables(arrays)
        stepper.make_slots()
    weights = subjects.sizes(subject.variables()) | dict(subject.constants or {})
    kept = sum(weights.values()) + sum(subjects.sizes(slots(stepper)).values())
    points, holders = [], []
    for batch in config["batches"]:
        specs = {
            spec["name"]: tf.TensorSpec(
                [batch if d == "batch" else d for d in spec["shape"]]
                if spec.get("shape") else arrays[spec["name"]].shape,
                arrays[spec["name"]].dtype,
            )
            for spec in subject.specs
        }  # fmt: skip
        step = tf.function(stepper.call, autograph=False)
        # the constants that tracing makes are those of this batch only
        traced = dataclasses.replace(made, calls=list(made.calls))
        with traced.recording():
            concrete = step.get_concrete_function(specs)
        traced.note(handle for handle, _ in concrete.graph.captures)
        inputs = [
            math.prod(s.shape.as_list()) * subjects.item_size(s.dtype) for s in specs.values()
        ]
        given = sum(inputs)
        before = runs.Before(kept + given, traced, tuple(inputs), config["grows"])
        found = runs.of(concrete, "gpu", "gpu", before)
        points.append({
            "batch": batch, "inputs": given, "step": found.likely.bytes,
            "low": found.interval[0], "high": found.interval[1],
            "unknown": found.likely.unknown, "allocator": found.allocator,
        })  # fmt: skip
        holders = _holders(found.likely)
    return {
        "weights": sum(weights.values()), "slots": kept - sum(weights.values()),
        "points": points, "holders": holders,
    }  # fmt: skip


def _holders(peak: Any) -> list[dict[str, Any]]:
    held: collections.Counter[tuple[str, str, str]] = collections.Counter()
    for size, op in peak.live:
        temporary = op.endswith("(while it runs)")
        layer = measure_trace.layer_of(op)
        held[measure_trace.category(op, temporary), layer, ""] += size
    rest: collections.Counter[str] = collections.Counter()
    for (kind, _, _), size in held.most_common()[HOLDERS:]:
        rest[kind] += size
    return [
        {"category": kind, "layer": layer, "op": op, "bytes": size}
        for (kind, layer, op), size in [
            *held.most_common(HOLDERS),
            *(((kind, "other layers", ""), size) for kind, size in rest.most_common()),
        ]
    ]  # fmt: skip


if __name__ == "__main__":
    probe.run_main(main)
