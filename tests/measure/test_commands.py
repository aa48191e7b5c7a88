"""Whole programs under the probe: every way to behave, and nothing left of them afterwards."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from migrator.measure import commands
from migrator.measure.jobs import Job, Outcome, Settings, execute
from migrator.measure.records import Cell, sample_from_json
from migrator.workload.spec import Input, Workload


def run(tmp_path: Path, code: str, command: str = "", **settings: Any) -> Outcome:
    tree = tmp_path / "tree"
    tree.mkdir(exist_ok=True)
    (tree / "program.py").write_text(code, encoding="utf-8")
    workload = Workload("c", "command", command=command or "python program.py")
    found = commands.execute(workload, "after", tree, Settings(**{"timeout": 60.0, **settings}))
    assert found.raw is not None and sample_from_json(found.raw).wall
    assert "probe_error" not in found.raw["extra"], found.raw["extra"]
    return found


def extra(found: Outcome) -> dict[str, Any]:
    assert found.raw is not None
    values: dict[str, Any] = found.raw["extra"]
    return values


def gone(pid: int) -> bool:
    for _ in range(50):
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.1)
    return False


def test_the_repository_stays_as_it_was(tmp_path: Path) -> None:
    found = run(tmp_path, "open('checkpoint', 'w').write('x')")
    assert found.status == "ok"
    assert sorted(p.name for p in (tmp_path / "tree").iterdir()) == ["program.py"]


def test_a_module_with_arguments_and_a_shell(tmp_path: Path) -> None:
    code = "import sys; print(sys.argv); raise SystemExit(0 if sys.argv[1:] == ['a b'] else 4)"
    assert run(tmp_path, code, "python -m program 'a b'").status == "ok"
    assert run(
        tmp_path, code, "X=1 python3 program.py 'a b' && {python} program.py"
    ).detail.endswith("exit code 4")


def test_forks_and_children_each_tell_of_themselves(tmp_path: Path) -> None:
    code = (
        "import os, subprocess, sys, time\n"
        "if len(sys.argv) > 1:\n    time.sleep(0.2); raise SystemExit\n"
        "data = bytearray(50_000_000)\n"
        "pid = os.fork()\n"
        "if pid == 0:\n    more = bytearray(60_000_000); time.sleep(1.3); os._exit(0)\n"
        "subprocess.run([sys.executable, __file__, 'child'])\n"
        "os.waitpid(pid, 0)\n"
    )
    found = extra(run(tmp_path, code))
    processes = found["processes"]
    assert len(processes) == 3 and sum(p["forked"] for p in processes) == 1
    (forked,) = [p for p in processes if p["forked"]]
    assert not forked["final"]  # os._exit: what it had written by then
    assert forked["rss_peak"] > 60_000_000
    assert found["rss_peak"] > 160_000_000  # the tree, from outside


def test_a_crash_leaves_its_last_lines_and_what_was_known(tmp_path: Path) -> None:
    code = (
        "import sys, time, os, signal\n"
        "sys.stdout.buffer.write(bytes(range(256)) * 4 + b'\\nlast words\\n'); sys.stdout.flush()\n"
        "time.sleep(1.3)\n"
        "os.kill(os.getpid(), signal.SIGSEGV)\n"
    )
    found = run(tmp_path, code)
    assert found.status in ("killed", "failed")  # the shell turns a signal into an exit code
    assert "last words" in found.detail and found.detail.isprintable() is False
    assert all(c.isprintable() or c in "\n\t\ufffd" for c in found.detail)
    assert extra(found)["processes"][0]["rss_peak"] > 0


def test_missing_data_is_named_in_the_last_lines(tmp_path: Path) -> None:
    code = "print('epoch 1'); open('data/train.tfrecord').read()"
    found = run(tmp_path, code)
    assert found.status == "failed"
    *_, error, ended = found.detail.splitlines()
    assert error.startswith("FileNotFoundError") and "'data/train.tfrecord'" in error
    assert ended == "exit code 1"


def test_a_model_that_misses_its_data_says_which(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text("def build():\n    return open('weights/net.ckpt').read()\n")
    workload = Workload("net", "model", call="net:build", inputs=(Input("x", ("batch", 4)),))
    cell = Cell("net", "after", "function", "float32", "inference", 1)
    found = execute(Job(cell, workload, 0, Settings(arena_bytes=0)), tmp_path)
    assert found.status == "failed" and found.raw is None
    assert "'weights/net.ckpt'" in found.detail.splitlines()[-1]


def test_a_program_that_hangs_is_ended_with_all_its_children(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    code = (
        "import os, subprocess, sys, time\n"
        f"out = open({str(pids)!r}, 'a')\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(99)'],\n"
        "                         start_new_session=True)\n"
        "if os.fork() == 0:\n    os.setsid(); out.write(f'{os.getpid()} '); out.flush()\n"
        "    time.sleep(99)\n"
        "out.write(f'{os.getpid()} {child.pid} '); out.flush()\n"
        "print('still here', flush=True); time.sleep(99)\n"
    )
    began = time.monotonic()
    found = run(tmp_path, code, timeout=3.0)
    assert found.status == "timeout" and time.monotonic() - began < 30
    assert found.detail.splitlines()[-2:] == ["still here", "stopped after 3 s"]
    left = [int(p) for p in pids.read_text().split()]
    assert len(left) == 3 and all(gone(p) for p in left)


def test_a_leak_ends_at_the_limit(tmp_path: Path) -> None:
    code = (
        "import time\nheld = []\nwhile True:\n    held.append(bytearray(4 << 20)); time.sleep(0.02)"
    )
    found = run(tmp_path, code, memory_limit=300 << 20)
    assert found.status == "oom" and found.detail.endswith("out of memory")
    growth = extra(found)["growth"]
    assert growth is None or growth["rss"] > 1e6
    assert extra(found)["rss_peak"] > 300 << 20


def test_a_flood_of_output_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("migrator.workload.child.LOG_LIMIT", 1 << 20)
    code = (
        "import sys, time\n"
        "for i in range(40):\n"
        "    sys.stdout.write('x' * 99_999 + '\\n'); sys.stdout.flush(); time.sleep(0.05)\n"
        "print('the end')\n"
    )
    found = run(tmp_path, code + "raise SystemExit(3)")
    assert found.detail.splitlines()[-2:] == ["the end", "exit code 3"]


def test_the_users_own_sitecustomize_still_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text("import builtins; builtins.mine = 7")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))
    assert run(tmp_path, "raise SystemExit(0 if mine == 7 else 1)").status == "ok"


PROGRAM = """
import json, time
import tensorflow as tf
v = tf.Variable(tf.ones([500, 500]))

@tf.function
def step(x):
    return tf.reduce_sum(tf.matmul(x, v))

x = tf.ones([500, 500])
step(x)
info = tf.config.experimental.get_memory_info("CPU:0")

def block(n=60):
    began = time.process_time()
    for _ in range(n):
        step(x)
    return time.process_time() - began

times = [block() for _ in range(3)]
print(json.dumps({"info": info, "peak": tf.config.experimental.get_memory_info("CPU:0")["peak"]}))
"""


@pytest.mark.slow
def test_tensorflow_is_seen_and_not_disturbed(tmp_path: Path) -> None:
    """Phases, calls and the allocator's own peak; less than 3 % time and 1 MB of the allocator."""
    pytest.importorskip("tensorflow")
    found = run(tmp_path, PROGRAM + "\nraise SystemExit(5)", timeout=240.0)
    assert found.status == "failed" and found.raw is not None
    names = [p["name"] for p in found.raw["phases"]]
    assert names[0] == "import" and names[-3:] == ["initialisation", "first step", "steady"]
    calls = extra(found)["calls"]
    assert calls["step"]["count"] == 181 and calls["step"]["traces"] == 1
    said = next(line for line in found.detail.splitlines() if line.startswith('{"info"'))
    peak = found.raw["steady_peaks"][0]
    assert peak >= 3 * 500 * 500 * 4
    assert f'"peak": {peak}' in said  # what the program itself reads: nothing was reset or added
    (process,) = extra(found)["processes"]
    assert process["overhead"] <= 0.03 * process["cpu"], process


@pytest.mark.slow
def test_functions_of_a_graph_are_seen(tmp_path: Path) -> None:
    """Migrated programs call them as one operation, which is no call of a `tf.function`."""
    pytest.importorskip("tensorflow")
    code = (
        "import tensorflow as tf\n"
        "f = tf.function(lambda x: x * 2.0).get_concrete_function(tf.TensorSpec([3]))\n"
        "for _ in range(4):\n"
        "    (y,) = tf.raw_ops.StatefulPartitionedCall(args=[tf.ones(3)], Tout=[tf.float32], f=f)\n"
        "print(float(y[0]))\n"
    )
    found = run(tmp_path, code, timeout=240.0)
    assert found.status == "ok", found.detail
    assert extra(found)["calls"]["graph function"]["count"] == 4


@pytest.mark.slow
def test_tf1_code_runs_before_the_migration(tmp_path: Path) -> None:
    pytest.importorskip("tf_slim")
    code = (
        "import tensorflow as tf\n"
        "import tensorflow.contrib.slim as slim\n"
        "x = tf.placeholder(tf.float32, [100, 100])\n"
        "y = slim.fully_connected(x, 10)\n"
        "with tf.Session() as sess:\n"
        "    sess.run(tf.global_variables_initializer())\n"
        "    for _ in range(3):\n        sess.run(y, {x: [[1.0] * 100] * 100})\n"
    )
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "program.py").write_text(code)
    workload = Workload("c", "command", command="python program.py")
    found = commands.execute(workload, "before", tree, Settings(timeout=240.0))
    assert found.status == "ok", found.detail
    assert extra(found)["calls"]["Session.run"]["count"] == 4
    assert found.raw is not None and found.raw["steady_peaks"][0] > 0
    assert os.environ.get("MIGRATOR_PROBE") is None
    (tree / "program.py").write_text("from tensorflow.contrib import factorization\n")
    refused = commands.execute(workload, "before", tree, Settings(timeout=240.0))
    assert "run the original on TensorFlow 1.15, whose interpreter --tf1-python names" in refused.detail
