"""Killed or out of disk at any instant: every file is old or new, and undo is exact."""

from __future__ import annotations

import builtins
import errno
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from migrator.project import journal
from migrator.project.apply import Refused, apply_plan
from migrator.project.undo import undo
from tests.project.kills import kill_trials
from tests.project.trees import make_tree, plan_for, snapshot

ROOT = Path(__file__).resolve().parents[2]
TRIALS = int(os.environ.get("MIGRATOR_KILL_TRIALS", "60"))


def test_killed_at_any_instant(tmp_path: Path) -> None:
    killed = partly = 0
    for seed in range(2, 8):
        folder = tmp_path / str(seed)
        folder.mkdir()
        tally = kill_trials(folder, TRIALS, seed=seed)
        assert (tally.neither, tally.undo_wrong) == (0, 0)
        killed, partly = killed + tally.killed, partly + tally.partly
        # Too few kills in the middle of the work would prove nothing; how many of a round hit
        # depends on what else the machine does, so there are more rounds.
        if killed >= TRIALS // 2 and partly >= 3:
            return
    raise AssertionError(f"only {killed} kills hit, {partly} of them half-way")


@pytest.mark.parametrize("kind", ["graphs", "package", "decisions"])
def test_what_the_engine_plans_is_whole_after_a_kill(tmp_path: Path, kind: str) -> None:
    tally = kill_trials(tmp_path, 10, seed=1, files=6, kind=kind)
    assert (tally.trials, tally.neither, tally.undo_wrong) == (10, 0, 0)


class Full(OSError):
    """Stands for a disk that is full."""


@contextmanager
def failing(monkeypatch: pytest.MonkeyPatch, after: int) -> Iterator[dict[str, int]]:
    """Every call that needs disk space fails once `after` of them have gone well."""
    calls = {"count": 0}

    def guard(function: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            calls["count"] += 1
            if calls["count"] > after:
                raise Full(errno.ENOSPC, "No space left on device")
            return function(*args, **kwargs)

        return wrapped

    real_open = builtins.open

    def guarded_open(file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        if any(letter in mode for letter in "wxa"):
            calls["count"] += 1
            if calls["count"] > after:
                raise Full(errno.ENOSPC, "No space left on device")
        return real_open(file, mode, *args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(builtins, "open", guarded_open)
        for name in ("mkdir", "fsync", "rename", "replace", "link", "write"):
            patch.setattr(os, name, guard(getattr(os, name)))
        yield calls


def test_a_full_disk_at_any_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "tree"
    make_tree(root, 4)
    before = snapshot(root)
    plan = plan_for(root)
    refused = partly = 0
    for number in range(200):
        with failing(monkeypatch, number) as calls:
            try:
                applied = apply_plan(plan)
            except Refused as error:
                refused += 1
                assert "space" in str(error) or "cannot be written" in str(error)
            else:
                partly += bool(applied.failed) and bool(applied.written)
        now = snapshot(root)
        for path, state in before.items():
            new = (*state[:2], state[2].replace(b"tf.log(", b"tf.math.log("))
            assert now[path] in (state, new), path
        if (root / ".migrator/journal").is_dir() and list((root / ".migrator/journal").iterdir()):
            undo(root)
        assert snapshot(root) == before
        if calls["count"] <= number:
            break
    else:
        raise AssertionError("200 calls for four files")
    assert refused >= 10
    assert partly >= 2


def test_a_limit_on_file_size_refuses_and_changes_nothing(tmp_path: Path) -> None:
    """Writing fails (EFBIG) in the middle of the journal, as a quota would."""
    root = tmp_path / "tree"
    make_tree(root, 12)
    before = snapshot(root)
    code = (
        "import sys; from pathlib import Path; from tests.project.trees import plan_for\n"
        "import resource; from migrator.project.apply import apply_plan, Refused\n"
        "plan = plan_for(Path(sys.argv[1])); resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))\n"
        "try: apply_plan(plan)\nexcept Refused as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(root)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "nothing was changed" in done.stdout
    assert snapshot(root) == before
    assert len(apply_plan(plan_for(root)).written) == 12


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small file system needs root")
def test_a_really_full_disk(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(disk)],
        capture_output=True, check=False,
    )  # fmt: skip
    if mounted.returncode:
        pytest.skip("cannot mount here")
    try:
        make_tree(disk / "tree", 30)
        before = snapshot(disk / "tree")
        plan = plan_for(disk / "tree")
        filler = disk / "filler"
        filler.write_bytes(b"x" * (shutil.disk_usage(disk).free - 20_000))
        with pytest.raises(Refused, match="No space left"):
            apply_plan(plan)
        assert snapshot(disk / "tree") == before
        filler.unlink()
        assert len(apply_plan(plan).written) == 30
        filler.write_bytes(b"x" * shutil.disk_usage(disk).free)  # undo needs no space
        undo(disk / "tree")
        assert snapshot(disk / "tree") == before
    finally:
        subprocess.run(["umount", str(disk)], check=False)


def edit_journal(root: Path, edit: Callable[[dict[str, Any], Path], None]) -> None:
    (folder,) = (root / ".migrator/journal").iterdir()
    data = json.loads((folder / journal.ENTRIES).read_text())
    edit(data, folder)
    (folder / journal.ENTRIES).write_text(json.dumps(data))


def set_path(path: str) -> Callable[[dict[str, Any], Path], None]:
    def edit(data: dict[str, Any], folder: Path) -> None:
        data["entries"][0]["path"] = path

    return edit


def link_blob(data: dict[str, Any], folder: Path) -> None:
    (folder / "old-0").unlink()
    (folder / "old-0").symlink_to("/etc/passwd")


def damage_blob(data: dict[str, Any], folder: Path) -> None:
    (folder / "old-0").write_bytes(b"import os\n")


@pytest.mark.parametrize(
    "edit",
    [
        set_path("../victim.py"), set_path("/tmp/victim.py"), set_path(".git/config"),
        set_path("out/victim.py"), set_path("a/../../victim.py"), link_blob, damage_blob,
        lambda data, folder: data["folders"].append("../other"),
        lambda data, folder: data.update(entries=[{"path": "x"}]),
        lambda data, folder: data.update(version=99),
        lambda data, folder: data.update(entries=3),
    ],
)  # fmt: skip
def test_journals_that_came_with_the_repository_are_not_believed(
    tmp_path: Path, edit: Callable[[dict[str, Any], Path], None]
) -> None:
    root = tmp_path / "root"
    make_tree(root, 2)
    (tmp_path / "victim.py").write_text("precious = 1\n")
    (tmp_path / "other").mkdir()
    (root / "out").symlink_to(tmp_path)
    apply_plan(plan_for(root, support=False))
    before = snapshot(tmp_path)
    edit_journal(root, edit)
    try:
        conflicts = undo(root).conflicts
        assert conflicts
    except Refused as error:
        assert "nothing to undo" in str(error)
    after = snapshot(tmp_path)
    changed = {path for path in before if before[path] != after.get(path)}
    assert changed <= {"root/pkg1/m1.py"}  # the entry that was not tampered with
    assert set(after) == set(before)
