"""Forks of a process that has imported TensorFlow: like new processes, in every way of ending too."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from migrator.measure import jobs
from migrator.measure.programs import process_stats
from migrator.measure.programs import warm as server_side
from migrator.measure.records import Cell
from migrator.measure.warm import Unavailable, Warm
from migrator.workload import child
from migrator.workload.spec import Workload

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks hand files over a socket")

JOB = """
import json, os, subprocess, sys, time
loaded = "tensorflow" in sys.modules
from migrator.measure.programs import measure_probe as real, process_stats

class probe:
    @staticmethod
    def run_main(main):
        main(sys.argv[1])

def main(what):
    if what == "fail":
        raise RuntimeError("what went wrong")
    if what == "hang":
        left = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"])
        open("left", "w").write(str(left.pid))
        time.sleep(300)
    if what == "kill":
        os.kill(os.getppid(), 9)
        time.sleep(300)
    print(json.dumps({
        "loaded": loaded, "cwd": os.getcwd(), "GIVEN": os.environ.get("GIVEN"), "stdin": sys.stdin.read(),
        "session": os.getsid(0) == os.getpid(), "imported": process_stats.imported(),
        "rss": process_stats.resident_bytes(),
    }))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("jobs")
    (root / "a_job.py").write_text(JOB)
    return root


@pytest.fixture(scope="module")
def env(folder: Path) -> dict[str, str]:
    path = os.pathsep.join([str(folder), child.own_python_path()])
    return child.quiet_environment({"PYTHONPATH": path, "CUDA_VISIBLE_DEVICES": "-1", "GIVEN": "yes"})


@pytest.fixture(scope="module")
def warm() -> Iterator[Warm]:
    with Warm() as made:
        yield made


def run(warm: Warm, env: dict[str, str], cwd: Path, what: str, **settings: Any) -> child.Outcome:
    start = warm.starter("after", env)
    return child.run(["a_job", what], cwd, env, start=start, **{"timeout": 120.0, **settings})


def test_a_fork_is_like_a_new_process(warm: Warm, env: dict[str, str], tmp_path: Path) -> None:
    ended = run(warm, env, tmp_path, "tell")
    assert ended.ok, ended.tail
    told = json.loads(ended.tail.splitlines()[-1])
    assert told["loaded"] and told["session"] and told["cwd"] == str(tmp_path.resolve())
    assert told["GIVEN"] == "yes" and told["stdin"] == ""
    # what importing took was measured once; it counts as if the fork had done it
    assert told["imported"]["seconds"] > 0
    assert told["rss"] >= told["imported"]["file_rss"] > 0
    (server,) = warm.servers.values()
    again = run(warm, env, tmp_path, "tell")
    assert again.ok and list(warm.servers.values()) == [server]


def test_ways_of_ending(warm: Warm, env: dict[str, str], tmp_path: Path) -> None:
    failed = run(warm, env, tmp_path, "fail")
    assert (failed.status, failed.returncode) == ("failed", 1) and "what went wrong" in failed.tail
    limited = run(warm, env, tmp_path, "hang", memory_limit=1)
    assert limited.status == "oom"
    hung = run(warm, env, tmp_path, "hang", timeout=20.0)
    assert hung.status == "timeout"
    assert not _alive(int((tmp_path / "left").read_text()))
    assert run(warm, env, tmp_path, "tell").ok  # the next job is not told how these ended


def test_a_process_that_is_gone(warm: Warm, env: dict[str, str], tmp_path: Path) -> None:
    killed = run(warm, env, tmp_path, "kill")
    assert killed.status == "oom"  # what kills a parent is the kernel, when memory runs out
    start = warm.starter("after", env)  # a new one
    (server,) = warm.servers.values()
    os.kill(server.process.pid, signal.SIGKILL)
    server.process.wait()
    with pytest.raises(Unavailable):
        child.run(["a_job", "tell"], tmp_path, env, start=start)
    assert run(warm, env, tmp_path, "tell").ok


def test_without_forks_there_are_processes(
    env: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cell is measured all the same where no process with TensorFlow can be had."""
    with Warm() as broken:
        broken.broken = True
        ran: list[list[str]] = []

        def run(argv: Any, *_: Any, **settings: Any) -> child.Outcome:
            assert settings.get("start") is None
            ran.append(list(argv))
            return child.Outcome("failed", 1, 0.0, "ended")

        monkeypatch.setattr(child, "run", run)
        cell = Cell("forward", "after", "function", "float32", "inference", 1)
        job = jobs.Job(cell, Workload("forward", "model", call="m:f"), 0, jobs.Settings())
        assert jobs.execute(job, tmp_path, broken).detail.startswith("ended")
    assert ran[0][:3] == [sys.executable, "-m", "migrator.measure.programs.measure_migrated"]


def test_everything_ends_with_the_measurement(env: dict[str, str], tmp_path: Path) -> None:
    with Warm() as warm:
        assert run(warm, env, tmp_path, "tell").ok
        (server,) = warm.servers.values()
        assert _alive(server.process.pid)
    assert not _alive(server.process.pid)


def test_a_fork_is_refused_after_a_gpu_was_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not server_side.has_touched_a_gpu()
    monkeypatch.setattr(os, "readlink", lambda path: "/dev/nvidia0")
    assert server_side.has_touched_a_gpu()


def test_nothing_was_imported_elsewhere() -> None:
    assert process_stats.imported() == {}
    assert process_stats.resident_bytes() >= process_stats.file_bytes() > 0


def _alive(pid: int) -> bool:
    for _ in range(50):
        stat = Path(f"/proc/{pid}/stat")
        if not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "Z":
            return False
        time.sleep(0.1)
    return True
