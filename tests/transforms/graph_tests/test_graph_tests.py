"""Tests that need a graph are set apart and pass in it; the others of a class become eager."""

import os
import re
import sys
from pathlib import Path

import pytest

from tests.engine.mutated import examine
from tests.transforms.projects import (
    assert_command_changes_nothing,
    migrate_command,
    run_test_file,
)

HERE = Path(__file__).parent
PROJECT = HERE / "fixtures"
FILES = ("updates_test.py", "trainers_test.py", "inherited_test.py", "hooks_test.py",
         "looking_test.py", "repeated_test.py", "listed_test.py", "inner_test.py",
         "begun_test.py", "called_test.py")


@pytest.fixture(scope="module")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project, migrated into a folder of its own."""
    target = tmp_path_factory.mktemp("graph_tests") / "project"
    migrate_command(PROJECT, target)
    return target


@pytest.mark.parametrize("name", FILES)
def test_all_pass_after_the_migration(name: str, migrated: Path) -> None:
    code, log = run_test_file(sys.executable, migrated, name)
    assert code == 0, log


@pytest.mark.skipif(not os.environ.get("MIGRATOR_TF1_PYTHON"), reason="no TensorFlow 1.15")
@pytest.mark.parametrize("name", FILES)
def test_all_passed_before(name: str) -> None:
    code, log = run_test_file(os.environ["MIGRATOR_TF1_PYTHON"], PROJECT, name)
    assert code == 0, log


def test_only_those_that_need_it_are_marked(migrated: Path) -> None:
    text = (migrated / "updates_test.py").read_text()
    marked = re.findall(r"@testing\.in_graph\n\s*(?:def|class) (\w+)", text)
    assert marked == [
        "KeptPlaceholderTest", "testGradient", "testGradientInLoop", "testNoGradient",
        "testThroughFunction", "testReadBeforeUpdate", "testOwnState", "testPlaceholderOfHelper",
        "OwnSetUpTest", "testCollected", "testAssertsMode",
        "testLossAfterStep", "testAsksForNames", "testAsksForNamesInSession",
    ]  # fmt: skip
    traced = re.findall(r"@testing.only_traced\n  def (\w+)", text)
    assert traced == ["testShapesAndNames", "testChannelsFirst"]
    assert "self.assertAllClose(self.evaluate(self.y), [1., 4.])" in text
    assert "  # written as people wrote it\n  @testing.in_graph\n  def testThroughFunction" in text


def test_what_tests_in_graphs_call_keeps_its_placeholders(migrated: Path) -> None:
    text = (migrated / "trainers_test.py").read_text()
    assert "inputs = graphs.placeholder(" in text
    assert text.count("@testing.in_graph") == text.count("with graphs.Graph().as_default():") == 2


def test_an_object_is_filled_before_it_is_read(migrated: Path) -> None:
    text = (migrated / "trainers_test.py").read_text()
    assert text.count("score.build(outputs, wanted)") == text.count("tensor = score.tensor") == 2
    for part in text.split("score.build")[1:]:
        assert "tensor = score.tensor" in part and "self.evaluate" in part


def test_a_second_migration_changes_nothing(migrated: Path, tmp_path: Path) -> None:
    assert_command_changes_nothing(migrated, tmp_path / "again")


def test_functions_inside_keep_a_graph_only_where_they_run_what_is_around_them(migrated: Path) -> None:
    text = (migrated / "inner_test.py").read_text()
    marked = re.findall(r"@testing\.in_graph\n\s*def (\w+)", text)
    assert marked == ["testFed", "testFedByEval", "testRunAgain", "testScaffold", "testScaffoldOfOwnGraph",
                      "testTrained", "testComparedName"]
    assert "graphs.evaluate(found)" in text  # what an eager test evaluates inside, known or not


TAKEN_BACK = """import tensorflow as tf
import nets


class NetTest(tf.test.TestCase):
  def test_rows(self):
    x = tf.placeholder(tf.float32, [None, 2])
    shape = nets.shape(x)
    with self.test_session() as sess:
      self.assertEqual(sess.run(shape, {x: [[1., 2.]]}), 1)

  def test_that_reads_too_early(self):
    x = tf.placeholder(tf.float32, [None, 2])
    self.assertTrue(tf.contrib.framework.is_tensor(shape[0]))
    shape = nets.shape(x)
    self.assertEqual(shape[1], 2)
"""


def test_a_rewrite_that_is_taken_back_leaves_nothing_to_a_second_run() -> None:
    """The check refuses what becomes of the methods; that their class has a store of its own stays."""
    result, problems = examine(TAKEN_BACK)
    assert result is not None and "class NetTest(testing.TestCase):" in (result.new_text or "")
    assert problems == []
