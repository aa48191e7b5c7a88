"""What is said where a migrated tree needs tf1-support and its Python has none."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from migrator import support_wheel
from migrator.engine.requirements import pin_of_support
from migrator.workload.sides import lacking_package


def test_a_package_that_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    assert lacking_package(tree) == ""
    (tree / "requirements.txt").write_text(f"tensorflow>=2.21\n{pin_of_support()}\n")
    said = lacking_package(tree)
    assert "migrator wheel" in said and pin_of_support() in said and sys.executable in said
    assert "/nowhere/python" not in lacking_package(tree, "/nowhere/python")  # said where it is started
    wheel = support_wheel.write(tmp_path / "wheels")
    monkeypatch.setenv("PYTHONPATH", str(wheel))
    assert lacking_package(tree) == ""
    monkeypatch.delenv("PYTHONPATH")
    (tree / "lib" / "tf1_support").mkdir(parents=True)
    (tree / "lib" / "tf1_support" / "__init__.py").write_text("")
    assert lacking_package(tree) == ""
