"""What the probe of `migrator measure --run` costs a program, and whether it moves the allocator.

    python benchmarks/probe_overhead.py [--rounds 6]

A small network's forward pass runs again and again in a program: alone and under the probe, in pairs
that begin with the one and the other in turn. Processor time (with all children) and wall time of
each pair are compared, and the median ratio is told, beside what the probe itself counts and the
allocator's peaks. Processor time is the one to go by: other work on the machine moves it less. The
aims are 3 % of time and 1 MB of the allocator; the exit code tells whether they were met. TensorFlow
must be installed (`pip install -e '.[tf]'`); a round takes half a minute.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from migrator.measure import commands
from migrator.measure.jobs import Settings
from migrator.workload.spec import Workload

TIME = 1.03  # of the program alone
ALLOCATOR = 1_000_000  # bytes

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


def alone(folder: Path) -> int:
    """Runs the program by itself; the allocator's peak."""
    env = {
        **os.environ, "TF_CPU_ALLOCATOR_USE_BFC": "true", "CUDA_VISIBLE_DEVICES": "-1",
        "TF_CPP_MIN_LOG_LEVEL": "3",
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "program.py"], cwd=folder, env=env, text=True, check=True,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    return int(done.stdout.split()[-1])


def probed(folder: Path, counted: list[float]) -> int:
    """Runs it under the probe; the allocator's peak. counted: gets what the probe says it took."""
    workload = Workload("program", "command", command="python program.py")
    found = commands.execute(workload, "after", folder, Settings(timeout=600.0))
    if found.raw is None or found.status != "ok":
        raise SystemExit(found.detail)
    counted.append(found.raw["extra"]["probe_overhead"])
    return max(p["peak"] for p in found.raw["extra"]["processes"] if p["peak"])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=6)
    rounds = parser.parse_args().rounds
    counted: list[float] = []
    processor: dict[str, list[float]] = {"alone": [], "probed": []}
    wall: dict[str, list[float]] = {"alone": [], "probed": []}
    peaks: dict[str, set[int]] = {"alone": set(), "probed": set()}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "program.py").write_text(PROGRAM, encoding="utf-8")
        alone(folder)  # the first one reads TensorFlow from the disk
        for number in range(rounds):
            for how in ("alone", "probed") if number % 2 else ("probed", "alone"):
                before, began = _spent(), time.perf_counter()
                peaks[how].add(alone(folder) if how == "alone" else probed(folder, counted))
                processor[how].append(_spent() - before)
                wall[how].append(time.perf_counter() - began)

    def ratio(times: dict[str, list[float]]) -> tuple[float, str]:
        pairs = [p / a for a, p in zip(times["alone"], times["probed"], strict=True)]
        middle = statistics.median(pairs)
        seconds = statistics.median(times["alone"])
        return middle, f"{middle:.3f}x of {seconds:.2f} s ({min(pairs):.3f} to {max(pairs):.3f})"

    cost, told = ratio(processor)
    print(f"processor time: {told}; the probe counts {statistics.median(counted):.3f} s")
    print(f"wall time: {ratio(wall)[1]}")
    moved = max(peaks["probed"]) - min(peaks["alone"])
    print(f"allocator's peaks in bytes: {sorted(peaks['alone'])} alone, {sorted(peaks['probed'])}")
    met = cost <= TIME and abs(moved) < ALLOCATOR
    print(f"{'met' if met else 'missed'}: at most {TIME:.2f}x and {ALLOCATOR} bytes")
    sys.exit(not met)


if __name__ == "__main__":
    main()
