"""The migrated sample on a GPU: where its state lies, what crosses the bus, XLA, growth, the same numbers.

`make gpu-test` runs the half that needs a GPU; the other half runs the same programs on the CPU.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("tensorflow")
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

ROOT = Path(__file__).resolve().parents[2]
GPU = pytest.param("GPU:0", marks=pytest.mark.gpu)
DEVICES = pytest.mark.parametrize("device", ["CPU:0", GPU])
# Bytes of a step that may cross the bus beside its results: shapes, counters, a learning rate.
SCALARS = 4096
# A GPU adds in another order, and its convolutions are other algorithms; TF32 is switched off.
LOSS, WEIGHTS = 1e-4, 1e-3


def run(tree: Path, program: str, device: str, *more: str) -> dict[str, Any]:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "2"}
    env.pop("TF_FORCE_GPU_ALLOW_GROWTH", None)
    if device.startswith("CPU"):
        env["CUDA_VISIBLE_DEVICES"] = "-1"
    ran = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("programs.py")), program, str(tree), device, *more],
        capture_output=True, text=True, check=False, env=env, cwd=tree,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr[-3000:]
    told: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    return told


@DEVICES
def test_state_lies_on_the_device(migrated: Path, device: str) -> None:
    told = run(migrated, "places", device)
    assert len(told["variables"]) > 100 and len(told["slots"]) > 50 and len(told["averages"]) > 50
    for kind in ("variables", "averages"):
        astray = {k: where for k, where in told[kind].items() if where != device}
        assert not astray, f"{kind} away from {device}"
    # a count of steps is read by the host, wherever an optimizer keeps it
    astray = {k: w for k, w in told["slots"].items() if w != device and not k.endswith("iteration")}
    assert not astray, f"slots away from {device}"
    assert told["scale"] == device and set(told["results"]) == {device}


@DEVICES
def test_a_step_copies_nothing_but_its_results(migrated: Path, device: str) -> None:
    told = run(migrated, "copies", device)
    assert told["weights"] > 100 * SCALARS  # which is what crossed the bus, once
    assert told["h2d"] <= SCALARS
    assert told["d2h"] <= told["results"] + SCALARS
    if device.startswith("GPU"):
        assert told["events"] > 100, "the profiler saw no kernels: the counts of copies say nothing"


@pytest.mark.parametrize(
    ("device", "workload"),
    [
        ("CPU:0", "forward pass"),  # training takes XLA two minutes of a processor
        pytest.param("GPU:0", "forward pass", marks=pytest.mark.gpu),
        pytest.param("GPU:0", "training, 300 pixels", marks=pytest.mark.gpu),
    ],
)
def test_xla_compiles_every_step(migrated: Path, device: str, workload: str) -> None:
    told = run(migrated, "compiled", device, workload)
    assert told["results"] and told["finite"]


@DEVICES
def test_memory_grows_as_it_is_needed(migrated: Path, device: str) -> None:
    told = run(migrated, "growth", device)
    if device.startswith("CPU"):
        assert told["gpus"] == 0
        return
    assert told["gpus"] and all(told["grows"]) and told["peak"] < 2**30
    if told["driver"]["process"] is not None:
        assert told["driver"]["process"] < 4 * 2**30  # a context, not the card


@pytest.mark.gpu
def test_results_are_those_of_the_cpu(migrated: Path) -> None:
    here, there = run(migrated, "values", "GPU:0"), run(migrated, "values", "CPU:0")
    assert here["losses"] == pytest.approx(there["losses"], rel=LOSS)
    assert here["weights"].keys() == there["weights"].keys()
    for name, found in there["weights"].items():
        assert here["weights"][name] == pytest.approx(found, rel=WEIGHTS, abs=WEIGHTS), name


def test_what_is_compared_does_train(migrated: Path) -> None:
    told = run(migrated, "values", "CPU:0")
    assert len(set(told["losses"])) == len(told["losses"]) and len(told["weights"]) > 100


def test_a_run_without_a_gpu_is_not_green(tmp_path: Path) -> None:
    env = {**os.environ, "PATH": str(tmp_path), "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-m", "gpu", str(Path(__file__).parent)],
        capture_output=True, text=True, check=False, env=env, cwd=ROOT,
    )  # fmt: skip
    assert ran.returncode == pytest.ExitCode.NO_TESTS_COLLECTED, ran.stdout[-2000:]
    assert "there is no NVIDIA GPU here" in ran.stdout
