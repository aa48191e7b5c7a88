"""A test that asks for the name of an operation of the project's networks stays in a graph."""

from migrator.analysis.index import ProjectIndex, summaries_from_texts
from migrator.engine.options import Options
from migrator.engine.pipeline import migrate_text
from migrator.engine.ruleset import load_ruleset

NET = """import tensorflow as tf
def net(x):
  y = tf.layers.dense(x, 4, name='fc')
  return tf.squeeze(y), {'fc': y}
"""
TEST = """import tensorflow as tf
import net
class NetTest(tf.test.TestCase):
  def test_name(self):
    with self.test_session():
      logits, ends = net.net(tf.ones([1, 3]))
      self.assertEqual(%s, 'Squeeze')
"""


def migrated(asked: str) -> str:
    texts = {"net.py": NET, "net_test.py": TEST % asked}
    rules = load_ruleset(Options())
    for _ in range(2):
        index = ProjectIndex.assemble(summaries_from_texts(texts))
        result = migrate_text("net_test.py", texts["net_test.py"], index, Options(), rules)
        again = texts["net_test.py"]
        texts["net_test.py"] = result.new_text or again
    assert texts["net_test.py"] == again  # the second run changed nothing
    return again


def test_names_of_results() -> None:
    for asked in ("logits.op.name", "ends['fc'].op.name"):
        new = migrated(asked)
        assert "  @testing.in_graph\n  def test_name(self):\n    with self.test_session():" in new


def test_names_of_variables() -> None:
    new = migrated("[v.op.name for v in tf.global_variables()]")
    assert "in_graph" not in new and "test_session" not in new
