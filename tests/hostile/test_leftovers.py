"""Disks that are full, and folders that somebody else filled: nothing of ours is left lying about."""

from __future__ import annotations

import resource
import subprocess
from pathlib import Path

import pytest

from tests import forks
from tests.hostile.attacks import USES, write


def on_full_disk(root: Path, size: int, *arguments: object) -> subprocess.CompletedProcess[bytes]:
    """The command, for which files end at `size` bytes (EFBIG, as a quota's EDQUOT)."""
    code = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size})); "
        "from migrator.cli.main import main; main()"
    )
    return forks.COMMAND.run(["-c", code, *map(str, arguments)], root.parent)


def names(root: Path) -> set[str]:
    return {path.relative_to(root).as_posix() for path in root.rglob("*")}


@pytest.mark.parametrize("size", [0, 10, 400, 2000, 4000])
def test_a_full_disk_leaves_no_parts_of_files(tmp_path: Path, size: int) -> None:
    root = tmp_path / "tree"
    write(root, {f"m{number}.py": USES + f"# {number}\n" for number in range(12)})
    for command in (("migrate", root, "--no-cache"), ("report", root, "--out", tmp_path / "r.html"),
                    *(("migrate", root, "--diff", "--no-cache", option, tmp_path / "out")
                      for option in ("--sarif", "--junit", "--summary", "--review", "--plan"))):  # fmt: skip
        done = on_full_disk(root, size, *command)
        assert b"Traceback" not in done.stderr, (command, done.stderr[-1500:])
        left = {name for name in names(tmp_path) if "tmp" in name or "part" in name or "unfinished" in name}
        assert left == set(), command
    if (root / ".migrator/journal").exists():
        for run in (root / ".migrator/journal").iterdir():
            assert (run / "entries.json").exists()


def test_a_copy_that_does_not_fit_is_none(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    write(root, {"uses.py": USES, "data.bin": "x" * 5000})
    done = on_full_disk(root, 2000, "migrate", root, "--no-cache", "--out", tmp_path / "copy")
    assert done.returncode == 4 and b"cannot be written" in done.stderr
    assert names(tmp_path) == {"tree", "tree/uses.py", "tree/data.bin"}


def test_the_state_folder_is_nobody_elses_to_write(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    write(root, {"uses.py": USES})
    code = "import os; os.umask(0); from migrator.cli.main import main; main()"
    assert forks.COMMAND.run(["-c", code, "migrate", str(root)]).returncode == 0
    assert (root / ".migrator").stat().st_mode & 0o022 == 0


def test_limits_are_the_tests_own() -> None:
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 0
