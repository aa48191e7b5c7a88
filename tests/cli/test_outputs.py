"""Where results go: a folder that git does not see, or the one that was named."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from migrator.cli import exits, outputs


def test_git_does_not_see_results(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    assert outputs.folder(tmp_path, tmp_path / "named") == tmp_path / "named"
    assert not (tmp_path / ".migrator").exists()
    for _ in range(2):
        where = outputs.folder(tmp_path, None)
        (where / "measure.json").write_text("{}")
    seen = subprocess.run(
        ["git", "-C", str(tmp_path), "status", "--porcelain"], capture_output=True, text=True, check=True
    )
    assert seen.stdout == ""


def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo" / ".migrator").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(exits.UsageExit, match="cannot be made"):
        outputs.folder(tmp_path / "repo", None)
    assert not list((tmp_path / "elsewhere").iterdir())
