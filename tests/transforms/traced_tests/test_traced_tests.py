"""Tests that ask their graph, or run parts of it that keep state, trace what they build."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from migrator.analysis.index import ProjectIndex
from migrator.engine.options import Options
from migrator.engine.pipeline import migrate_text
from migrator.engine.ruleset import load_ruleset

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
    target = tmp_path_factory.mktemp("traced_tests") / "project"
    command = [sys.executable, "-c", "from migrator.cli.main import main; main()"]
    subprocess.run([*command, "migrate", str(PROJECT), "--out", str(target)], check=True)
    return target


def outcome(python: str, folder: Path) -> tuple[int, str]:
    """How the tests of a folder end in that Python."""
    done = subprocess.run(
        [python, "counting_test.py"], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True
    )
    return done.returncode, done.stderr[-3000:]


def test_all_pass_after_the_migration(migrated: Path) -> None:
    code, log = outcome(sys.executable, migrated)
    assert code == 0, log


@pytest.mark.skipif(not os.environ.get("MIGRATOR_TF1_PYTHON"), reason="no TensorFlow 1.15")
def test_all_passed_before() -> None:
    code, log = outcome(os.environ["MIGRATOR_TF1_PYTHON"], PROJECT)
    assert code == 0, log


def test_no_session_or_placeholder_is_left(migrated: Path) -> None:
    text = (migrated / "counting_test.py").read_text()
    assert not re.search("compat.v1|placeholder|sess|in_graph|get_default_graph", text)
    assert text.count("self.assert") == (PROJECT / "counting_test.py").read_text().count(
        "self.assert"
    )


HEAD = "import tensorflow as tf\nimport lib\n\n\nclass T(tf.test.TestCase):\n\n  def test_it(self):\n"
RULES = load_ruleset(Options())


def rewritten(body: str) -> str:
    result = migrate_text("m_test.py", HEAD + body, ProjectIndex(), Options(), RULES)
    assert result.new_text is not None
    return result.new_text


ASKED = (
    "    y = lib.f(3)\n"
    "    ops = tf.get_default_graph().get_operations()\n"
    "    self.assertTrue(ops)\n"
    "    with self.test_session() as sess:\n"
    "      self.assertTrue(sess.run(y))\n"
)


def test_what_the_statements_of_the_test_need_stays_with_them() -> None:
    body = ASKED.replace("    y = lib", "    model = lib.Model()\n    y = model") + (
        "    self.assertFalse(model.waiting)\n"
    )
    new = rewritten(body)
    assert "    model = lib.Model()\n    @tf.function(autograph=False)\n" in new
    assert new.endswith("    self.assertFalse(model.waiting)\n")


@pytest.mark.parametrize(
    ("change", "to"),
    [
        ("    with self", "    z = lib.g(y)\n    with self"),  # built after the graph was asked
        ("get_operations()", "get_tensor_by_name('y:0')"),
        ("self.assertTrue(sess.run(y))", "lib.check(sess, y)"),
        ("    self.assertTrue(ops)", "    self.assertEqual(y, 3)"),
        ("with self.test_session() as sess:\n", "with self.test_session() as sess, lib.scope():\n"),
    ],
)
def test_what_is_not_followed_stays_in_its_graph(change: str, to: str) -> None:
    assert change in ASKED
    assert "in_graph" in rewritten(ASKED.replace(change, to))
    assert "in_graph" not in rewritten(ASKED)


def test_a_second_migration_changes_nothing(migrated: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from migrator.cli.main import main; main()"]
    again = tmp_path / "again"
    subprocess.run([*command, "migrate", str(migrated), "--out", str(again)], check=True)
    for path in migrated.rglob("*.py"):
        assert (again / path.relative_to(migrated)).read_bytes() == path.read_bytes()
