"""Somebody changes the tree while it is written: nothing outside of it is ever touched."""

from __future__ import annotations

import os
import random
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from migrator.project.apply import Refused, apply_plan
from migrator.project.undo import undo
from tests.hostile.attacks import write
from tests.project.trees import make_tree, plan_for, snapshot

ROUNDS = 12


@contextmanager
def meanwhile(action: Callable[[], None]) -> Iterator[None]:
    """Do `action` over and over in another thread."""
    stop = threading.Event()

    def run() -> None:
        while not stop.is_set():
            try:
                action()
            except OSError:
                continue

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def swapping(folder: Path, other: Path) -> Callable[[], None]:
    """A folder and a link out of the tree change places."""
    away = folder.with_name(f"{folder.name}-away")

    def action() -> None:
        os.rename(folder, away)
        os.symlink(other, folder)
        time.sleep(random.random() / 2000)
        os.unlink(folder)
        os.rename(away, folder)
        time.sleep(random.random() / 2000)

    return action


@pytest.mark.parametrize("where", ["pkg0", ".migrator", ".migrator/journal", ".migrator/kept"])
def test_a_folder_that_becomes_a_link_while_files_are_written(tmp_path: Path, where: str) -> None:
    root, out = tmp_path / "tree", tmp_path / "out"
    make_tree(root, 9)
    write(out, {path.relative_to(root / "pkg0").as_posix(): "precious\n"
                for path in (root / "pkg0").glob("*.py")})  # fmt: skip
    shutil.copytree(root / "pkg0", out / "pkg0")
    plan = plan_for(root)
    (root / where).mkdir(parents=True, exist_ok=True)
    before = snapshot(out)
    with meanwhile(swapping(root / where, out)):
        for _ in range(ROUNDS):
            for action in (lambda: apply_plan(plan), lambda: undo(root, force=True)):
                try:
                    action()
                except Refused:
                    pass
                assert snapshot(out) == before  # which undo would bring back
    assert not (out / ".migrator").exists()


def test_a_link_put_in_place_between_the_check_and_the_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The swap of the test above at the worst instant: before every change of the file system."""
    calls = ("rename", "replace", "link", "unlink", "mkdir", "open", "rmdir")
    real_rename = os.rename
    for at in range(400):
        base = tmp_path / str(at)
        root, out = base / "tree", base / "out"
        make_tree(root, 3)
        shutil.copytree(root / "pkg0", out)
        plan = plan_for(root)
        before = snapshot(out)
        count = 0

        def guard(real: Callable[..., object], root: Path, out: Path, at: int) -> Callable[..., object]:
            def wrapped(*args: object, **kwargs: object) -> object:
                nonlocal count
                count += 1
                if count == at and not (root / "pkg0").is_symlink():
                    real_rename(root / "pkg0", root / "away")
                    os.symlink(out, root / "pkg0")
                return real(*args, **kwargs)

            return wrapped

        with monkeypatch.context() as patch:
            for name in calls:
                patch.setattr(os, name, guard(getattr(os, name), root, out, at))
            for action in (lambda p=plan: apply_plan(p), lambda r=root: undo(r, force=True)):
                try:
                    action()
                except Refused:
                    pass
                assert snapshot(out) == before, at  # which undo would bring back
        shutil.rmtree(base)
        if count < at:
            return
    raise AssertionError("400 calls for three files")


def test_files_that_come_and_go(tmp_path: Path) -> None:
    """Nothing is lost: what the plan was not made for is left, and undo brings the rest back."""
    root = tmp_path / "tree"
    make_tree(root, 6)
    before = snapshot(root)
    target = root / "pkg1/m1.py"
    old = target.read_bytes()

    def action() -> None:
        target.unlink()
        time.sleep(random.random() / 1000)
        target.write_bytes(b"new = 1\n")
        time.sleep(random.random() / 1000)

    plan = plan_for(root)
    with meanwhile(action):
        for _ in range(ROUNDS):
            try:
                apply_plan(plan)
            except Refused:
                continue
            undo(root)
    target.write_bytes(old)
    target.chmod(before["pkg1/m1.py"][1])
    assert snapshot(root) == before
