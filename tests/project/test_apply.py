"""Writing a plan: what is written, what is refused, what goes on without the rest."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from migrator.model import FileResult, Plan, Status
from migrator.project.apply import Refused, apply_plan
from migrator.project.lock import locked
from migrator.project.tree import Folder
from migrator.project.undo import undo
from tests.project.trees import expected_after, make_tree, plan_for, snapshot

SUPPORT = {"tf1_support", "tf1_support/__init__.py", "tf1_support/deep", "tf1_support/deep/scopes.py"}


def test_writes_what_the_plan_says_and_undo_brings_everything_back(tmp_path: Path) -> None:
    make_tree(tmp_path)
    before = snapshot(tmp_path)
    old = {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*") if p.is_file()}
    plan = plan_for(tmp_path)
    applied = apply_plan(plan)
    after = snapshot(tmp_path)
    assert set(after) - set(before) == SUPPORT
    assert {k: v for k, v in after.items() if k not in SUPPORT} == expected_after(
        tmp_path, plan, before
    )
    assert sorted(applied.written) == [f.path for f in plan.changed]
    assert sorted(applied.created) == ["tf1_support/__init__.py", "tf1_support/deep/scopes.py"]
    assert not applied.failed
    untouched = tmp_path / "same.py"
    assert untouched.stat().st_mtime_ns == old[untouched]
    assert "not in a git work tree" in applied.notes

    (tmp_path / "tf1_support/__pycache__").mkdir()
    (tmp_path / "tf1_support/__pycache__/a.pyc").write_bytes(b"")
    undone = undo(tmp_path)
    assert snapshot(tmp_path) == before
    assert sorted(undone.restored) == sorted(applied.written)
    assert undone.earlier == 0
    assert {p: p.stat().st_mtime_ns for p in old} == old
    with pytest.raises(Refused, match="nothing to undo"):
        undo(tmp_path)


def test_one_file_at_a_time(tmp_path: Path) -> None:
    make_tree(tmp_path, 4)
    before = snapshot(tmp_path)
    apply_plan(plan_for(tmp_path))
    after = snapshot(tmp_path)
    assert undo(tmp_path, only=["pkg0/m0.py"]).restored == ("pkg0/m0.py",)
    now = snapshot(tmp_path)
    assert now["pkg0/m0.py"] == before["pkg0/m0.py"]
    assert now["pkg1/m1.py"] == after["pkg1/m1.py"]
    with pytest.raises(Refused, match="was not written"):
        undo(tmp_path, only=["same.py"])
    undo(tmp_path)
    assert snapshot(tmp_path) == before


def test_runs_are_undone_last_first(tmp_path: Path) -> None:
    make_tree(tmp_path, 3)
    before = snapshot(tmp_path)
    apply_plan(plan_for(tmp_path))
    between = snapshot(tmp_path)
    path = tmp_path / "same.py"
    source = path.read_text()
    import hashlib

    digest = hashlib.sha256(source.encode()).hexdigest()
    result = FileResult("same.py", Status.CHANGED, digest, source, "x = 2\n")
    # The second run's name sorts after the first's even within one second only by luck.
    for folder in (tmp_path / ".migrator/journal").iterdir():
        folder.rename(folder.with_name("20000101" + folder.name[8:]))
    apply_plan(Plan(str(tmp_path), (result,)))
    assert undo(tmp_path).earlier == 1
    assert snapshot(tmp_path) == between
    undo(tmp_path)
    assert snapshot(tmp_path) == before


def test_a_file_edited_after_the_run_is_a_conflict(tmp_path: Path) -> None:
    make_tree(tmp_path, 3)
    before = snapshot(tmp_path)
    run = apply_plan(plan_for(tmp_path)).run_id
    (tmp_path / "pkg0/m0.py").write_text("mine\n")
    undone = undo(tmp_path)
    assert [path for path, _ in undone.conflicts] == ["pkg0/m0.py"]
    assert (tmp_path / "pkg0/m0.py").read_text() == "mine\n"
    assert snapshot(tmp_path)["pkg1/m1.py"] == before["pkg1/m1.py"]
    undo(tmp_path, force=True)
    assert snapshot(tmp_path) == before
    assert (tmp_path / ".migrator/kept" / run / "pkg0/m0.py").read_text() == "mine\n"


def test_dirty_trees_are_refused(tmp_path: Path, git: Callable[..., str]) -> None:
    make_tree(tmp_path, 3)
    git(tmp_path, "init")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "start")
    (tmp_path / "untracked.py").write_text("x = 1\n")
    before = snapshot(tmp_path)
    plan = plan_for(tmp_path)
    with pytest.raises(Refused, match=r"1 uncommitted change \(untracked.py\).*--allow-dirty"):
        apply_plan(plan)
    assert snapshot(tmp_path) == before
    assert not (tmp_path / ".migrator").exists()
    assert len(apply_plan(plan, allow_dirty=True).written) == 3
    undo(tmp_path)
    assert snapshot(tmp_path) == before
    (tmp_path / "untracked.py").unlink()
    assert not apply_plan(plan_for(tmp_path)).notes  # migrator's own folder is not "dirty"


def test_uncommitted_changes_of_a_nested_repository_count(
    tmp_path: Path, git: Callable[..., str]
) -> None:
    make_tree(tmp_path / "sub", 3)
    git(tmp_path / "sub", "init")
    with pytest.raises(Refused, match="uncommitted"):
        apply_plan(plan_for(tmp_path))


def test_a_second_writer_is_refused_and_a_dead_one_is_not_waited_for(tmp_path: Path) -> None:
    make_tree(tmp_path, 2)
    plan = plan_for(tmp_path)
    code = (
        "import sys, time; from pathlib import Path; from migrator.project.lock import locked\n"
        "from migrator.project.tree import Folder\n"
        f"with locked(Folder.named(Path({str(tmp_path)!r})), 'other'):\n print('held', flush=True)\n"
        " time.sleep(60)"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": "."}
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(Refused, match=rf"another migrator.*process {holder.pid}"):
            apply_plan(plan)
    finally:
        holder.kill()
        holder.communicate()
    assert len(apply_plan(plan).written) == 2


def test_what_cannot_be_written_is_said_and_the_rest_goes_on(tmp_path: Path) -> None:
    make_tree(tmp_path, 5)
    plan = plan_for(tmp_path)
    (tmp_path / "pkg0/m0.py").chmod(0o444)
    (tmp_path / "pkg1/m1.py").write_text("changed meanwhile\n")
    (tmp_path / "pkg2/m2.py").unlink()
    latin = next(f for f in plan.files if f.path == "pkg0/m3.py")
    assert latin.new_text is not None
    worse = dataclasses.replace(latin, new_text=latin.new_text + "# \u20ac\n")
    plan = dataclasses.replace(
        plan, files=tuple(worse if f is latin else f for f in plan.files)
    )
    applied = apply_plan(plan)
    why = dict(applied.failed)
    assert "read-only" in why["pkg0/m0.py"]
    assert "changed since the plan" in why["pkg1/m1.py"]
    assert "No such file" in why["pkg2/m2.py"]
    assert "lacks" in why["pkg0/m3.py"]
    assert applied.written == ("pkg1/m4.py",)
    assert (tmp_path / "pkg1/m1.py").read_text() == "changed meanwhile\n"


def test_a_file_in_the_way_of_the_support_package_stops_everything(tmp_path: Path) -> None:
    make_tree(tmp_path, 3)
    (tmp_path / "tf1_support").mkdir()
    (tmp_path / "tf1_support/__init__.py").write_text("mine = 1\n")
    before = snapshot(tmp_path)
    with pytest.raises(Refused, match="in the way of the support package"):
        apply_plan(plan_for(tmp_path))
    assert snapshot(tmp_path) == before


def test_an_older_support_package_is_renewed_and_comes_back(tmp_path: Path) -> None:
    make_tree(tmp_path, 3)
    apply_plan(plan_for(tmp_path))
    target = tmp_path / "tf1_support/deep/scopes.py"
    target.write_text(target.read_text() + "old = 1\n")
    before = snapshot(tmp_path)
    assert apply_plan(plan_for(tmp_path)).written == ("tf1_support/deep/scopes.py",)
    assert "old" not in target.read_text()
    for folder in (tmp_path / ".migrator/journal").iterdir():
        if len(list(folder.iterdir())) > 2:
            folder.rename(folder.with_name("20000101" + folder.name[8:]))
    undo(tmp_path)
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("path", ["../out.py", "/tmp/out.py", "a/../../out.py", "", "./x.py",
                                  ".git/hooks/post-checkout", "sub/.GIT/config", ".migrator/lock",
                                  "link/x.py", "link.py", "a\0b.py"])  # fmt: skip
def test_plans_cannot_write_outside_the_tree(tmp_path: Path, path: str) -> None:
    outside, root = tmp_path / "outside", tmp_path / "root"
    outside.mkdir()
    root.mkdir()
    (outside / "x.py").write_text("x = 1\n")
    (root / "link").symlink_to(outside)
    (root / "link.py").symlink_to(outside / "x.py")
    (tmp_path / "out.py").write_text("x = 1\n")
    before = snapshot(tmp_path)
    result = FileResult(path, Status.CHANGED, "0" * 64, "x = 1\n", "x = 2\n")
    assert [p for p, _ in apply_plan(Plan(str(root), (result,))).failed] == [path]
    with pytest.raises(Refused):
        apply_plan(Plan(str(root), (), ((path, "x = 2\n"),)))
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("taken", [".migrator", ".migrator/journal", ".migrator/lock"])
def test_links_in_place_of_the_journal_are_refused(tmp_path: Path, taken: str) -> None:
    outside, root = tmp_path / "outside", tmp_path / "root"
    outside.mkdir()
    make_tree(root, 2)
    (root / taken).parent.mkdir(exist_ok=True)
    (root / taken).symlink_to(outside / "made" if taken.endswith("lock") else outside)
    with pytest.raises(Refused):
        apply_plan(plan_for(root))
    assert not list(outside.iterdir())
    assert b"tf.log" in (root / "pkg0/m0.py").read_bytes()


def test_locking_again_after_release(tmp_path: Path) -> None:
    for _ in range(2):
        with Folder.named(tmp_path) as tree, locked(tree, "x") as state:
            assert state.read(".gitignore").data == b"*\n"
