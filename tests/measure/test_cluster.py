"""The matrix on a local Ray cluster with two kinds of accelerators; a worker dies in the middle."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from migrator.measure import cluster, matrix
from migrator.measure.jobs import Settings
from migrator.workload.spec import Input, Workload

NODE = {"Alive": True, "Resources": {"CPU": 8.0, "GPU": 2.0, "accelerator_type:T4": 1.0}}
# Stands for a model, and ends the worker that measures it the first time: its parent's process.
NET = """
import os, signal, pathlib
import tensorflow as tf

def build():
    marker = pathlib.Path({marker!r})
    if not marker.exists():
        marker.touch()
        os.kill(os.getppid(), signal.SIGKILL)
    weights = tf.Variable(tf.ones([10, 10]))
    return lambda x: tf.matmul(x, weights)
"""


def test_kinds_of_a_cluster() -> None:
    found = cluster.kinds([
        NODE, {**NODE, "Alive": False, "Resources": {"GPU": 1.0, "accelerator_type:V100": 1.0}},
        {"Alive": True, "Resources": {"CPU": 16.0}},
    ])  # fmt: skip
    assert list(found) == ["T4"] and (found["T4"].cpus, found["T4"].gpus) == (4.0, 1.0)
    assert found["T4"].resources == (("accelerator_type:T4", 0.001),)
    only = cluster.kinds([{"Alive": True, "Resources": {"CPU": 16.0}}])
    assert list(only) == ["CPU"] and only["CPU"].cpus == 16.0
    assert cluster.kinds([]) == {}


def test_trees_travel_without_history(tmp_path: Path) -> None:
    root = tmp_path / "root"
    for name in ("a/b.py", ".git/config", ".migrator/cells/x.json", "a/__pycache__/b.pyc"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    cluster.unpack({"after": cluster.pack(root)})
    tree = cluster._trees.pop("after")
    stale = tree.parent.parent / "migrator-trees-999999999-x"
    stale.mkdir()
    cluster.unpack({})
    assert not stale.exists() and tree.exists()
    assert [p.relative_to(tree).as_posix() for p in tree.rglob("*") if p.is_file()] == ["a/b.py"]


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    ray = pytest.importorskip("ray")
    pytest.importorskip("tensorflow")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("CUDA_VISIBLE_DEVICES", raising=False)  # Ray believes it, and has no GPUs then
        _start(ray)
    yield ray
    ray.shutdown()


def _start(ray: Any) -> None:
    ray.init(
        address="local", num_cpus=2, num_gpus=2, include_dashboard=False, log_to_driver=False,
        object_store_memory=128 << 20, resources={"accelerator_type:T4": 1, "accelerator_type:A100": 1},
        runtime_env={"env_vars": {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}},
    )  # fmt: skip


@pytest.mark.slow
def test_each_kind_measures_every_cell(ray: Any, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "net.py").write_text(NET.format(marker=str(tmp_path / "killed")))
    workload = Workload("net", "model", call="net:build", inputs=(Input("input", ("batch", 10)),))
    axes = matrix.Matrix((2,), ("function",), ("float32",), sides=("after",))
    settings = Settings(repeats=1, steps=2, warmups=1, arena_bytes=2**28, timeout=300.0)

    def measure(wanted: tuple[str, ...] = ()) -> Any:
        return cluster.run(tree, tree, [workload], tmp_path / "out", axes, settings, wanted=wanted)

    measured = measure()
    assert (tmp_path / "killed").exists()
    by = {r.machine: r for r in measured.cells}
    assert set(by) == {"T4", "A100"} == set(measured.machines)
    assert all(r.ok for r in by.values()), [r.detail for r in by.values()]
    assert {m["accelerator"] for m in measured.machines.values()} == {"T4", "A100"}
    before = {p: p.stat().st_mtime_ns for p in (tmp_path / "out" / "cells").glob("*-0-*.json")}
    again = measure()
    assert before == {p: p.stat().st_mtime_ns for p in before} and len(again.cells) == 2
    with pytest.raises(cluster.RayError, match="no H200; it has"):
        measure(("H200",))
