"""Functions that keep to graphs of their own share none with other modules."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from migrator.analysis.facts_graph_code import unit_facts, units
from migrator.analysis.names import NameTable
from migrator.engine.options import Options
from migrator.engine.plan import build_plan
from tests.transforms.projects import migrate_in_place

KEPT = {
    "a value": "with tf.Graph().as_default(), tf.Session() as s:\n    return s.run(tf.constant(n))",
    "a list of values": (
        "found = []\nwith tf.Graph().as_default():\n    x = tf.placeholder(tf.float32, [])\n"
        "    with tf.Session() as s:\n        for v in n:\n            found.append(s.run(x + 1, {x: v}))\n"
        "return np.stack(found)"),
    "nothing, but a file": (
        "with tf.Graph().as_default():\n    text = tf.constant(n)\n"
        "    with tf.python_io.TFRecordWriter(n) as writer, tf.Session() as s:\n"
        "        example = wrap(s.run(text))\n        writer.write(example)"),
    "a graph with a name": (
        "graph = tf.Graph()\nwith graph.as_default():\n    x = build(n)\n"
        "with tf.Session(graph=graph) as s:\n    return s.run(x)"),
}
LET_OUT = {
    "a tensor": "with tf.Graph().as_default():\n    return tf.constant(n)",
    "what a builder gave": "with tf.Graph().as_default():\n    net = build(n)\nreturn net",
    "the graph": "with tf.Graph().as_default() as graph:\n    x = tf.constant(n)\nreturn graph",
    "the session": "with tf.Graph().as_default():\n    s = tf.Session()\n    x = tf.constant(n)\nreturn s",
    "a list of tensors": (
        "found = []\nwith tf.Graph().as_default():\n    for v in n:\n        found.append(tf.constant(v))\n"
        "return found"),
    "by an attribute": "with tf.Graph().as_default():\n    n.x = tf.constant(1)",
    "by a key of a parameter": "with tf.Graph().as_default():\n    n['x'] = tf.constant(1)",
    "by a method of a parameter": "with tf.Graph().as_default():\n    n.add(tf.constant(1))",
    "by itself": "with tf.Graph().as_default():\n    self.build(n)",
    "by a global": "global kept\nwith tf.Graph().as_default():\n    kept = tf.constant(n)",
    "bit by bit": "with tf.Graph().as_default(), tf.Session() as s:\n    yield s.run(tf.constant(n))",
    "as a function": (
        "with tf.Graph().as_default():\n    x = tf.constant(n)\n    s = tf.Session()\n"
        "    def ask():\n        return s.run(x)\nreturn ask"),
    "an operation beside it": "x = tf.constant(n)\nwith tf.Graph().as_default():\n    tf.constant(1)",
    "a session beside it": "with tf.Graph().as_default():\n    tf.constant(1)\nreturn tf.Session().run(n)",
}


def outside(body: str) -> object:
    indented = "\n".join(f"    {line}" for line in body.split("\n"))
    imports = "import numpy as np\nimport tensorflow as tf\nfrom nets import build, wrap\n\n\n"
    tree = ast.parse(f"{imports}def f(self, n):\n{indented}\n")
    found = {name: unit_facts(nodes, NameTable.of(tree, "m")) for name, nodes in units(tree)}
    return found["f"]["outside"]


@pytest.mark.parametrize("body", KEPT.values(), ids=KEPT)
def test_what_stays_inside(body: str) -> None:
    assert outside(body) is not None


@pytest.mark.parametrize("body", LET_OUT.values(), ids=LET_OUT)
def test_what_gets_out(body: str) -> None:
    assert outside(body) is None


def test_what_is_called_outside_is_told() -> None:
    found = outside("n = wrap(n)\nwith tf.Graph().as_default():\n    x = build(n)\n    tf.Session().run(x)")
    assert isinstance(found, list) and "nets.wrap" in found and "nets.build" not in found


SIZES = """import tensorflow as tf


def size(n):
    with tf.Graph().as_default(), tf.Session() as sess:
        return int(sess.run(tf.size(tf.constant(n))))
"""
MODEL = """import tensorflow as tf

import {module}


def model(n):
    x = tf.placeholder(tf.float32, [None, {module}.size(n)])
    return x, tf.reduce_sum(x)
"""


@pytest.mark.parametrize("through", [False, True])
def test_one_that_is_asked_while_another_is_built_stays_a_graph(tmp_path: Path, through: bool) -> None:
    """Also through a module that has nothing of TensorFlow, of which nothing is known."""
    (tmp_path / "sizes.py").write_text(SIZES)
    (tmp_path / "between.py").write_text("import sizes\n\n\ndef size(n):\n    return sizes.size(n)\n")
    (tmp_path / "model.py").write_text(MODEL.format(module="between" if through else "sizes"))
    migrate_in_place(tmp_path)
    assert "graphs.run(" in (tmp_path / "sizes.py").read_text()


@pytest.mark.parametrize("through", [False, True])
def test_one_that_is_asked_beside_a_graph_is_plain(tmp_path: Path, through: bool) -> None:
    """Also by a function that is called before the graph is begun."""
    (tmp_path / "sizes.py").write_text(SIZES + "\n\ndef prepared(n):\n    return size(n)\n")
    (tmp_path / "main.py").write_text(
        f"import tensorflow as tf\n\nimport sizes\n\n\ndef total(n):\n"
        f"    count = sizes.{'prepared' if through else 'size'}(n)\n"
        "    with tf.Graph().as_default(), tf.Session() as sess:\n"
        "        return count * sess.run(tf.reduce_sum(tf.constant(n)))\n")
    (tmp_path / "kept.py").write_text(
        "import tensorflow as tf\n\nx = tf.placeholder(tf.float32, [])\ny = x + 1\n\n\n"
        "def asked(sess, fed):\n    return sess.run(y, {x: fed})\n")
    (tmp_path / "script.py").write_text(
        "import kept\nimport main\nimport sizes\n\nsizes.size(main.total([1]))\n")
    migrate_in_place(tmp_path)
    assert "return int(tf.size(tf.constant(n)).numpy())" in (tmp_path / "sizes.py").read_text()
    assert "graphs" not in (tmp_path / "main.py").read_text()


def test_the_sample_keeps_no_graph() -> None:
    sample = Path(__file__).parents[3] / "samples" / "ssd_mobilenet_v1"
    files = {path for path, _ in build_plan(sample, Options(jobs=1)).support_files}
    assert files and not any(Path(path).name in ("graphs.py", "sessions.py") for path in files)
