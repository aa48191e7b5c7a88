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
  y = unknown(twice(x))
  with tf.Session() as sess:
    y = sess.run(y, feed_dict={x: 3.})
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
