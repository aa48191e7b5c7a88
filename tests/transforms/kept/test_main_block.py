"""A library whose main block runs a session stays eager for those who import it."""

import ast

from migrator.analysis.index import ProjectIndex
from migrator.engine.options import Options
from migrator.engine.pipeline import migrate_text
from migrator.engine.ruleset import load_ruleset

LIBRARY = """\
import tensorflow as tf


def twice(x):
  return 2 * x


if __name__ == '__main__':
  # by hand
  x = tf.placeholder(tf.float32)
  y = twice(x)
  with tf.Session() as sess:
    unknown.run(sess, y, feed_dict={x: 3.})
"""
GRAPH = """\
import tensorflow as tf


def export(path):
  saver = tf.train.Saver()
  restored = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES)
  write(tf.get_default_graph().as_graph_def(), saver.as_saver_def(), restored, path)


class ExportTest(tf.test.TestCase):

  def testExport(self):
    with tf.Graph().as_default():
      saver = tf.train.Saver()
      write(tf.get_default_graph().as_graph_def(), saver.as_saver_def())

  def testSave(self):
    tf.train.Saver().save(None, 'model')
"""


def migrated(text: str) -> str:
    result = migrate_text("lib.py", text, ProjectIndex(), Options(), load_ruleset(Options()))
    assert result.new_text is not None
    ast.parse(result.new_text)
    return result.new_text


def test_only_the_main_block_builds_a_graph() -> None:
    text = migrated(LIBRARY)
    assert "if __name__ == '__main__':\n  # by hand\n  compat.build_graph()\n" in text
    assert text.count("build_graph") == 1


def test_a_script_that_builds_before_it_does_so_as_a_whole() -> None:
    text = migrated(LIBRARY.replace("\n\ndef", "\nz = tf.placeholder(tf.float32)\n\ndef"))
    assert text.index("build_graph") < text.index("z = ")


def test_a_fetch_whose_name_takes_the_value_is_native() -> None:
    for text in (
        LIBRARY.replace("unknown.run(sess, y,", "y = sess.run(y,"),
        "import tensorflow as tf\n\n\ndef main():\n  x = tf.placeholder(tf.float32)\n  y = 2 * x\n"
        "  with tf.Session() as sess:\n    y = sess.run(y, feed_dict={x: 3.})\n  print(y)\n",
    ):
        new = migrated(text)
        assert "compat" not in new and "Session" not in new
        assert "  y = " in new and "(3.).numpy()" in new


def test_a_function_that_asks_for_the_default_graph_has_its_saver() -> None:
    new = migrated(GRAPH)
    export, _, tests = new.partition("class ")
    assert "saver = tf.compat.v1.train.Saver()" in export
    assert "scopes.get_collection(scopes.GraphKeys.GLOBAL_VARIABLES)" in export
    assert "      saver = tf.compat.v1.train.Saver()" in tests
    assert "    checkpoint.Saver().save(" in tests
