"""What an edit took away that something needs: attributes, calls, makers of variables."""

from __future__ import annotations

from migrator.check.records import Kind
from tests.check.helpers import Tree, found

BASE = """
import tensorflow as tf


class Base:
    def __init__(self):
        self.sess = tf.Session()
"""
CHILD = """
from base import Base


class Child(Base):
    def run(self, x):
        return self.sess.run(x)
"""
GONE = "\n\nclass Base:\n    def __init__(self):\n        pass\n"


def test_a_session_that_a_subclass_still_runs() -> None:
    tree = Tree({"base.py": BASE, "child.py": CHILD}, {"base.py": GONE})
    faults = [f for f in tree.faults() if f.kind is Kind.ATTRIBUTE]
    assert {(f.path, f.line, f.name) for f in faults} == {("child.py", 7, "sess")}
    assert all(f.culprits == ("base.py",) for f in faults)
    again = GONE.replace("pass", "self.sess = None")
    assert [f for f in Tree({"base.py": BASE, "child.py": CHILD}, {"base.py": again}).faults()
            if f.kind is Kind.ATTRIBUTE] == []  # fmt: skip


def test_a_session_that_somebody_else_reads() -> None:
    user = "from base import Base\nmodel = Base()\nprint(model.sess.run(1))\n"
    faults = Tree({"base.py": BASE, "user.py": user}, {"base.py": GONE}).faults()
    assert [(f.kind, f.path, f.line, f.name) for f in faults if f.kind is not Kind.UNUSED] == [
        (Kind.REFERENCE, "user.py", 3, "base.Base().sess.run")
    ]
    user = "def show(model):\n    print(model.sess.run(1))\n"
    faults = Tree({"base.py": BASE, "user.py": user}, {"base.py": GONE}).faults()
    assert [(f.kind, f.path, f.line, f.name) for f in faults if f.kind is not Kind.UNUSED] == [
        (Kind.ATTRIBUTE, "user.py", 2, "sess")
    ]


def test_attributes_that_objects_of_tensorflow_have() -> None:
    base = BASE.replace("self.sess", "self.graph").replace("tf.Session", "tf.Graph")
    user = "import tensorflow as tf\ndef show(sess):\n    print(sess.graph)\n"
    faults = Tree({"base.py": base, "user.py": user}, {"base.py": GONE}).faults()
    assert [f for f in faults if f.kind is Kind.ATTRIBUTE] == []


def test_arguments_that_nothing_reads_any_more() -> None:
    old = "import tensorflow as tf\ndef either(p, a, b, name=None):\n    return tf.cond(p, a, b, name)\n"
    assert found(old, old.replace(", b, name)", ", b)")) == []
    loads = ("def train(model, data, steps, threads=1):\n"
             "    model.fit_generator(data, steps, workers=threads, use_multiprocessing=threads > 1)\n")
    assert found(loads, loads.replace("_generator", "").split(", workers")[0] + ")\n") == []
    two = "import six\ndef f(x, code):\n    if six.PY2 and code:\n        x = x.encode(code)\n    return x\n"
    assert (Kind.DELETED, "code") not in found(two, "def f(x, code):\n    return x\n")
    assert (Kind.DELETED, "b") in found(old, old.replace("a, b, name)", "a, a)"))


def test_attributes_that_are_set_in_other_ways() -> None:
    user = "from base import Base\nmodel = Base()\nprint(model.sess)\n"
    for line in ("setattr(self, 'sess', 1)", "setattr(self, name, 1)", "self.other.sess = 1"):
        after = GONE.replace("pass", line)
        faults = Tree({"base.py": BASE, "user.py": user}, {"base.py": after}).faults()
        assert [f for f in faults if f.kind is Kind.ATTRIBUTE] == []
    dynamic = GONE + "    def __getattr__(self, name):\n        return 1\n"
    faults = Tree({"base.py": BASE, "child.py": CHILD}, {"base.py": dynamic}).faults()
    assert [f for f in faults if f.message.startswith("self.")] == []


NETS = "class Net:\n    def net(self, images):\n        return images\ndef get(name):\n    return Net\n"
MAIN = """
import nets
import tensorflow as tf


def main(images):
    net = nets.get('a')()
    logits = net.net(images)
    saver = tf.train.Saver()
    saver.save(None, 'path')
"""


def test_a_network_whose_class_nobody_knows() -> None:
    after = MAIN.replace("    net = nets.get('a')()\n    logits = net.net(images)\n", "")
    wrong = found({"nets.py": NETS, "main.py": MAIN}, {"main.py": after})
    assert (Kind.DELETED, "nets.get()().net()") in wrong
    kept = MAIN.replace("logits = net.net(images)", "build = tf.function(net.net)")
    found_now = found({"nets.py": NETS, "main.py": MAIN}, {"main.py": kept})
    assert (Kind.DELETED, "nets.get()().net()") not in found_now


def test_calls_that_make_variables() -> None:
    old = "import tensorflow as tf\na = tf.Variable(1.0)\nb = tf.Variable(2.0)\nprint(a)\n"
    assert found(old, old.replace("b = tf.Variable(2.0)\n", "")) == [(Kind.DELETED, "Variable")]
    moved = old.replace("b = tf.Variable(2.0)\n", "") + "def f():\n    return tf.Variable(2.0)\n"
    assert found(old, moved) == []


def test_calls_that_change_files() -> None:
    old = "import os\nos.makedirs('out')\nx = abs(3)\n"
    assert found(old, "import os\nx = os.sep\n") == [(Kind.DELETED, "os.makedirs()")]


def test_a_helper_that_was_written_out() -> None:
    old = "def helper(x):\n    return x + 1\ndef main():\n    return helper(1)\n"
    assert found(old, "def main():\n    return 1 + 1\n") == []


def test_arguments_that_only_named_a_scope() -> None:
    old = (
        "import tensorflow as tf\ndef f(x, state):\n"
        "    with tf.name_scope('f', 'F', [x, state]):\n        return -x\n"
    )
    assert found(old, old.replace("'f', 'F', [x, state]", "'f'")) == []


def test_arguments_that_only_named_tensors() -> None:
    old = "def f(x, graph, sess):\n    return sess.run(graph.get_tensor_by_name('y:0'), {'x:0': x})\n"
    assert found(old, old.replace("graph.get_tensor_by_name('y:0')", "'y:0'")) == []
