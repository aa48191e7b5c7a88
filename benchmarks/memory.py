"""How much memory a migration takes as a tree grows: generated trees, the real command.

    python benchmarks/memory.py [--files 2500 5000 20000] [--jobs 2] [--commands migrate scan] [--json FILE]

Each tree has that many modules: networks, sessions, helpers, notebooks, modules without TensorFlow, one
of a thousand lines in each hundred, no two alike. For each command: seconds, CPU seconds of all
processes, and the peak resident memory of the main process and of the largest of its workers. Exits
with 1 when the main process grows by more than a megabyte for each hundred files between the smallest
and the largest tree, or any process takes more than 400 MB.

Commands run in the order given. `apply` without a `plan` before it takes a plan that was made here, by
replacing words: what apply, report and undo need does not depend on how a file was migrated, and a
migration of 20,000 files takes its time.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from migrator.model import Change, FileResult, Finding, Plan, Status
from migrator.project import planfile
from migrator.project.results import Results
from migrator.project.source import sha256

ROOT = Path(__file__).resolve().parent.parent
MOST_GROWTH = 1.0  # MB of the main process for each hundred files
MOST = 400.0  # MB of any process

HELPER = '''\
"""Helper {n} of a generated repository."""
import os
import numpy as np
import tensorflow as tf
from {package} import helper_{other}


{functions}


class Config{n}(object):
    learning_rate = 0.{n}
    names = [{names}]
'''
FUNCTION = '''\
def normalise_{n}_{k}(image, mean={n}.0, std={k}.0):
    """Bring an image to mean 0 and deviation 1.

    The mean of data set {n} is {n}.{k}, of which the first digits are enough; see table {k} of the
    report that came with it, and what is said there about images without a person in them.
    """
    # The order of these is that of the program which made the weights of model {n}.{k}.
    image = tf.to_float(image)
    image = tf.div(image - mean, std)
    return tf.log(tf.maximum(image, 1e-{k}))


def summary_{n}_{k}(name, values):
    total = tf.reduce_sum(values, keep_dims=True, reduction_indices=1)
    tf.summary.scalar(name + "/{n}", tf.reduce_mean(total))
    return np.asarray([int(os.environ.get("STEPS_{n}", "{k}"))], dtype=np.int)
'''
NETWORK = '''\
"""Network {n}."""
import tensorflow as tf
slim = tf.contrib.slim


def network_{n}(inputs, is_training=True, reuse=None, scope="net{n}"):
    with tf.variable_scope(scope, "net{n}", [inputs], reuse=reuse):
        with slim.arg_scope([slim.conv2d], weights_regularizer=slim.l2_regularizer(1e-{e})):
            net = slim.conv2d(inputs, {n} % 64 + 8, [3, 3], scope="conv1")
            net = slim.max_pool2d(net, [2, 2], scope="pool1")
            net = slim.batch_norm(net, is_training=is_training)
            net = slim.flatten(net)
            return slim.fully_connected(net, 10, activation_fn=None, scope="logits")
'''
SESSION = '''\
"""Training program {n}."""
import tensorflow as tf
from {package} import network_{net}


def main(steps={n}):
    images = tf.placeholder(tf.float32, [None, 8, 8, 3], name="images")
    labels = tf.placeholder(tf.int64, [None], name="labels")
    logits = network_{net}.network_{net}(images)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf.train.AdamOptimizer(1e-{e}).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(steps):
            _, value = sess.run([train_op, loss], feed_dict={{images: batch(step), labels: answers(step)}})
            print("{n}", step, value)
'''
PLAIN = '''\
"""Module {n} has nothing to do with TensorFlow."""
import collections
import json

VALUES = {{{values}}}


def load_{n}(path):
    with open(path) as stream:
        found = json.load(stream)
    return collections.OrderedDict((key, found[key]) for key in sorted(found) if key not in VALUES)
'''


def module(n: int) -> tuple[str, str]:
    """(path, text) of one file."""
    package = f"package{n // 400}"
    base = n // 20 * 20
    common = {
        "n": n, "e": n % 7 + 2, "package": package, "other": base, "net": base + 15,
        "functions": "\n\n".join(FUNCTION.format(n=n, k=k) for k in range(1, 9)),
        "names": ", ".join(f'"name_{n}_{k}"' for k in range(60)),
        "values": ", ".join(f'"key_{n}_{k}": {k}' for k in range(80)),
    }  # fmt: skip
    kind = n % 20
    if n % 100 == 51:
        common["functions"] = "\n\n".join(FUNCTION.format(n=n, k=k) for k in range(1, 60))
    if kind < 12:
        return f"{package}/helper_{n}.py", HELPER.format(**common)
    if kind < 17:
        return f"{package}/network_{n}.py", NETWORK.format(**common)
    if kind == 17:
        return f"{package}/train_{n}.py", SESSION.format(**common)
    if kind == 18:
        cells = [part + "\n" for part in HELPER.format(**common).split("\n\n\n")]
        made: list[dict[str, object]] = [
            {"cell_type": "code", "source": cell, "metadata": {}, "outputs": [], "execution_count": None}
            for cell in cells
        ]
        book = {"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
        return f"{package}/book_{n}.ipynb", json.dumps(book)
    return f"{package}/plain_{n}.py", PLAIN.format(**common)


def make_tree(root: Path, files: int) -> int:
    """Write the tree; its characters."""
    size = 0
    for n in range(files):
        path, text = module(n)
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
        size += len(text)
    return size


def make_plan(root: Path, file: Path) -> None:
    """A plan for the tree with a change for each line that names TensorFlow, and a finding in each module
    that names what it lost."""
    results = Results()
    for place in root.rglob("*.py"):
        path, data = place.relative_to(root).as_posix(), place.read_bytes()
        old = data.decode()
        new = old.replace("tf.to_float(", "to_float(").replace(" tf.", " tf.compat.v1.")
        lines = zip(old.split("\n"), new.split("\n"), strict=True)
        changes = tuple(Change("TF101", n, n, "was renamed") for n, (a, b) in enumerate(lines, 1) if a != b)
        findings = tuple(Finding("TF120", path, n, 0, f"{word} is gone", "Write it anew.")
                         for n, line in enumerate(old.split("\n"), 1)
                         for word in ("tf.contrib", "tf.Session") if word in line)  # fmt: skip
        results.put(FileResult(
            path, Status.CHANGED if changes else Status.UNCHANGED, sha256(data), old,
            new if changes else None, changes, findings,
        ))  # fmt: skip
    with open(file, "wb") as stream:
        planfile.write(Plan(str(root), results.done(), tool_version="0"), stream)


COMMANDS: dict[str, Callable[[Path], list[str]]] = {
    "scan": lambda root: ["scan", str(root), "--no-cache"],
    "migrate": lambda root: ["migrate", str(root), "--no-cache"],
    "undo": lambda root: ["undo", str(root)],
    "diff": lambda root: ["migrate", str(root), "--diff"],
    "cached": lambda root: ["migrate", str(root), "--diff", "--json"],
    "out": lambda root: ["migrate", str(root), "--out", str(root.with_name("copy"))],
    "plan": lambda root: ["migrate", str(root), "--plan", str(root.with_name("plan.json"))],
    "apply": lambda root: ["apply", str(root.with_name("plan.json")), str(root)],
    "report": lambda root: ["report", str(root), "--out", str(root.with_name("report.html"))],
}


def run(arguments: list[str], jobs: int, scratch: Path) -> dict[str, float]:
    """Seconds and peaks of one command."""
    if arguments[0] in ("scan", "migrate"):
        arguments = [*arguments, "--jobs", str(jobs)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(scratch / "cache")}
    started = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "migrator", *arguments], env=environment, cwd=scratch,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    watched = psutil.Process(process.pid)
    main = worker = 0
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    while process.poll() is None:
        try:
            main = max(main, watched.memory_info().rss)
            for child in watched.children():
                worker = max(worker, child.memory_info().rss)
        except psutil.Error:
            pass
        time.sleep(0.05)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - usage.ru_utime - usage.ru_stime
    return {
        "seconds": round(time.monotonic() - started, 1), "cpu": round(cpu, 1), "code": process.returncode,
        "main_mb": round(main / 1e6, 1), "worker_mb": round(worker / 1e6, 1),
    }  # fmt: skip


def main() -> int:
    """Print the table; exit status as the module says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--files", type=int, nargs="+", default=[2500, 5000, 20_000])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--commands", nargs="+", choices=COMMANDS, default=["scan", "migrate", "undo"])
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    rows: list[dict[str, float | str]] = []
    print(
        f"{'command':<10}{'files':>8}{'MB':>8}{'seconds':>9}{'CPU s':>8}{'main MB':>9}{'worker MB':>11}"
        f"{'code':>6}"
    )
    with tempfile.TemporaryDirectory(prefix="migrator-memory-") as folder:
        for files in sorted(arguments.files):
            scratch = Path(folder) / str(files)
            size = make_tree(scratch / "tree", files) / 1e6
            if "apply" in arguments.commands and "plan" not in arguments.commands:
                make_plan(scratch / "tree", scratch / "plan.json")
            for name in arguments.commands:
                row = run(COMMANDS[name](scratch / "tree"), arguments.jobs, scratch)
                rows.append({"command": name, "files": files, "source_mb": round(size, 1), **row})
                print(
                    f"{name:<10}{files:>8,}{size:>8.1f}{row['seconds']:>9.1f}{row['cpu']:>8.1f}"
                    f"{row['main_mb']:>9.1f}{row['worker_mb']:>11.1f}{row['code']:>6.0f}", flush=True,
                )  # fmt: skip
            shutil.rmtree(scratch)
    missed = 0
    for name in arguments.commands:
        own = [row for row in rows if row["command"] == name]
        if len(own) > 1:
            files = int(own[-1]["files"]) - int(own[0]["files"])
            growth = (float(own[-1]["main_mb"]) - float(own[0]["main_mb"])) * 100 / files
            missed += growth > MOST_GROWTH
            met = "ok" if growth <= MOST_GROWTH else "MISSED"
            print(f"{met:<7}{name}: {growth:.2f} MB more for each 100 files (aim: {MOST_GROWTH:g})")
    largest = max(max(float(row["main_mb"]), float(row["worker_mb"])) for row in rows)
    met = "ok" if largest <= MOST else "MISSED"
    print(f"{met:<7}{largest:.0f} MB at most (aim: {MOST:g})")
    missed += largest > MOST
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
