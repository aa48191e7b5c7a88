"""What every test of the project may use: a git repository made on the spot, a quiet home."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def repository_root() -> Path:
    """The root of migrator's own checkout."""
    return ROOT


@pytest.fixture
def git() -> Callable[..., str]:
    """`git(folder, *arguments)` with an identity and without the user's configuration."""

    def run(folder: Path, *arguments: str) -> str:
        identity = ("-c", "user.name=Test", "-c", "user.email=test@example.org")
        done = subprocess.run(
            ["git", *identity, "-c", "init.defaultBranch=main", *arguments],
            cwd=folder,
            env={**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"git {' '.join(arguments)}: {done.stderr}"
        return done.stdout

    return run
