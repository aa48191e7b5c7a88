"""Kills a process that writes a tree, or undoes, at a random instant; used by tests and benchmark."""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from migrator.engine import decisions
from migrator.engine.options import Options
from migrator.engine.plan import build_plan
from migrator.model import Plan
from migrator.project.apply import Refused, apply_plan
from migrator.project.diff import hunks
from migrator.project.undo import undo
from tests.project.trees import Snapshot, make_tree, plan_for, snapshot

_GRAPH = '''\
import tensorflow as tf


class Net(object):
    def __init__(self, size):
        self.images = tf.placeholder(tf.float32, [None, size])
        self.step = tf.Variable({number}, trainable=False)
        self.logits = tf.layers.dense(self.images, 3)


def run(sess, net, images):
    return sess.run([net.logits, net.step], {{net.images: images}})


def main():
    net = Net(4)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print(run(sess, net, [[1.0, 2.0, 3.0, 4.0]]))


if __name__ == "__main__":
    main()
'''


def _graphs(root: Path, support: str = "") -> Plan:
    """What the engine plans for the tree with programs whose graphs are shared, and a list of pins."""
    for number in range(3):
        (root / f"program{number}.py").write_text(_GRAPH.format(number=number))
    (root / "requirements.txt").write_text("tensorflow==1.15.0\nnumpy<1.19\n")
    plan = build_plan(root, Options(jobs=1, support=support))
    assert any("graphs.function" in (result.new_text or "") for result in plan.files)
    return plan


def _package(root: Path) -> Plan:
    """A tree that has its support package, and goes over to the distribution."""
    apply_plan(_graphs(root))
    shutil.rmtree(root / ".migrator")
    (root / "late.py").write_text("import tensorflow as tf\nx = tf.log(1.0)\n")
    return build_plan(root, Options(jobs=1, support="package"))


def _decided(root: Path) -> Plan:
    """The same plan with every second hunk, as a file of decisions says it."""
    whole = _graphs(root)
    files = {
        result.path: (decisions.digest(result), [n % 2 == 0 for n in range(len(hunks(result)))])
        for result in whole.changed
    }
    chosen, _ = decisions.decide(whole, decisions.Decisions(files))
    return chosen


#: What is written and undone: a plan for a tree of `make_tree`.
KINDS: dict[str, Callable[[Path], Plan]] = {
    "renames": plan_for, "graphs": _graphs, "package": _package, "decisions": _decided,
}  # fmt: skip


@dataclass
class Tally:
    """What a series of kills met. `neither` counts files that were neither old nor new."""

    trials: int = 0
    killed: int = 0
    partly: int = 0
    neither: int = 0
    undo_wrong: int = 0


def run_and_kill(action: Callable[[], object], after: float) -> bool:
    """Run `action` in a forked child, kill -9 it `after` seconds later; whether it was killed."""
    child = os.fork()
    if child == 0:
        try:
            action()
            os._exit(0)
        except BaseException:
            os._exit(1)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, "the action itself failed"
    return os.WIFSIGNALED(status)


def _until_done(action: Callable[[], object]) -> float:
    started = time.perf_counter()
    child = os.fork()
    if child == 0:
        try:
            action()
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    return time.perf_counter() - started


def _undo_all(root: Path) -> None:
    try:
        while undo(root).earlier:
            pass
    except Refused as error:
        if "nothing to undo" not in str(error):
            raise


def kill_trials(
    base: Path, trials: int, seed: int, files: int = 30, kind: str = "renames"
) -> Tally:
    """Migrate (one of `KINDS`), kill, check; undo, kill, undo again, check; `trials` times on a fresh state.

    Instants are uniform over the time that an undisturbed run takes, found anew as the machine's
    speed drifts.
    """
    chance = random.Random(seed)
    root = base / "tree"
    make_tree(root, files)
    plan = KINDS[kind](root)
    before = snapshot(root)
    apply_time = _until_done(lambda: apply_plan(plan))
    after = snapshot(root)
    undo_time = _until_done(lambda: undo(root))
    assert snapshot(root) == before
    tally = Tally()

    def migrate() -> object:
        return apply_plan(plan)

    for trial in range(trials):
        tally.trials += 1
        if trial % 2:
            tally.killed += run_and_kill(migrate, chance.uniform(0, apply_time))
        else:
            apply_plan(plan)
            tally.killed += run_and_kill(lambda: undo(root), chance.uniform(0, undo_time))
        now = snapshot(root)
        tally.neither += _neither(now, before, after)
        tally.partly += before != now != after
        _undo_all(root)
        if snapshot(root) != before:
            tally.undo_wrong += 1
            shutil.rmtree(root)
            make_tree(root, files)
            plan = KINDS[kind](root)
            before = snapshot(root)
            apply_plan(plan)
            after = snapshot(root)
            _undo_all(root)
    return tally


def _neither(now: Snapshot, before: Snapshot, after: Snapshot) -> int:
    wrong = 0
    for path in {*now, *before, *after}:
        if now.get(path) not in (before.get(path), after.get(path)):
            wrong += 1
    return wrong
