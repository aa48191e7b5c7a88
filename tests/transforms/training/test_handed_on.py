"""Sessions that modules hand on to each other go everywhere or nowhere."""

from pathlib import Path

from migrator.analysis.index import ProjectIndex
from migrator.engine.options import Options
from migrator.engine.pipeline import migrate_text
from migrator.engine.plan import build_plan
from migrator.engine.ruleset import load_ruleset

NETWORK = """\
import tensorflow as tf


class Network(object):
    def build(self):
        self.image = tf.placeholder(tf.float32, [None])
        self.score = tf.reduce_sum(self.image)

    def score_of(self, sess, image):
        return sess.run(self.score, feed_dict={self.image: image})
"""
BETWEEN = "def detect(sess, net, image):\n    return net.score_of(sess, image)\n"
DEMO = """\
import sys
sys.path.insert(0, 'lib')
import tensorflow as tf
from model.between import detect
from network import Network

if __name__ == '__main__':
    sess = tf.Session()
    net = Network()
    net.build()
    print(detect(sess, net, [1.]))
"""


def test_a_module_without_tensorflow_hands_on_none(tmp_path: Path) -> None:
    (tmp_path / "lib/model").mkdir(parents=True)
    texts = {"lib/network.py": NETWORK, "lib/model/between.py": BETWEEN, "demo.py": DEMO,
             "lib/model/__init__.py": ""}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    new = {result.path: result.new_text or texts[result.path]
           for result in build_plan(tmp_path, Options(jobs=1)).files}
    assert "def detect(net, image):\n    return net.score_of(image)\n" in new["lib/model/between.py"]
    assert "detect(net, [1.])" in new["demo.py"] and "sess" not in new["demo.py"]
    assert "def score_of(self, image):" in new["lib/network.py"]


WAITING = """\
import tensorflow as tf
import steps

def main():
    total = tf.reduce_sum(tf.get_variable('w', [2]))
    with tf.train.MonitoredSession() as sess:
        print(steps.run(sess, total))

if __name__ == '__main__':
    main()
"""
STEPS = "def run(sess, fetched):\n    return sess.run(fetched)\n"


def test_what_calls_hooks_is_handed_on_by_name_of_tensorflow(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(WAITING)
    (tmp_path / "steps.py").write_text(STEPS)
    new = {result.path: result for result in build_plan(tmp_path, Options(jobs=1)).files}
    assert "steps.run(sess, total)" in (new["main.py"].new_text or "")
    assert new["steps.py"].new_text is None
    assert [finding for result in new.values() for finding in result.findings] == []


HELPERS = """\
import tensorflow as tf

def feed():
    return tf.placeholder(tf.float32, [None])

def begin():
    tf.get_default_session().run(tf.variables_initializer(tf.global_variables()))
"""
AGENT = """\
import tensorflow as tf
import helpers

def losses(taken, optimizer):
    with tf.variable_scope('agent'):
        loss = tf.reduce_sum(tf.layers.dense(taken[:, None], 1)) + tf.reduce_sum(helpers.feed())
        return optimizer.minimize(loss)

class Agent(object):
    def __init__(self, taken):
        self.train = losses(taken, tf.train.AdamOptimizer(0.1))
"""
PROGRAM = """\
import tensorflow as tf
import helpers
from agent import Agent

def train():
    tf.set_random_seed(1)
    with tf.Session().as_default():
        agent = Agent(helpers.feed())
        helpers.begin()
        tf.train.Saver().save(tf.get_default_session(), 'x')

def main():
    tf.set_random_seed(1)
    train()
"""


def test_migrated_modules_build_graphs_where_they_did(tmp_path: Path) -> None:
    for name, text in {"helpers.py": HELPERS, "agent.py": AGENT, "program.py": PROGRAM}.items():
        (tmp_path / name).write_text(text)
    for result in build_plan(tmp_path, Options(jobs=1)).changed:
        (tmp_path / result.path).write_text(result.new_text or "")
    again = build_plan(tmp_path, Options(jobs=1)).changed
    assert [(result.path, result.new_text) for result in again] == []


def test_a_class_that_is_given_its_network_builds_it_before_it_restores() -> None:
    """A parameter of the constructor makes variables as any function does that nothing is known of."""
    text = (
        "import tensorflow as tf\n\n\nclass Detector(object):\n    def __init__(self, network, path):\n"
        "        with tf.Graph().as_default():\n"
        "            self.images = tf.placeholder(tf.float32, [None, 4])\n"
        "            self.scores = network(self.images, training=False)\n"
        "            self.sess = tf.Session()\n            saver = tf.train.Saver()\n"
        "            saver.restore(self.sess, path)\n\n    def predict(self, images):\n"
        "        return self.sess.run(self.scores, {self.images: images})\n")
    result = migrate_text("a.py", text, ProjectIndex(), Options(), load_ruleset(Options()))
    assert result.new_text is not None
    assert "with self._store.run():\n                    scores = network(" in result.new_text
    built = result.new_text.index("self._predict.get_concrete_function()")
    assert built < result.new_text.index("saver.restore(path)")


DRAWS = "import tensorflow as tf\n\n\ndef noise(count):\n    return tf.random_normal([count])\n"
SCALED = """\
import tensorflow as tf


class Scaled(object):
    def __init__(self, values):
        self.out = tf.get_variable('w', [2]) * values
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def see(self):
        return self.sess.run(self.out)
"""


def test_a_script_hands_what_one_module_draws_to_another_one(tmp_path: Path) -> None:
    """It has nothing of TensorFlow, but what it hands on is of the graph."""
    texts = {
        "draws.py": DRAWS, "scaled.py": SCALED,
        "alone.py": "import draws\n\n\nprint(draws.noise(2))\n",
        "script.py": "from draws import noise\nfrom scaled import Scaled\n\nprint(Scaled(noise(2)).see())\n"
        "scaled = Scaled(noise(2))\nvalues = noise(2)\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    plan = build_plan(tmp_path, Options(jobs=1))
    new = {result.path: result.new_text for result in plan.files}
    assert new["alone.py"] is None
    assert new["script.py"] is not None and "\ngraphs.build()\n\nprint(Scaled(" in new["script.py"]
    for path, migrated in new.items():
        if migrated is not None:
            (tmp_path / path).write_text(migrated)
    assert not build_plan(tmp_path, Options(jobs=1)).changed


def test_commands_of_a_library_are_given_what_builds(tmp_path: Path) -> None:
    (tmp_path / "network.py").write_text(NETWORK)
    (tmp_path / "main.py").write_text(
        "import click\nimport tensorflow as tf\nfrom network import Network\n\n\n@click.command()\n"
        "@click.option('--steps')\ndef show(steps):\n    net = Network()\n    net.build()\n"
        "    sess = tf.Session()\n    for _ in range(steps):\n        print(net.score_of(sess, [1.]))\n\n\n"
        "show()\n"
    )
    new = {result.path: result.new_text or "" for result in build_plan(tmp_path, Options(jobs=1)).files}
    assert "@click.command()\n@click.option('--steps')\n@graphs.building\ndef show" in new["main.py"]
