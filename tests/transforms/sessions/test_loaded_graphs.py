"""Graphs loaded from files: names that outlive functions, modules that share them, what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrator.engine.options import Options
from migrator.engine.plan import build_plan

HEAD = "import tensorflow as tf\n\n\n"
LOAD = """\
    graph = tf.Graph()
    with graph.as_default():
        graph_def = tf.GraphDef()
        with tf.gfile.GFile(path, 'rb') as f:
            graph_def.ParseFromString(f.read())
        tf.import_graph_def(graph_def, name='')
"""


def migrated(folder: Path, **texts: str) -> dict[str, str]:
    """The modules' new texts; findings of loaded graphs under "findings"."""
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text)
    plan = build_plan(folder, Options(jobs=1))
    found = {r.path.removesuffix(".py"): r.new_text or r.old_text for r in plan.files}
    found["changes"] = "\n".join(c.reason for r in plan.files for c in r.changes)
    found["findings"] = "\n".join(
        f.message for r in plan.files for f in r.findings if "loaded graph" in f.message)
    assert not [f for r in plan.files for f in r.findings if f.code == "TF000"]
    return found


NATIVE = {
    "session that outlives the graph's name": (
        "class Detector(object):\n\n  def __init__(self, path):\n" + LOAD
        + "    self.sess = tf.Session(graph=graph)\n\n  def run(self, image):\n"
        "    return self.sess.run('boxes:0', {'image:0': image})\n",
        ["    graph = frozen_graph.FrozenGraph(path)\n", "    self.sess = graph\n",
         "self.sess.run('boxes:0'"],
    ),
    "default graph of an attribute's session": (
        "class Detector(object):\n\n  def __init__(self, path):\n"
        "    with tf.gfile.GFile(path, 'rb') as f:\n      graph_def = tf.GraphDef()\n"
        "      graph_def.ParseFromString(f.read())\n    tf.import_graph_def(graph_def, name='')\n"
        "    self.sess = tf.Session()\n\n  def run(self, image):\n"
        "    return self.sess.run('boxes:0', {'image:0': image})\n",
        ["    self.sess = frozen_graph.FrozenGraph(path)\n", "self.sess.run('boxes:0'"],
    ),
    "graph that is entered without a with": (
        "sess = tf.Session()\nwith tf.gfile.GFile('g.pb', 'rb') as f:\n    graph_def = tf.GraphDef()\n"
        "    graph_def.ParseFromString(f.read())\n    sess.graph.as_default()\n"
        "    tf.import_graph_def(graph_def, name='')\nboxes = sess.graph.get_tensor_by_name('boxes:0')\n"
        "print(sess.run(boxes, {'image:0': [1.0]}))\n",
        ["graph = frozen_graph.FrozenGraph('g.pb')\nboxes = 'boxes:0'\nprint(graph.run(boxes"],
    ),
    "variables that it does not list": (
        "def main(path):\n" + LOAD + "    with tf.Session(graph=graph) as sess:\n"
        "        sess.run(tf.global_variables_initializer())\n"
        "        done = sess.run(tf.global_variables_initializer())\n"
        "        return sess.run('out:0'), done\n",
        ["    graph = frozen_graph.FrozenGraph(path)\n    done = None\n    return graph.run('out:0')"],
    ),
    "global session": (
        "sess = None\n\n\ndef setup(path):\n    global sess\n" + LOAD
        + "    sess = tf.Session(graph=graph)\n\n\ndef detect(image):\n    if sess is None:\n"
        "        raise ValueError('setup first')\n"
        "    return sess.run('boxes:0', {'image:0': image})\n",
        ["    sess = graph\n", "if sess is None:", "return sess.run('boxes:0'"],
    ),
    "graph and session": (
        "def load(path):\n" + LOAD + "    sess = tf.Session(graph=graph)\n    return graph, sess\n\n\n"
        "def detect(path, image):\n    graph, sess = load(path)\n"
        "    boxes = graph.get_tensor_by_name('boxes:0')\n    scores = 2 * boxes\n"
        "    return sess.run([boxes, 'scores:0'], {'image:0': image}), scores\n",
        ["return graph, graph", "boxes = graph.get_tensor_by_name('boxes:0')"],
    ),
    "restored at once": (
        "def predict(path, data):\n    with tf.Session() as session:\n"
        "        session.run(tf.global_variables_initializer())\n"
        "        tf.train.import_meta_graph(path + '.meta').restore(session, path)\n"
        "        return session.run('y:0', {'x:0': data})\n",
        ["data):\n    graph = meta_graph.MetaGraph(path + '.meta')\n    graph.restore(path)\n",
         "graph.run('y:0'"],
    ),
    "initialised and saved": (
        "def train(path, data):\n    with tf.Graph().as_default(), tf.Session() as sess:\n"
        "        saver = tf.train.import_meta_graph(path)\n"
        "        init = tf.global_variables_initializer()\n        sess.run(init)\n"
        "        sess.run(tf.get_collection('train_op'), {'x:0': data})\n"
        "        saver.save(sess, 'model', global_step=1)\n",
        ["graph.initialize()", "graph.run(graph.get_collection('train_op'), {'x:0': data})",
         "graph.save_checkpoint('model', global_step=1)"],
    ),
}


@pytest.mark.parametrize("case", NATIVE)
def test_native(case: str, tmp_path: Path) -> None:
    text, wanted = NATIVE[case]
    found = migrated(tmp_path, module=HEAD + text)
    assert not found["findings"]
    assert "compat.v1" not in found["module"] and "Session(" not in found["module"]
    for part in wanted:
        assert part in found["module"], found["module"]


REFUSED = {
    "operations while it is loaded": (
        "def load(path):\n" + LOAD + "        boxes = tf.squeeze(graph.get_tensor_by_name('b:0'))\n"
        "    return graph, boxes\n",
        "operations are added while",
    ),
    "unknown code gets the graph": (
        "def load(path):\n" + LOAD + "    tf.summary.FileWriter('logs', graph)\n    return graph\n",
        "the graph is handed to TensorFlow or to unknown code",
    ),
    "unknown code gets the session": (
        "def load(path, use):\n" + LOAD + "    with tf.Session(graph=graph) as sess:\n"
        "        return use(sess)\n",
        "the session is handed to TensorFlow or to unknown code",
    ),
    "a function for any graph": (
        "def run(graph, name):\n    with tf.Session(graph=graph) as sess:\n"
        "        return sess.run(name)\n\n\ndef main(path):\n" + LOAD
        + "    return run(graph, 'a:0'), run(tf.get_default_graph(), 'b:0')\n",
        "run is also given another graph",
    ),
    "joined to other tensors": (
        "def load(graph_def, x):\n"
        "    tf.import_graph_def(graph_def, input_map={'x:0': x}, name='')\n",
        "joined to other tensors",
    ),
    "a Saver that goes elsewhere": (
        "def load(path, use):\n    saver = tf.train.import_meta_graph(path)\n    use(saver)\n",
        "the Saver of the meta graph is passed on",
    ),
}


@pytest.mark.parametrize("asked", ["as_graph_def().node", "get_operations()", "get_collection('a')"])
def test_a_graph_that_others_than_its_object_ask(asked: str, tmp_path: Path) -> None:
    load = LOAD.replace("graph = ", "self.graph = ", 1).replace("with graph.", "with self.graph.")
    text = ("class Detector(object):\n\n  def __init__(self, path):\n" + load
            + "    self.sess = tf.Session(graph=self.graph)\n\n\n"
            f"print(len(Detector('a.pb').graph.{asked}))\n")  # fmt: skip
    assert "FrozenGraph" not in migrated(tmp_path, module=HEAD + text)["module"]


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str, tmp_path: Path) -> None:
    text, reason = REFUSED[case]
    found = migrated(tmp_path, module=HEAD + text)
    assert reason in found["findings"]
    assert "FrozenGraph" not in found["module"] and "MetaGraph" not in found["module"]
    assert "by tensor names" not in found["changes"]


MODULES = {
    "load": HEAD + "def load(path):\n" + LOAD + "    return graph\n",
    "use": HEAD + "def detect(image, graph):\n    with tf.Session(graph=graph) as sess:\n"
    "        return sess.run('boxes:0', {'image:0': image})\n",
    "main": "import load\nimport use\n\ngraph = load.load('a.pb')\n"
    "print(use.detect([0], graph=graph))\n",
}


def test_modules_that_share_a_graph(tmp_path: Path) -> None:
    found = migrated(tmp_path, **MODULES)
    assert not found["findings"]
    assert "return graph.run('boxes:0', {'image:0': image})" in found["use"]
    assert found["main"] == MODULES["main"]


@pytest.mark.parametrize("change", [
    ("load", "    return graph\n", "    tf.summary.FileWriter('logs', graph)\n    return graph\n"),
    ("use", "        return sess", "        tf.summary.FileWriter('logs', sess.graph)\n"
                                   "        return sess"),
    ("main", "use.detect([0], graph=graph)",
     "use.detect([0], graph=graph), use.detect([1], graph=make())"),
])
def test_one_of_them_that_cannot_keeps_all(change: tuple[str, str, str], tmp_path: Path) -> None:
    module, old, new = change
    assert old in MODULES[module]
    texts = {**MODULES, module: MODULES[module].replace(old, new)}
    found = migrated(tmp_path, **texts)
    for name in ("load", "use"):
        assert "FrozenGraph" not in found[name], found[name]
        assert "graph.run(" not in found[name], found[name]


AHEAD = HEAD + "graph = tf.Graph()\n\n\ndef load(path):\n" + LOAD + """\
    sess = tf.Session(graph=graph)
    return graph, sess


def detect(image, graph, sess):
    boxes = graph.get_tensor_by_name('boxes:0')
    return sess.run(boxes, {'image:0': image})
"""


@pytest.mark.parametrize(
    ("whose", "reads", "kept"),
    [("", "", False), ("", "print(m.graph)\n", True), ("", "from m import graph\n", True),
     ("", "from m import *\n", True), ("\n\ndef whose(x):\n    return x.graph is graph\n", "", True)],
)  # fmt: skip
def test_a_graph_that_nobody_reads_goes(whose: str, reads: str, kept: bool, tmp_path: Path) -> None:
    other = f"import m\n{reads}loaded, sess = m.load('g.pb')\nprint(m.detect([1.0], loaded, sess))\n"
    found = migrated(tmp_path, m=AHEAD + whose, other=other)
    assert ("graph = graphs.Graph()" in found["m"].partition("def load")[0]) is kept
    assert kept or "frozen_graph.FrozenGraph(path)" in found["m"]


def test_the_names_of_a_pair_stay(tmp_path: Path) -> None:
    found = migrated(tmp_path, m=AHEAD, other=(
        "import m\nimport tensorflow as tf\nloaded, sess = m.load('g.pb')\nsess = tf.Session(graph=loaded)\n"
        "print(m.detect([1.0], loaded, sess))\n"))
    assert "loaded, sess = m.load('g.pb')\nprint(m.detect([1.0], loaded, loaded))\n" in found["other"]
