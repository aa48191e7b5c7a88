"""Sessions that modules hand on to each other go everywhere or nowhere."""

from pathlib import Path

from migrator.engine.options import Options
from migrator.engine.plan import build_plan

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
