"""Tests that ask their graph, or run parts of it that keep state, trace what they build."""

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

HERE = Path(__file__).parent
PROJECT = HERE / "fixtures"


@pytest.fixture(scope="module")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project, migrated into a folder of its own."""
    target = tmp_path_factory.mktemp("traced_tests") / "project"
    migrate_command(PROJECT, target)
    return target


def test_all_pass_after_the_migration(migrated: Path) -> None:
    code, log = run_test_file(sys.executable, migrated, "counting_test.py")
    assert code == 0, log


@pytest.mark.skipif(not os.environ.get("MIGRATOR_TF1_PYTHON"), reason="no TensorFlow 1.15")
def test_all_passed_before() -> None:
    code, log = run_test_file(os.environ["MIGRATOR_TF1_PYTHON"], PROJECT, "counting_test.py")
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
    assert_command_changes_nothing(migrated, tmp_path / "again")


STARTED = """\
    iterator = lib.data().make_initializable_iterator()
    batch = iterator.get_next()
    with self.test_session() as sess:
      sess.run(iterator.initializer)
      self.assertLen(batch.get_shape().as_list(), 1)
      while True:
        try:
          seen = sess.run(batch)
        except tf.errors.OutOfRangeError:
          break
"""


def test_an_iterator_is_made_outside_of_what_is_traced() -> None:
    new = rewritten(STARTED)
    assert "iterator = iterators.make_initializable_iterator(lib.data())" in new
    assert new.index("make_initializable_iterator(lib") < new.index("def compute_")


def test_an_iterator_that_is_started_again_stays() -> None:
    again = STARTED + "      sess.run(iterator.initializer)\n      self.assertEmpty(sess.run(batch))\n"
    assert "graphs.run(iterator.initializer)" in rewritten(again)
