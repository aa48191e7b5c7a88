"""A local Ray cluster: all results, whoever is killed; clear errors where there is no cluster."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from migrator.engine import ray_pool
from migrator.engine.ray_pool import Cluster, RayError

ray = pytest.importorskip("ray")
pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
_state: dict[str, Path] = {}


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    """One cluster for all tests here; `run` uses it and leaves it running.

    On a crowded machine Ray kills workers for want of memory and gives up those that start slowly:
    both are off, as nothing here is about them.
    """
    os.environ |= {
        "RAY_memory_monitor_refresh_ms": "0", "RAY_worker_register_timeout_seconds": "600",
    }  # fmt: skip
    ray.init(
        address="local", num_cpus=2, include_dashboard=False, log_to_driver=False,
        object_store_memory=128 << 20,
        runtime_env={"env_vars": {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}},
    )  # fmt: skip
    yield
    ray.shutdown()


def set_up(folder: Path) -> None:
    _state["folder"] = folder


def refuse(folder: Path) -> None:
    raise ValueError("no such thing on this machine")


def set_up_at_the_fifth_time(folder: Path) -> None:
    """Kills its process four times before."""
    seen = len(list(folder.iterdir()))
    (folder / str(seen)).touch()
    if seen < 4:
        os.kill(os.getpid(), signal.SIGKILL)


def twice(item: int) -> int:
    return 2 * item


def square(item: int) -> int:
    """Kills its process the first time it sees 7, and each time it sees 13."""
    seen = _state["folder"] / "seven"
    if item == 13 or (item == 7 and not seen.exists()):
        if item == 7:
            seen.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return item * item


def with_payload(item: int, payload: str) -> str:
    return f"{item}:{payload}"


def raising(item: int) -> int:
    raise KeyError(item)


def lost_text(item: int, why: str) -> str:
    return why


def lost(item: int, why: str) -> int:
    assert "died" in why
    return -item


@pytest.mark.parametrize("chunk", [1, 4])
def test_a_killed_worker_loses_nothing_and_an_item_that_kills_is_named(
    tmp_path: Path, chunk: int
) -> None:
    found = list(
        ray_pool.run(square, range(30), set_up, (tmp_path,), lost, Cluster(workers=2), chunk=chunk)
    )
    assert sorted(found) == sorted([-13, *(n * n for n in range(30) if n != 13)])
    assert ray.is_initialized()  # it was not this run's cluster to stop


def test_an_item_is_not_blamed_for_workers_that_never_started(tmp_path: Path) -> None:
    found = ray_pool.run(
        twice, [1, 2, 3], set_up_at_the_fifth_time, (tmp_path,), lost, Cluster(workers=1)
    )
    assert sorted(found) == [2, 4, 6]


def test_what_workers_need_of_our_disk_is_sent_along(tmp_path: Path) -> None:
    found = ray_pool.run(
        with_payload, [1, 2, 3], set_up, (tmp_path,), lost_text, Cluster(), load=lambda n: "x" * n
    )
    assert sorted(found) == ["1:x", "2:xx", "3:xxx"]


def test_errors_of_the_function_are_raised_as_they_are(tmp_path: Path) -> None:
    with pytest.raises(KeyError):
        list(ray_pool.run(raising, [1], set_up, (tmp_path,), lost, Cluster()))


def test_workers_that_cannot_start_end_the_run(tmp_path: Path) -> None:
    with pytest.raises(RayError, match="no such thing on this machine"):
        list(ray_pool.run(square, [1], refuse, (tmp_path,), lost, Cluster()))


def test_a_worker_larger_than_the_cluster_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RayError, match="2 CPU, a worker needs 64"):
        list(ray_pool.run(square, [1], set_up, (tmp_path,), lost, Cluster(cpus=64)))


def test_without_ray_the_message_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(RayError, match=r"pip install 'migrator\[ray\]'"):
        list(ray_pool.run(square, [1], set_up, (tmp_path,), lost, Cluster()))


_BOTH_PLANS = """
import sys
from dataclasses import replace
from pathlib import Path

import ray

from migrator.engine.options import Options
from migrator.engine.plan import build_plan

tree, sources, address = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
ray.init(
    address=address, log_to_driver=False,
    runtime_env={"env_vars": {"PYTHONPATH": sources}},
)
here = build_plan(tree, Options(jobs=1))
there = build_plan(tree, Options(engine="ray", jobs=2))
plain = [replace(result, seconds=0.0) for result in here.files]
assert [replace(result, seconds=0.0) for result in there.files] == plain
assert len(there.changed) == 20
assert {result.path for result in there.failed} == {"broken.py", "binary.py"}
print("alike")
"""


def test_a_plan_made_on_the_cluster_is_the_plan_made_here(tmp_path: Path) -> None:
    """Workers refuse other sources than the driver's, so both have a copy that nobody edits."""
    sources, tree = tmp_path / "sources", tmp_path / "tree"
    for package in ("migrator", "rules", "templates"):
        shutil.copytree(
            ROOT / package, sources / package, ignore=shutil.ignore_patterns("__pycache__")
        )
    for number in range(20):
        folder = tree / f"pkg{number % 3}"
        folder.mkdir(parents=True, exist_ok=True)
        text = f"import numpy as np\n\nx = np.float({number})\n"
        (folder / f"m{number}.py").write_text(text)
    (tree / "uses.py").write_text("import tensorflow as tf\n")
    (tree / "broken.py").write_text("def f(:\n")
    (tree / "binary.py").write_bytes(b"\xff\xfe\0")
    address = ray.get_runtime_context().gcs_address
    done = subprocess.run(
        [sys.executable, "-c", _BOTH_PLANS, str(tree), str(sources), address],
        cwd=sources, env={**os.environ, "PYTHONPATH": str(sources)}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout.strip().endswith("alike"), done.stderr


_LOST_MACHINE = """
import time

from ray.cluster_utils import Cluster

from migrator.engine import ray_pool

node = {"num_cpus": 1, "object_store_memory": 96 << 20}
cluster = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
other = cluster.add_node(**node)
cluster.wait_for_nodes()


def slowly(item):
    time.sleep(0.2)
    return item


def set_up():
    pass


found = []
machines = ray_pool.Cluster(address=cluster.address)
for result in ray_pool.run(slowly, range(40), set_up, (), lambda *_: None, machines):
    found.append(result)
    if len(found) == 6:
        other.kill_raylet()
assert sorted(found) == list(range(40)), found
cluster.shutdown()
print("all there")
"""


def test_a_machine_that_is_lost_takes_no_item_with_it() -> None:
    """The workers that replace its own find no room, and must not be waited for."""
    done = subprocess.run(
        [sys.executable, "-c", _LOST_MACHINE], env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.stdout.strip().endswith("all there"), done.stderr
