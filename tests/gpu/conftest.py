"""A migrated sample for what runs on a GPU, and no green where there is none."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "samples" / "ssd_mobilenet_v1"


def gpus() -> list[str]:
    """The GPUs that the driver shows, without TensorFlow; [] without a driver."""
    if shutil.which("nvidia-smi") is None:
        return []
    listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=False)
    return listed.stdout.splitlines() if listed.returncode == 0 else []


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    wanted = [item for item in items if item.get_closest_marker("gpu")]
    if wanted and not gpus():
        for item in wanted:
            item.add_marker(pytest.mark.skip(reason="there is no NVIDIA GPU here"))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """`pytest -m gpu` that ran nothing has not passed: it ends like a run that found no tests."""
    if session.config.option.markexpr != "gpu" or exitstatus != pytest.ExitCode.OK:
        return
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and not reporter.stats.get("passed"):
        session.exitstatus = pytest.ExitCode.NO_TESTS_COLLECTED


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The SSD sample, migrated."""
    tree = tmp_path_factory.mktemp("gpu") / "ssd"
    shutil.copytree(SAMPLE, tree)
    done = subprocess.run(
        [sys.executable, "-m", "migrator", "migrate", str(tree), "--allow-dirty"],
        capture_output=True, text=True, check=False, cwd=ROOT,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr[-3000:]
    assert (tree / "tf1_support").is_dir(), done.stdout[-3000:]
    return tree
