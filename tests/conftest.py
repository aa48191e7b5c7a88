"""What every test of the project may use: a git repository made on the spot; and which tests begin."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
# Tests start hundreds of processes: without bytecode, each would compile the project anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Files that take more than 20 s, longest first. Workers of xdist take whole files: one of
# these taken last would be waited for by all others.
LONGEST = (
    "tests/rules/test_cases.py", "tests/cli/test_tutorial.py", "tests/transforms/training/test_cases.py",
    "tests/verify/test_verify.py", "tests/verify/test_workspace.py", "tests/graphs/test_cases.py",
    "tests/measure/test_live.py", "tests/engine/test_ray_pool.py", "tests/hostile/test_links.py",
    "tests/measure/test_cluster.py", "tests/measure/test_builders.py", "tests/measure/test_warm.py",
    "tests/hostile/test_leftovers.py", "tests/hostile/test_language_server.py",
    "tests/measure/test_commands.py", "tests/cli/test_packaging.py", "tests/verify/test_found.py",
)  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files begin; xdist keeps to that with --no-loadscope-reorder."""
    places = {ROOT / name: place for place, name in enumerate(LONGEST)}
    gone = [str(path) for path in places if not path.exists()]
    assert not gone, f"tests/conftest.py names files that are gone: {gone}"
    items.sort(key=lambda item: places.get(item.path, len(places)))


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
