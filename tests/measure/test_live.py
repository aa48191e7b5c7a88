"""Cells measured for real on a small network: repeatability, strategies, traces, the largest batch."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from migrator.measure import fit, jobs, matrix, runner
from migrator.measure.records import Cell, Measurement
from migrator.workload import models
from migrator.workload.spec import Workload

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.slow

NET = """
import tensorflow as tf
layers = tf.keras.layers

def build(depth=8):
    image = tensor = layers.Input((48, 48, 3))
    for _ in range(depth):
        tensor = layers.Conv2D(16, 3, padding="same")(tensor)
        tensor = layers.ReLU()(layers.BatchNormalization()(tensor))
    return tf.keras.Model(image, layers.Dense(5)(layers.GlobalAveragePooling2D()(tensor)))
"""
BATCH = 8
INFERENCE, TRAINING = models.from_option(
    "net:build", ("8x48x48x3",), Path(), ("inference", "training")
)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("tree")
    (root / "net.py").write_text(NET)
    return root


@pytest.fixture(scope="module")
def measured(tree: Path) -> Iterator[tuple[Measurement, Path]]:
    axes = matrix.Matrix(
        batches=(BATCH,), executions=("function",), precisions=("float32",), sides=("after",)
    )
    settings = jobs.Settings(
        repeats=2, steps=3, timeout=300.0, arena_bytes=2**30, trace_dir=str(tree / "traces")
    )
    yield runner.run(tree, tree, [INFERENCE, TRAINING], tree / "out", axes, settings), tree


def test_requested_bytes_repeat(measured: tuple[Measurement, Path]) -> None:
    inference, training = measured[0].cells
    assert inference.ok and training.ok, inference.detail + training.detail
    first, second = (s.attribution for s in inference.samples)
    assert first and second
    # Which ready kernel runs first decides over a few small temporaries of a tf.function.
    assert abs(first.requested_peak - second.requested_peak) <= 0.001 * first.requested_peak
    low, high = training.requested_range or (0, 0)
    assert 0 < high - low <= 0.01 * low or low == high > 0
    assert all(s.attribution and s.attribution.missing == 0 for s in inference.samples)


def test_phases_tell_weights_from_slots(measured: tuple[Measurement, Path]) -> None:
    inference, training = measured[0].cells
    names = [p.name for p in training.samples[0].phases]
    assert names == ["import", "device", "initialisation", "slots", "first step", "steady"]
    assert "slots" not in [p.name for p in inference.samples[0].phases]
    phases = {p.name: p for p in training.samples[0].phases}
    grown = (phases["slots"].in_use or 0) - (phases["initialisation"].in_use or 0)
    assert grown >= training.samples[0].slots > 0
    assert (phases["steady"].reserved or 0) >= 2**30  # the arena
    assert 0 <= (phases["steady"].fragmentation or 0.0) < 1


def test_traces_open_in_tensorboard_and_chrome(measured: tuple[Measurement, Path]) -> None:
    result, tree = measured
    folder = tree / "traces" / result.cells[1].cell.id
    assert list(folder.glob("plugins/profile/*/*.xplane.pb"))
    made = json.loads((folder / "live_bytes.trace.json").read_text())
    (peak,) = [e for e in made["traceEvents"] if e["ph"] == "i"]
    attribution = result.cells[1].samples[0].attribution
    assert attribution and peak["args"]["bytes"] == attribution.requested_peak


def measure(tree: Path, workload: Workload, strategy: str, execution: str = "function"):  # type: ignore[no-untyped-def]
    cell = Cell(
        workload.name, "after", execution, "float32", workload.mode, BATCH, strategy=strategy
    )
    settings = jobs.Settings(repeats=1, steps=3, timeout=300.0, arena_bytes=2**30)
    outcome = jobs.execute(jobs.Job(cell, workload, 0, settings), tree)
    assert outcome.raw is not None, outcome.detail
    return outcome.raw


def test_strategies_take_less(measured: tuple[Measurement, Path]) -> None:
    """Recomputed and accumulated steps need less at their peak, and start from the same loss."""
    plain, tree = measured[0].cells[1], measured[1]
    for strategy in ("recompute", "accumulate:4"):
        raw = measure(tree, TRAINING, strategy)
        assert raw["attribution"]["requested_peak"] < 0.85 * (plain.requested_peak or 0), strategy
        if strategy == "recompute":
            kept = measured[1] / "out" / "cells"
            (stored,) = kept.glob(f"{plain.cell.id}-0-*.json")
            loss = json.loads(stored.read_text())["raw"]["outputs"]
            assert raw["outputs"][0][0] == pytest.approx(loss[0][0], rel=1e-5)


def test_tflite_is_smaller_and_close(measured: tuple[Measurement, Path]) -> None:
    raw = measure(measured[1], INFERENCE, "tflite:int8", "tflite")
    assert raw["size"] < 0.6 * raw["extra"]["float_weights"]
    assert 0 < raw["difference"] < 0.1 and len(raw["wall"]) == 3


def test_the_allocators_limit_is_what_fit_runs_into(tree: Path) -> None:
    limit = 24 * 2**20
    settings = jobs.Settings(timeout=300.0, steps=2, warmups=1, trace=False)

    def run(batch: int) -> jobs.Outcome:
        cell = Cell(
            TRAINING.name, "after", "function", "float32", "training", batch, f"limit:{limit}"
        )
        return jobs.execute(jobs.Job(cell, TRAINING, 0, settings), tree)

    small, large = run(4), run(64)
    assert small.raw is not None, small.detail
    assert max(small.raw["steady_peaks"]) <= limit
    assert large.raw is None and large.status in fit.TOO_LARGE and large.detail
