"""Placeholders of setUp and helpers that run what they are given: each test gets its own."""

import os
import re
import sys
from pathlib import Path

import pytest

from migrator.analysis.index import ProjectIndex
from migrator.engine.options import Options
from migrator.engine.pipeline import migrate_text
from migrator.engine.ruleset import load_ruleset
from tests.transforms.projects import (
    assert_command_changes_nothing,
    migrate_command,
    run_test_file,
)

PROJECT = Path(__file__).parent / "fixtures"
RULES = load_ruleset(Options())


@pytest.fixture(scope="module")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project, migrated into a folder of its own."""
    target = tmp_path_factory.mktemp("shared_inputs") / "project"
    migrate_command(PROJECT, target)
    return target


def test_all_pass_after_the_migration(migrated: Path) -> None:
    code, log = run_test_file(sys.executable, migrated, "scaling_test.py")
    assert code == 0, log


@pytest.mark.skipif(not os.environ.get("MIGRATOR_TF1_PYTHON"), reason="no TensorFlow 1.15")
def test_all_passed_before() -> None:
    code, log = run_test_file(os.environ["MIGRATOR_TF1_PYTHON"], PROJECT, "scaling_test.py")
    assert code == 0, log


def test_one_class_is_eager_the_other_keeps_its_graph(migrated: Path) -> None:
    text = (migrated / "scaling_test.py").read_text()
    eager, kept = text.split("class KeptPlaceholdersTest")
    assert not re.search(r"compat.v1|placeholder\(|sess\.|_run\(", eager.partition("class ")[2])
    assert "in_graph" in eager and "graphs.placeholder" in kept  # the mark is in front of the class
    assert text.count("# The second run has other rows.") == 1
    assert text.count("self.assert") == (PROJECT / "scaling_test.py").read_text().count("self.assert")


CLASS = (
    "import tensorflow as tf\n\n\nclass T(tf.test.TestCase):\n\n"
    "  def setUp(self):\n    self.x = tf.placeholder(tf.float32, [2])\n\n"
    "  def go(self, y, feeds):\n    with self.test_session() as sess:\n"
    "      return sess.run(y, feed_dict=feeds)\n\n"
    "  def test_it(self):\n    y = self.x + 1.0\n"
    "    z = self.go(y, {self.x: [1, 2]})\n    self.assertAllEqual(z, [2, 3])\n"
)


def rewritten(text: str) -> str:
    result = migrate_text("m_test.py", text, ProjectIndex(), Options(), RULES)
    assert result.new_text is not None
    return result.new_text


def test_a_setup_without_anything_else_keeps_a_statement() -> None:
    new = rewritten(CLASS)
    assert "def setUp(self):\n    pass\n" in new
    assert "    x = tf.constant([1, 2], tf.float32)\n    y = x + 1.0\n    z = self.evaluate(y)\n" in new


@pytest.mark.parametrize(
    ("change", "to"),
    [
        ("  def test_it", "  def other(self):\n    return self.x\n\n  def test_it"),
        ("  def test_it", "  def tearDown(self):\n    self.x = None\n\n  def test_it"),
        ("self.x = tf.placeholder(tf.float32, [2])", "n = 2; self.x = tf.placeholder(tf.float32, [n])"),
        ("tf.float32, [2])\n", "tf.float32, [2])\n    self.y = self.x * 2\n"),
        ("    z = self.go(y, {self.x: [1, 2]})", "    z = [self.go(y, {self.x: [1, 2]})][0]"),
        ("{self.x: [1, 2]}", "feeds()"),
        ("self.go(y, {self.x: [1, 2]})", "self.go(*args)"),
        ("[2, 3])\n", "[2, 3])\n\n\nclass U(T):\n  pass\n"),
    ],
)
def test_what_is_not_followed_stays_in_its_graph(change: str, to: str) -> None:
    assert change in CLASS
    assert "graphs.placeholder" in rewritten(CLASS.replace(change, to))


def test_a_second_migration_changes_nothing(migrated: Path, tmp_path: Path) -> None:
    assert_command_changes_nothing(migrated, tmp_path / "again")
