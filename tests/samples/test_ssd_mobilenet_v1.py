"""The sample detector: its recorded results are complete, plausible, and computed again here.

What was recorded on TensorFlow 1.15.5 is compared with the unchanged TF1 code, run through the
compat runtime; with MIGRATOR_TF1_PYTHON the sample's own tests also run on the real thing.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from migrator.engine.options import Options
from migrator.engine.plan import build_plan
from migrator.verify import Reference, compare, find_reference
from migrator.verify.children import Side, load_arrays, part
from migrator.verify.records import Check, Status
from migrator.verify.test_checks import outcomes
from migrator.verify.test_checks import test_files as files_of
from migrator.verify.workspace import WorkingCopy
from migrator.workload import spec
from migrator.workload.spec import Input, Workload

SAMPLE = Path(__file__).resolve().parents[2] / "samples" / "ssd_mobilenet_v1"
RECORDED = SAMPLE / "reference"
WORKLOADS = {w.name: w for w in spec.load(SAMPLE / "migrator.toml")}
STEPS = WORKLOADS["train.py, three steps in float64"]
needs_tensorflow = pytest.mark.skipif(
    any(importlib.util.find_spec(n) is None for n in ("tensorflow", "tf_keras", "tf_slim")),
    reason="needs migrator's extra [tf]",
)
pytestmark = pytest.mark.timeout(900)


def compat() -> Side:
    return Side.before(SAMPLE, Reference("compat", "compat"))


def assert_equal(before: Mapping[str, Any], after: Mapping[str, Any], tolerance: float) -> Check:
    found = compare.arrays("sample", "recorded", before, after, tolerance)
    assert found.status is Status.EQUAL, found
    return found


def test_sources_are_python_3_7() -> None:
    paths = sorted(SAMPLE.rglob("*.py"))
    assert len(paths) > 20
    for path in paths:
        ast.parse(path.read_text(encoding="utf-8"), path.name, feature_version=(3, 7))


def test_recorded_files_are_small() -> None:
    assert sum(p.stat().st_size for p in RECORDED.iterdir()) < 5_000_000


def test_it_becomes_what_the_readme_shows() -> None:
    """Steps of tf.function: none of its graphs is shared between modules."""
    plan = build_plan(SAMPLE, Options(jobs=1))
    texts = {file.path: file.new_text or "" for file in plan.changed}
    assert "def train_step(images, class_targets, box_targets" in texts["train.py"]
    assert "with store.run(apply_updates=True), tf.GradientTape() as tape:" in texts["train.py"]
    assert not any(path.endswith("/graphs.py") for path, _ in plan.support_files)


def test_training_learned() -> None:
    curve = json.loads((RECORDED / "loss_curve.json").read_text())
    steps, values = zip(*curve["losses/total_loss"], strict=True)
    assert steps[-1] >= 300
    assert np.mean(values[-5:]) < 0.3 * np.mean(values[:3])
    environment = json.loads((RECORDED / "environment.json").read_text())
    assert environment["tensorflow"] == "1.15.5"
    mean = next(x for x in environment["average_precision"] if x.startswith("mean"))
    assert float(mean.split()[-1]) > 0.5


def test_every_workload_finds_its_files() -> None:
    for workload in WORKLOADS.values():
        if workload.checkpoint:
            assert (SAMPLE / f"{workload.checkpoint}.index").exists()
        if workload.path:
            assert (SAMPLE / workload.path).exists()
        for given in workload.inputs:
            path, _, key = given.array.partition(":")
            if path:
                assert load_arrays(SAMPLE / path)[key].shape == given.concrete_shape(workload.batch)


@needs_tensorflow
def test_forward_pass() -> None:
    described = WORKLOADS["forward pass"]
    recorded = Input("images", (4, 128, 128, 3), array="reference/inputs.npz:images")
    workload = Workload(
        described.name, "function", call=described.call, inputs=(recorded,),
        kwargs=described.kwargs, checkpoint=described.checkpoint,
    )  # fmt: skip
    found = compat().run("verify_before", workload)
    assert not found.error, found.error
    outputs = {k.rpartition("/")[2]: v for k, v in part(found.arrays, "output").items()}
    assert_equal(load_arrays(RECORDED / "forward.npz"), outputs, 1e-5)


@needs_tensorflow
def test_losses_and_gradients() -> None:
    found = compat().run("verify_before", WORKLOADS["training, 128 pixels"])
    assert not found.error, found.error
    recorded = load_arrays(RECORDED / "gradients.npz")
    gradients = part(recorded, "gradient")
    assert len(gradients) == len(found.facts["trainable"]) > 100
    # the gradients are kept in float32
    assert_equal(gradients, part(found.arrays, "gradient"), 1e-6)
    losses = {k: v for k, v in recorded.items() if k.endswith("_loss")}
    assert len(losses) == 4
    assert_equal(losses, part(found.arrays, "output"), 1e-10)


@needs_tensorflow
def test_three_training_steps(tmp_path: Path) -> None:
    copy = WorkingCopy(compat(), tmp_path)
    found = copy.run(STEPS)
    assert not found.error, found.error
    checkpoint = {"path": str(copy.out / "model.ckpt-3")}
    written = Side.after(SAMPLE).run("verify_checkpoint", STEPS, checkpoint).arrays
    recorded = load_arrays(RECORDED / "steps_float64.npz")
    moments = part(recorded, "moments")
    assert set(written) == set(part(recorded, "variable")) | set(moments)
    assert_equal(part(recorded, "variable"), written, 1e-6)
    # slots and averages: sum and sum of squares were kept
    sums = {k: np.array([np.sum(written[k]), np.sum(written[k] ** 2)]) for k in moments}
    assert_equal(moments, sums, 1e-6)


@needs_tensorflow
def test_detections(tmp_path: Path) -> None:
    described = WORKLOADS["detect.py"]
    workload = Workload("detect", "command", command=f"{described.command} --num_images=8")
    copy = WorkingCopy(compat(), tmp_path)
    found = copy.run(workload)
    assert not found.error, found.error
    recorded = load_arrays(RECORDED / "detections.npz")
    assert sum(len(v) for k, v in recorded.items() if k.endswith("/scores")) > 5
    assert_equal(recorded, load_arrays(copy.out / "detections.npz"), 1e-5)


@pytest.mark.tf1
@pytest.mark.skipif(not os.environ.get("MIGRATOR_TF1_PYTHON"), reason="needs MIGRATOR_TF1_PYTHON")
def test_unit_tests_on_tensorflow_1() -> None:
    workload = WORKLOADS["unit tests"]
    found = outcomes(workload, Side.before(SAMPLE, find_reference()), files_of(SAMPLE, workload.paths))
    assert not found.errors
    assert not [k for k, (outcome, _) in found.tests.items() if outcome == "failed"]
    assert len(found.passed) > 50
