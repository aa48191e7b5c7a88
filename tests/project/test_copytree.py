"""--out: a migrated copy, the tree itself only read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from migrator.project.apply import Refused
from migrator.project.copytree import write_copy
from tests.project.trees import expected_after, make_tree, plan_for, snapshot


def test_the_copy_is_the_tree_with_the_plan_applied(tmp_path: Path) -> None:
    root, out = tmp_path / "root", tmp_path / "deep/out"
    make_tree(root, 6)
    (root / ".git").mkdir()
    (root / ".git/config").write_text("x")
    (root / "empty").mkdir()
    before = snapshot(root)
    plan = plan_for(root)
    applied = write_copy(plan, out)
    assert snapshot(root) == before
    copied = snapshot(out)
    support = {path for path in copied if path.startswith("tf1_support")}
    assert len(support) == 4
    assert {k: v for k, v in copied.items() if k not in support} == expected_after(
        root, plan, before
    )
    assert not (out / ".git").exists()
    assert len(applied.written) == 6
    assert sorted(p.name for p in out.parent.iterdir()) == ["out"]


def test_links_and_special_files(tmp_path: Path) -> None:
    root, out = tmp_path / "root", tmp_path / "out"
    make_tree(root, 1)
    (tmp_path / "secret").write_text("s")
    (root / "in.py").symlink_to("pkg0/m0.py")
    (root / "abs").symlink_to(root / "pkg0")
    (root / "up").symlink_to("../secret")
    (root / "abs_out").symlink_to("/etc/passwd")
    (root / "circle").symlink_to("circle")
    os.mkfifo(root / "pipe")
    notes = write_copy(plan_for(root, support=False), out).notes
    assert os.readlink(out / "in.py") == "pkg0/m0.py"
    assert os.readlink(out / "abs") == "pkg0"
    assert (out / "abs").resolve() == out / "pkg0"
    for name in ("up", "abs_out", "pipe"):
        assert not os.path.lexists(out / name)
        assert any(note.startswith(f"{name}: ") for note in notes)


def test_out_must_be_absent_or_empty(tmp_path: Path) -> None:
    root, out = tmp_path / "root", tmp_path / "out"
    make_tree(root, 1)
    plan = plan_for(root)
    out.mkdir()
    write_copy(plan, out)
    with pytest.raises(Refused, match="not an empty folder"):
        write_copy(plan, out)
    (tmp_path / "link").symlink_to("elsewhere")
    for bad in (root, tmp_path, tmp_path / "link"):
        with pytest.raises(Refused):
            write_copy(plan, bad)


def test_out_inside_the_tree_is_not_copied_into_itself(tmp_path: Path) -> None:
    make_tree(tmp_path, 2)
    write_copy(plan_for(tmp_path), tmp_path / "build/out")
    assert (tmp_path / "build/out/pkg0/m0.py").exists()
    assert not (tmp_path / "build/out/build/out").exists()


def test_a_file_that_changed_since_the_plan_is_copied_as_it_is(tmp_path: Path) -> None:
    root, out = tmp_path / "root", tmp_path / "out"
    make_tree(root, 2)
    plan = plan_for(root)
    (root / "pkg0/m0.py").write_text("other\n")
    assert [path for path, _ in write_copy(plan, out).failed] == ["pkg0/m0.py"]
    assert (out / "pkg0/m0.py").read_text() == "other\n"


def test_a_file_in_the_way_of_the_support_package(tmp_path: Path) -> None:
    root = tmp_path / "root"
    make_tree(root, 1)
    (root / "tf1_support").mkdir()
    (root / "tf1_support/__init__.py").write_text("mine = 1\n")
    with pytest.raises(Refused, match="in the way"):
        write_copy(plan_for(root), tmp_path / "out")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["root"]
