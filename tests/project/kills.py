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

from migrator.project.apply import Refused, apply_plan
from migrator.project.undo import undo
from tests.project.trees import Snapshot, make_tree, plan_for, snapshot


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


def kill_trials(base: Path, trials: int, seed: int, files: int = 30) -> Tally:
    """Migrate, kill, check; undo, kill, undo again, check; `trials` times on a fresh state.

    Instants are uniform over the time that an undisturbed run takes, found anew as the machine's
    speed drifts.
    """
    chance = random.Random(seed)
    root = base / "tree"
    make_tree(root, files)
    before = snapshot(root)
    plan = plan_for(root)
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
            before = snapshot(root)
            plan = plan_for(root)
    return tally


def _neither(now: Snapshot, before: Snapshot, after: Snapshot) -> int:
    wrong = 0
    for path in {*now, *before, *after}:
        if now.get(path) not in (before.get(path), after.get(path)):
            wrong += 1
    return wrong
