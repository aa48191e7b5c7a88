"""A test that asks for the name of an operation of the project's networks is traced; where it runs
something as well, only what it builds is."""

from migrator.analysis.facts import load_facts
from migrator.analysis.index import ModuleSummary, ProjectIndex, summaries_from_texts
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


def migrated(asked: str, more: str = "") -> str:
    texts = {"net.py": NET, "net_test.py": TEST % asked + more}
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
        assert "  @testing.only_traced\n  def test_name(self):\n    logits" in new


def test_names_of_what_runs_as_well() -> None:
    new = migrated("logits.op.name", "      self.assertEqual(logits.eval().shape, (4,))\n")
    assert "in_graph" not in new and "test_session" not in new
    assert "      self.assertEqual(names.op_name(logits), 'Squeeze')\n      return logits\n" in new


def test_a_graph_of_its_own_stays_where_nothing_runs() -> None:
    new = migrated("logits.op.name", "      with tf.Graph().as_default():\n        net.net(x)\n")
    assert "@testing.only_traced" in new and "      with tf.Graph().as_default():\n" not in new
    assert "    with tf.Graph().as_default():\n      net.net(x)\n" in new


def test_names_of_variables() -> None:
    new = migrated("[v.op.name for v in tf.global_variables()]")
    assert "in_graph" not in new and "test_session" not in new


def test_what_is_fed_is_an_array_of_an_eager_tensor() -> None:
    text = (
        "import tensorflow as tf\nimport net\nclass NetTest(tf.test.TestCase):\n"
        "  def test_name(self):\n    x = tf.placeholder(tf.float32, [None, 3])\n"
        "    logits, _ = net.net(x)\n    self.assertEqual(logits.op.name, 'Squeeze')\n"
        "    images = tf.ones([2, 3])\n    with self.test_session() as sess:\n"
        "      out = sess.run(logits, {x: images.eval()})\n"
    )
    index = ProjectIndex.assemble(summaries_from_texts({"net.py": NET, "net_test.py": text}))
    result = migrate_text("net_test.py", text, index, Options(), load_ruleset(Options()))
    assert result.new_text is not None
    assert "self.evaluate(compute_logits(tf.constant(images.numpy(), tf.float32)))" in result.new_text


def test_a_checkout_of_one_package_knows_its_own_name() -> None:
    shapes = (
        "import tensorflow as tf\n"
        "def shape_of(x):\n    name = x.name\n    return x.shape.as_list(), name\n"
    )
    nets = (
        "import tensorflow as tf\nfrom lettuce import shapes\n"
        "def net(x):\n    return x * len(shapes.shape_of(x)[0])\n"
    )
    test = (
        "import tensorflow as tf\nfrom lettuce import nets\nclass NetTest(tf.test.TestCase):\n"
        "    def test_net(self):\n        self.assertAllClose(nets.net(tf.ones([2])), [1.0, 1.0])\n"
    )
    rules, facts = load_ruleset(Options()), load_facts()
    # What else is imported below the name is a file of it, or the name is another package's; where most
    # are its files, one was renamed.
    most = "from lettuce import soil, sun, water\n"
    for first, marked in (("", True), ("from lettuce import seeds\n", False), (most, False),
                          (most + "from lettuce import seeds\n", True)):
        texts = {"__init__.py": "", "shapes.py": shapes, "nets.py": nets}
        if "seeds" in first and most in first:
            texts |= {"soil.py": "", "sun.py": "", "water.py": ""}
        texts["nets_test.py"] = first + test
        index = ProjectIndex.assemble({p: ModuleSummary.of(p, t, facts) for p, t in texts.items()})
        new = migrate_text("nets_test.py", texts["nets_test.py"], index, Options(), rules).new_text or ""
        assert ("@testing.in_graph" in new) is marked


def test_initial_values_alone_are_no_run() -> None:
    new = migrated("logits.op.name", "      self.evaluate([tf.global_variables_initializer()])\n")
    assert "  @testing.only_traced\n  def test_name(self):\n    logits" in new
