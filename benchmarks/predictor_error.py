"""Error of the peak predictor against the measured requested-bytes peak, model by model.

    python benchmarks/predictor_error.py --models MobileNet,ResNet50 --batches 1,8 --json out.json

Each case runs in a child process. Prints a Markdown table and the median and largest error.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from typing import Any

MODELS = "MobileNet,MobileNetV2,MobileNetV3Small,ResNet50,EfficientNetB0,DenseNet121,InceptionV3,Xception"


def case(name: str, batch: int, training: bool) -> dict[str, Any]:
    """One model traced, predicted, then run under the allocator's trace (needs TensorFlow)."""
    import numpy as np
    import tensorflow as tf

    from migrator.measure.predict import graph
    from migrator.measure.programs import measure_probe, measure_trace

    tf.config.threading.set_inter_op_parallelism_threads(1)
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.raw_ops.Empty(shape=[8, 1 << 28], dtype=tf.float32, init=False)
    size = 224
    model = getattr(tf.keras.applications, name)(weights=None, input_shape=(size, size, 3))
    shape = (batch, size, size, 3)
    images = tf.raw_ops.DeepCopy(x=tf.random.stateless_normal(shape, (1, 2)))
    labels = tf.zeros((batch,), tf.int32)
    cost = tf.keras.losses.SparseCategoricalCrossentropy()

    def sizes(variables: Any) -> dict[str, int]:
        return {v.path: 4 * int(np.prod(v.shape)) for v in variables}

    resident = {"weights": sizes(model.variables), "inputs": {"images": 4 * int(np.prod(shape))}}
    if training:
        optimizer = tf.keras.optimizers.SGD(0.01, momentum=0.9)
        optimizer.build(model.trainable_variables)
        resident["optimizer slots"] = sizes(optimizer.variables)

    def step(x: Any) -> Any:
        if not training:
            return model(x, training=False)
        with tf.GradientTape() as tape:
            loss = cost(labels, model(x, training=True))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply(gradients, model.trainable_variables)
        return loss

    function = tf.function(step, autograph=False)
    concrete = function.get_concrete_function(tf.TensorSpec(images.shape, images.dtype))
    predicted, low, high = graph.interval(concrete)
    for _ in range(2):
        function(images).numpy()
    found = measure_trace.trace(
        lambda: function(images).numpy(),
        measure_probe.Allocator(tf.config.experimental, "CPU:0"),
        resident,
    )
    held = sum(sum(v.values()) for v in resident.values())
    return {
        "model": name, "batch": batch, "mode": "training" if training else "inference",
        "measured": found["requested_peak"], "predicted": predicted.bytes + held,
        "low": low + held, "high": high + held, "allocator": found["allocator_peak"],
        "missing": found["missing"], "unknown": predicted.unknown,
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", default=MODELS)
    parser.add_argument("--batches", default="1,8")
    parser.add_argument("--json")
    parser.add_argument("--case", nargs=3, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.case:
        name, batch, mode = args.case
        print(json.dumps(case(name, int(batch), mode == "training")))
        return
    env = {
        **os.environ, "TF_CPU_ALLOCATOR_USE_BFC": "true", "TF_CPP_MIN_LOG_LEVEL": "3",
        "CUDA_VISIBLE_DEVICES": "-1",
    }  # fmt: skip
    rows: list[dict[str, Any]] = []
    print("| model | batch | mode | measured MiB | predicted MiB | error |")
    print("| --- | ---: | --- | ---: | ---: | ---: |")
    for name in args.models.split(","):
        for batch in args.batches.split(","):
            for mode in ("inference", "training"):
                done = subprocess.run(
                    [sys.executable, __file__, "--case", name, batch, mode],
                    env=env, capture_output=True, text=True,
                )  # fmt: skip
                if done.returncode:
                    print(f"| {name} | {batch} | {mode} | failed | | |")
                    print(done.stderr[-800:], file=sys.stderr)
                    continue
                row = json.loads(done.stdout.splitlines()[-1])
                row["error"] = row["predicted"] / row["measured"] - 1
                rows.append(row)
                print(
                    f"| {name} | {batch} | {mode} | {row['measured'] / 2**20:.1f} | "
                    f"{row['predicted'] / 2**20:.1f} | {row['error']:+.2%} |",
                    flush=True,
                )
    for mode in ("inference", "training"):
        errors = [abs(r["error"]) for r in rows if r["mode"] == mode]
        if errors:
            print(f"\n{mode}: median {statistics.median(errors):.2%}, largest {max(errors):.2%}")
    if args.json:
        with open(args.json, "w", encoding="utf-8") as fh:
            json.dump(rows, fh, indent=1)


if __name__ == "__main__":
    main()
