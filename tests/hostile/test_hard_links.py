"""Files with several names: those in the tree stay one file, those outside keep their content."""

from __future__ import annotations

import os
from pathlib import Path

from migrator.project.apply import apply_plan
from migrator.project.undo import undo
from tests.project.trees import make_tree, plan_for, snapshot


def test_hard_links_within_the_tree_are_kept_through_migration_and_undo(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    make_tree(root, 3)
    os.link(root / "pkg1/m1.py", root / "pkg2/same_file.py")
    before = snapshot(root)
    apply_plan(plan_for(root))
    names = [root / "pkg1/m1.py", root / "pkg2/same_file.py"]
    assert len({path.stat().st_ino for path in names}) == 1
    assert "tf.math.log" in names[0].read_text()
    undo(root)
    assert snapshot(root) == before
    assert len({path.stat().st_ino for path in names}) == 1
    assert sorted(p.name for p in root.rglob("*link-*")) == []


def test_a_name_outside_keeps_its_content_and_is_told(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    make_tree(root, 3)
    outside = tmp_path / "outside.py"
    os.link(root / "pkg0/m0.py", outside)
    old = outside.read_bytes()
    applied = apply_plan(plan_for(root))
    assert "pkg0/m0.py: has 1 other name (hard links), which keep the old content" in applied.notes
    assert outside.read_bytes() == old != (root / "pkg0/m0.py").read_bytes()
