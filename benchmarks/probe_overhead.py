"""What the probe of `migrator measure --run` costs a program, and whether it moves the allocator.

    python benchmarks/probe_overhead.py --rounds 4

A small network's forward pass runs again and again in a program, alternately alone and under the probe.
Processor seconds of each (with all children), the probe's own count of what it took, and the
allocator's peak are printed. Processor time is compared, not wall time, so that other work on the
machine matters less.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from migrator.measure import commands
from migrator.measure.jobs import Settings
from migrator.workload.spec import Workload

PROGRAM = """
import tensorflow as tf
tf.config.threading.set_inter_op_parallelism_threads(1)
tf.config.threading.set_intra_op_parallelism_threads(1)
layers = [tf.keras.layers.Conv2D(32, 3, padding="same", activation="relu") for _ in range(4)]
model = tf.keras.Sequential([tf.keras.layers.Input((64, 64, 3)), *layers])
images = tf.random.normal((16, 64, 64, 3))
forward = tf.function(lambda x: model(x))
for _ in range(150):
    forward(images)
print("peak", tf.config.experimental.get_memory_info("CPU:0")["peak"])
"""


def _spent() -> float:
    """Processor seconds of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=4)
    rounds = parser.parse_args().rounds
    env = {
        **os.environ, "TF_CPU_ALLOCATOR_USE_BFC": "true", "CUDA_VISIBLE_DEVICES": "-1",
        "TF_CPP_MIN_LOG_LEVEL": "3",
    }  # fmt: skip
    alone, probed, own = [], [], []
    peaks: set[tuple[str, int]] = set()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "program.py").write_text(PROGRAM, encoding="utf-8")
        workload = Workload("program", "command", command="python program.py")
        for _ in range(rounds):
            before = _spent()
            done = subprocess.run(
                [sys.executable, "program.py"], cwd=folder, env=env, text=True, check=True,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            )  # fmt: skip
            alone.append(_spent() - before)
            peaks.add(("alone", int(done.stdout.split()[-1])))
            before = _spent()
            found = commands.execute(workload, "after", Path(folder), Settings(timeout=600.0))
            probed.append(_spent() - before)
            if found.raw is None or found.status != "ok":
                raise SystemExit(found.detail)
            own.append(found.raw["extra"]["probe_overhead"])
            peaks |= {("probed", p["peak"]) for p in found.raw["extra"]["processes"] if p["peak"]}
    base = statistics.median(alone)
    print(
        f"alone {base:.2f} s, probed {statistics.median(probed):.2f} s of processor time:", end=" "
    )
    print(
        f"{statistics.median(probed) / base:.3f}x; the probe counts {statistics.median(own):.2f} s"
    )
    print(f"allocator peaks in bytes: {sorted(peaks)}")


if __name__ == "__main__":
    main()
