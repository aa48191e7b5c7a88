"""A small TF1 repository and a way to call the command line in this process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from migrator.cli.main import cli

TRAIN = """\
import numpy as np
import tensorflow as tf


def head(x, count=3):
    scale = np.float(2)
    return tf.nn.relu(x) * scale
"""
OLD = "import numpy as np\n\nprint 'loss', np.int(3)\n"
BROKEN = "def broken(:\n    pass\n"


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository with something to change (numpy rot, Python 2), and something that fails."""
    root = tmp_path / "repo"
    (root / "pkg").mkdir(parents=True)
    (root / "pkg/train.py").write_bytes(TRAIN.replace("\n", "\r\n").encode())
    (root / "old.py").write_text(OLD)
    (root / "data.txt").write_text("1\n")
    return root


@pytest.fixture
def migrator(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, repository_root: Path
) -> Callable[..., Result]:
    """`migrator(*arguments)` with a cache of its own, called in an empty folder.

    In this checkout `explain` would make a plan of all 1,500 modules, to say what is left of a code.
    """
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    if Path.cwd() == repository_root:
        (tmp_path / "called from").mkdir()
        monkeypatch.chdir(tmp_path / "called from")
    runner = CliRunner()

    def call(*arguments: object, code: int | None = 0) -> Result:
        result = runner.invoke(cli, [str(a) for a in arguments], catch_exceptions=False)
        if code is not None:
            assert result.exit_code == code, result.output
        return result

    return call
