"""Classes that extend tf.Graph, and graphs that an interactive session makes the default one."""

from __future__ import annotations

import ast
from pathlib import Path

from migrator.analysis.tree_walk import self_attribute
from migrator.engine.options import Options
from migrator.engine.plan import build_plan
from migrator.transforms.graph_programs import _OF_GRAPHS
from tests.transforms.texts import result_of

SUPPORT = Path(__file__).parents[3] / "templates" / "support" / "graphs.py"
#: What TensorFlow 1's graphs have as well.
OF_TENSORFLOW = {"as_default", "as_graph_def", "add_to_collection", "finalize", "get_collection",
                 "get_collection_ref", "get_operations"}  # fmt: skip


def test_names_of_graphs_are_known() -> None:
    """What the support package's graphs have that TensorFlow's have not is what an extension may not have."""
    tree = ast.parse(SUPPORT.read_text())
    made = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Graph")
    names = {node.name for node in made.body if isinstance(node, ast.FunctionDef)}
    names |= {node.attr for node in ast.walk(made) if isinstance(node, ast.Attribute)
              and isinstance(node.ctx, ast.Store) and self_attribute(node) is not None}  # fmt: skip
    assert {name for name in names if not name.startswith("_")} - OF_TENSORFLOW == _OF_GRAPHS - {"built_by"}


def test_an_attribute_of_both_is_said() -> None:
    result = result_of(
        "import tensorflow as tf\n\n\nclass Net(tf.Graph):\n    def __init__(self):\n"
        "        super().__init__()\n        self.session = tf.Session(graph=self)\n\n"
        "    def run(self, x):\n        return self.session.run('y:0', {'x:0': x})\n"
    )
    said = [finding.message for finding in result.findings if finding.code == "TF391"]
    assert [next(n for n in ("run", "session") if n in text) for text in said] == ["run", "session"]


def test_extensions_of_extensions_are_seen(tmp_path: Path) -> None:
    (tmp_path / "base.py").write_text(
        "import tensorflow as tf\n\n\nclass Base(tf.Graph):\n    def begin(self):\n"
        "        self.sess = tf.InteractiveSession(graph=self)\n"
    )
    (tmp_path / "net.py").write_text(
        "import tensorflow as tf\nimport base\n\n\nclass Net(base.Base):\n    def build(self):\n"
        "        self.x = tf.placeholder(tf.float32, [], name='x')\n        self.store = {}\n\n"
        "    def ask(self):\n        return self.sess.run(self.x + 1., {self.x: 2.})\n"
    )
    said = {result.path: [f.message for f in result.findings if f.code == "TF391"]
            for result in build_plan(tmp_path, Options(jobs=1)).files}
    assert [text for text in said["net.py"] if "attribute store of their own" in text]
    assert not [text for text in said["base.py"] if "of their own" in text]


def test_an_object_is_no_loaded_graph() -> None:
    """`self` stays the object: what was loaded into it was bound to the name self, in silence."""
    result = result_of(
        "import tensorflow as tf\n\n\nclass Net(tf.Graph):\n    def load(self, path):\n"
        "        with tf.gfile.GFile(path, 'rb') as f:\n            graph_def = tf.GraphDef()\n"
        "            graph_def.ParseFromString(f.read())\n        with self.as_default():\n"
        "            tf.import_graph_def(graph_def, name='net')\n"
        "        with tf.Session(graph=self) as sess:\n            return sess.run('net/y:0')\n"
    )
    assert "self = " not in (result.new_text or "")
    assert any("the object itself is the graph" in finding.message for finding in result.findings)
