"""Tests that need a graph are set apart and pass in it; the others of a class become eager."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PROJECT = HERE / "fixtures"
# TensorFlow 2 sets TF2_BEHAVIOR where it is imported, and TensorFlow 1.15 obeys.
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if name != "TF2_BEHAVIOR"},
    "CUDA_VISIBLE_DEVICES": "-1", "TF_CPP_MIN_LOG_LEVEL": "3",
}


@pytest.fixture(scope="module")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project, migrated into a folder of its own."""
    target = tmp_path_factory.mktemp("graph_tests") / "project"
    command = [sys.executable, "-c", "from migrator.cli.main import main; main()"]
    subprocess.run([*command, "migrate", str(PROJECT), "--out", str(target)], check=True)
    return target


def outcome(python: str, folder: Path) -> tuple[int, str]:
    """How the tests of a folder end in that Python."""
    done = subprocess.run(
        [python, "updates_test.py"], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True
    )
    return done.returncode, done.stderr[-3000:]


def test_all_pass_after_the_migration(migrated: Path) -> None:
    code, log = outcome(sys.executable, migrated)
    assert code == 0, log


@pytest.mark.skipif(not os.environ.get("MIGRATOR_TF1_PYTHON"), reason="no TensorFlow 1.15")
def test_all_passed_before() -> None:
    code, log = outcome(os.environ["MIGRATOR_TF1_PYTHON"], PROJECT)
    assert code == 0, log


def test_only_those_that_need_it_are_marked(migrated: Path) -> None:
    text = (migrated / "updates_test.py").read_text()
    marked = re.findall(r"@testing\.in_graph\n\s*(?:def|class) (\w+)", text)
    assert marked == [
        "KeptPlaceholderTest", "testGradient", "testNoGradient", "testThroughFunction",
        "testReadBeforeUpdate", "testOwnState", "testPlaceholderOfHelper", "OwnSetUpTest",
    ]  # fmt: skip
    assert re.findall(r"@testing.only_traced\n  def (\w+)", text) == ["testShapesAndNames"]
    assert "self.assertAllClose(self.evaluate(self.y), [1., 4.])" in text
    assert "  # written as people wrote it\n  @testing.in_graph\n  def testThroughFunction" in text


def test_a_second_migration_changes_nothing(migrated: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from migrator.cli.main import main; main()"]
    again = tmp_path / "again"
    subprocess.run([*command, "migrate", str(migrated), "--out", str(again)], check=True)
    for path in migrated.rglob("*.py"):
        assert (again / path.relative_to(migrated)).read_bytes() == path.read_bytes()
