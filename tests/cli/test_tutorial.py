"""Every command line of docs/tutorial.md, on a repository like those that people have: subfolders, no
migrator.toml, no tests. TensorFlow runs in it, for `verify` and `measure`."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from migrator.measure import records
from tests import forks

ROOT = Path(__file__).resolve().parents[2]
TRAIN = '''\
"""Fits a line with a hidden layer."""
import argparse

import tensorflow as tf

from nets import dense
from utils.data import batches


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--width", type=int, default=8)
    args = parser.parse_args()
    tf.set_random_seed(1)
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    y = tf.placeholder(tf.float32, [None, 1], name="y")
    loss = tf.losses.mean_squared_error(y, dense.network(x, args.width))
    step = tf.train.AdamOptimizer(0.01).minimize(loss)
    saver = tf.train.Saver()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for inputs, targets in batches(args.steps):
            _, value = sess.run([step, loss], {x: inputs, y: targets})
            print("loss %.4f" % value)
        saver.save(sess, "./model.ckpt")


if __name__ == "__main__":
    main()
'''
DENSE = '''\
import tensorflow as tf


def network(inputs, width):
    with tf.variable_scope("net"):
        kernel = tf.get_variable("kernel", [3, width], initializer=tf.constant_initializer(0.1))
        hidden = tf.nn.relu(tf.matmul(inputs, kernel))
        last = tf.get_variable("last", [width, 1], initializer=tf.constant_initializer(0.2))
        return tf.matmul(hidden, last)
'''
DATA = '''\
import numpy as np


def batches(steps):
    random = np.random.RandomState(3)
    for _ in range(steps):
        inputs = random.normal(size=[4, 3]).astype(np.float32)
        yield inputs, inputs.sum(axis=1, keepdims=True)
'''
# what ends with another code than 0, and why
CODES = {
    "migrator migrate . --review ../review.html": 1,  # there is something to change
}


def command_lines() -> list[str]:
    """What the tutorial tells to type, in its order; without those that reach outside."""
    text = (ROOT / "docs" / "tutorial.md").read_text()
    found: list[str] = []
    for block, inline in re.findall(r"^```\n(.*?)^```$|`(migrator [^`]+)`", text, re.MULTILINE | re.DOTALL):
        found += [inline] if inline else block.splitlines()
    shown = [re.sub(r"\s+", " ", line.partition("  #")[0]).strip() for line in found]
    outside = ("pip ", "cd ", "git push", "gh ")
    return [line for line in shown if line and not line.startswith(outside)]


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    for name, text in {
        "train.py": TRAIN, "nets/__init__.py": "", "nets/dense.py": DENSE, "utils/__init__.py": "",
        "utils/data.py": DATA, "README.md": "# A line\n", "requirements.txt": "tensorflow==1.15.0\nnumpy\n",
    }.items():  # fmt: skip
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


@pytest.mark.timeout(1800)
def test_every_command_of_the_tutorial_runs(repo: Path, tmp_path: Path) -> None:
    lines = command_lines()
    assert len(lines) >= 14 and {"migrator scan .", "migrator explain tf.Session"} <= set(lines)
    (tmp_path / "bin").mkdir()
    own = tmp_path / "bin" / "migrator"
    own.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m migrator "$@"\n')
    own.chmod(0o755)
    git = {f"GIT_{who}_{what}": f"a{'@example.org' * (what == 'EMAIL')}"
           for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}  # fmt: skip
    environment = {
        **os.environ, **git, "PATH": f"{own.parent}:{os.path.dirname(sys.executable)}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT), "GIT_CONFIG_GLOBAL": os.devnull, "NO_COLOR": "1",
    }  # fmt: skip

    def run(line: str) -> subprocess.CompletedProcess[str]:
        args = shlex.split(line)
        if args[0] == "migrator" and not set(line) & set("|&;<>$*`"):
            done = forks.COMMAND.run(["-m", *args], repo, environment)
            said = done.stdout.decode(), done.stderr.decode()
            return subprocess.CompletedProcess(line, done.returncode, *said)
        return subprocess.run(["sh", "-c", line], cwd=repo, env=environment, text=True, timeout=900,
                              stdin=subprocess.DEVNULL, capture_output=True)  # fmt: skip

    assert run("git init -q -b main && git add . && git commit -qm 'As it was'").returncode == 0
    words = {"CODE": "TF301", "tf.some.symbol": "tf.placeholder", "decisions.json": "../decisions.json"}
    told: dict[str, str] = {}
    for line in lines:
        if "--decisions" in line:  # the page is what saves them (tests/report/test_review.py)
            continue
        typed = re.sub(r"\b(CODE|tf\.some\.symbol)\b", lambda m: words[m[1]], line)
        done = run(typed)
        if line == "migrator undo .":  # what it took back was committed, and is wanted again
            assert run("git diff --quiet").returncode == 1
            assert run("git checkout -q .").returncode == 0
        told[line] = done.stdout + done.stderr
        assert "Traceback" not in done.stderr, f"{typed}\n{done.stderr}"
        assert done.returncode == CODES.get(line, 0), f"{typed}: {done.returncode}\n{told[line]}"
    first = [line.strip() for line in told["migrator scan ."].splitlines() if line.strip()][:3]
    wrote = [line.strip() for line in told["migrator migrate . --commit"].splitlines()]
    assert [n.split()[0] for n in first] == [
        next(w for w in wrote if word in w).split()[0]
        for word in ("edit", "places on tf.compat.v1", "places for a person")
    ]
    measured = records.load((repo / ".migrator" / "measure.json").read_text())
    plain = [r for r in measured.cells if r.cell.execution in ("command", "graph_session", "function")
             and r.cell.precision == "float32"]  # fmt: skip
    assert {(r.cell.workload, r.cell.side, r.status) for r in plain} == {
        (name, side, "ok") for name in ("train.py", "nets.dense.network") for side in ("before", "after")
    }
    assert all(r.allocator_peak for r in plain)
    assert 'command = "python train.py"' in (repo / "migrator.toml").read_text()
    verified = json.loads((repo / ".migrator" / "verify.json").read_text())["checks"]
    assert "equal" in {c["status"] for c in verified}, verified  # what --steps 3 printed and saved
    assert (repo / ".migrator" / "report.html").stat().st_size > 10_000
    assert "TensorFlow 2" in (repo / "pull-request.md").read_text()
