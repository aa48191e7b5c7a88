"""Dotted names that lead nowhere, and calls that are not taken."""

from __future__ import annotations

import pytest

from migrator.check.records import Kind, Params, Shape
from tests.check.helpers import Tree, found

TF = "import tensorflow as tf\n"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("x = tf.placeholders(1)\n", "tensorflow.placeholders"),
        ("x = tf.contrib.slim.conv2d\n", "tensorflow.contrib.slim.conv2d"),
        ("x = tf.compat.v1.nothing\n", "tensorflow.compat.v1.nothing"),
        ("nn = tf.nn\nx = nn.relu7(1)\n", "tensorflow.nn.relu7"),
        ("from tensorflow.contrib import slim\n", "tensorflow.contrib.slim"),
        ("from tensorflow.python.estimator import model_fn\n", "tensorflow.python.estimator.model_fn"),
        ("import keras\nx = keras.layers.Dance(1)\n", "keras.layers.Dance"),
        ("from tf1_support import slim\nx = slim.conv2d(1), slim.conv9d(1)\n", "tf1_support.slim.conv9d"),
        ("try:\n    x = tf.pack\nexcept AttributeError:\n    x = tf.stuck\n", "tensorflow.stuck"),
    ],
)
def test_names_that_lead_nowhere(text: str, wrong: str) -> None:
    assert found(TF + text) == [(Kind.REFERENCE, wrong)]


@pytest.mark.parametrize(
    "text",
    [
        "x = tf.nn.relu(1)\ny = tf.float32.max\nz = tf.__version__\n",
        "x = tf.compat.v1.placeholder(tf.float32)\n",
        "x = tf.compat.v2.nn.relu\n",
        "from tensorflow.python.framework import ops\nx = ops.get_default_graph\n",
        "from tensorflow.core.framework import graph_pb2\nx = graph_pb2.GraphDef()\n",
        "try:\n    x = tf.pack\nexcept AttributeError:\n    x = tf.stack\n",
        "try:\n    from tensorflow.contrib import slim\nexcept ImportError:\n    slim = None\n",
        "if hasattr(tf, 'pack'):\n    x = tf.pack\n",
        "x = tf.pack if hasattr(tf, 'pack') else tf.stack\n",
        "if tf.__version__ < '2':\n    x = tf.pack\n",
        "if is_later('1.9'):\n    x = tf.stack\nelse:\n    x = tf.pack\n",
        "def f(tf):\n    return tf.pack\n",
        "from tf1_support import slim\nx = slim.conv2d(1, 2, 3)\nslim.losses.log_loss(1, 2)\n",
        "x = tf.data.Dataset.from_tensor_slices([1]).anything().at.all\n",
        "tf.my_own = 1\n",
        "import unknown_package\nx = unknown_package.anything\n",
    ],
)
def test_names_that_lead_somewhere_or_may(text: str) -> None:
    assert found(TF + text) == []


def test_what_the_rendered_package_does_not_hold() -> None:
    text = "from tf1_support import slim\nx = slim.conv2d(1, 2, 3)\ny = slim.dropout(1)\n"
    faults = Tree({"a.py": text}, rendered=frozenset({"slim.conv2d"})).faults()
    assert [(f.kind, f.name) for f in faults] == [(Kind.REFERENCE, "tf1_support.slim.dropout")]
    none = Tree({"a.py": text}, rendered=frozenset({"layers.dense"})).faults()
    assert {f.line for f in none} == {1, 2, 3}


def test_what_an_object_of_the_package_has_not_though_a_class_of_the_program_has_it() -> None:
    saver = "from tf1_support import checkpoint\nsaver = checkpoint.Saver()\nsaver.to_proto()\n"
    thing = "class Thing:\n    def to_proto(self):\n        return 1\n"
    missing = [(Kind.REFERENCE, "tf1_support.checkpoint.Saver().to_proto")]
    assert found({"a.py": saver, "b.py": thing}) == missing
    assert found({"a.py": saver + thing}) == missing
    assert found({"a.py": saver, "b.py": thing + "def f(x):\n    x.to_proto = None\n"}) == []


def test_through_the_project_s_own_modules() -> None:
    layers = TF + "def dense(x):\n    return tf.nn.relu(x)\n"
    user = "import layers\nfrom layers import *\na = layers.tf.log(1)\nb = tf.placeholder(1)\nc = dense(2)\n"
    assert found({"layers.py": layers, "user.py": user}) == [
        (Kind.REFERENCE, "layers.tf.log"), (Kind.REFERENCE, "*.tf.placeholder"),
    ]  # fmt: skip


def test_what_another_module_still_reads() -> None:
    net = "def build(x):\n    return x\ndef loss(x):\n    return x\n"
    user = "import net\nfrom net import loss\nprint(net.build(1))\n"
    after = "def loss(x):\n    return x\n"
    tree = Tree({"net.py": net, "user.py": user}, {"net.py": after})
    assert [(f.kind, f.path, f.line, f.name) for f in tree.faults()] == [
        (Kind.REFERENCE, "user.py", 3, "net.build")
    ]
    assert tree.faults()[0].culprits == ("net.py",)
    assert found({"net.py": net, "user.py": user.replace("build", "never")}, {"net.py": net + "#\n"}) == []


def test_submodules_and_packages() -> None:
    texts = {
        "pkg/__init__.py": "from pkg.one import f\n", "pkg/one.py": "def f(x):\n    return x\n",
        "pkg/two.py": "from . import one\nfrom .one import f\nimport pkg\n"
        "x = one.f(1), pkg.one.f(2)\ny = pkg.f(3)\n",
    }  # fmt: skip
    assert found(texts, {"pkg/one.py": "def f(x):\n    return x + 0\n"}) == []
    assert found(texts, {"pkg/one.py": "def g(x):\n    return x\n"}) == [
        (Kind.REFERENCE, "pkg.one.f"), (Kind.REFERENCE, "pkg.one.f"), (Kind.REFERENCE, "pkg.one.f"),
        (Kind.REFERENCE, "pkg.f"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("shape", "why"),
    [
        (Shape(2), ""), (Shape(1, ("b",)), ""), (Shape(0, ("a", "b", "k")), ""), (Shape(0, (), True), ""),
        (Shape(3), "takes 2 positional arguments but 3 are given"),
        (Shape(1), "missing a required argument: 'b'"),
        (Shape(2, ("a",)), "got multiple values for argument 'a'"),
        (Shape(2, ("z",)), "got an unexpected keyword argument 'z'"),
    ],
)  # fmt: skip
def test_what_a_signature_takes(shape: Shape, why: str) -> None:
    assert Params(("a", "b"), only=("k",)).refuses(shape) == why


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("tf.reduce_mean(x, keep_dims=True)\n", "tensorflow.reduce_mean"),
        ("tf.nn.conv2d(x, filter=1, strides=1, padding='SAME')\n", "tensorflow.nn.conv2d"),
        ("from tf1_support import writers\ns = writers.FileWriter('a')\ns.add_summary(x, 1, 2)\n",
         "tf1_support.writers.FileWriter().add_summary"),
        ("from tf1_support import checkpoint\ncheckpoint.Saver(nothing=1)\n", "tf1_support.checkpoint.Saver"),
        ("import functools\nf = functools.partial(tf.nn.dropout, keep_prob=0.5)\n", "tensorflow.nn.dropout"),
        ("def step(a, b):\n    return a\nstep(1)\n", "a.step"),
        ("def f():\n    def step(a):\n        return a\n    return step()\n", ""),
        ("class A:\n    def f(self):\n        return self.g(2, 1)\n    def g(self, a):\n        pass\n", "g"),
        ("class A:\n    def __init__(self, a):\n        pass\nA()\n", "a.A"),
        ("class A:\n    def f(self, a):\n        pass\nm = A()\nm.f()\n", "a.A().f"),
        ("@tf.function\ndef step(a):\n    return a\nstep(1, 2)\n", "a.step"),
    ],
)  # fmt: skip
def test_calls_that_are_not_taken(text: str, wrong: str) -> None:
    assert found(TF + "x = 1\n", TF + "x = tf.abs(1)\n" + text) == [(Kind.CALL, wrong)]


@pytest.mark.parametrize(
    "text",
    [
        "def f(*a, **k):\n    pass\nf(1, 2, c=3)\n",
        "wrapped = print\n@wrapped\ndef f(a):\n    pass\nf(1, 2)\n",
        "f = lambda a: a\nf(1)\n",
        "Base = make()\nclass A(Base):\n    pass\nA(1, 2)\n",
        "class A:\n    @property\n    def f(self):\n        return print\nA().f(1, 2)\n",
        "class A:\n    @staticmethod\n    def f(a):\n        return a\n    @classmethod\n    def g(cls, a):\n"
        "        return cls.f(a)\nA().f(1)\nA().g(1)\n",
        "if x:\n    def f(a):\n        pass\nelse:\n    def f(a, b):\n        pass\nf(1, 2)\n",
        "from tf1_support import slim\nslim.conv2d(1, 2)\n",  # what an arg_scope may give
        "import collections\nP = collections.namedtuple('P', 'a b')\nP(1, 2)\n",
        "import dataclasses\n@dataclasses.dataclass\nclass A:\n    a: int\nA(1)\n",
        "def outer():\n    def f(a):\n        pass\n    f = print\n    f(1, 2)\n",
    ],
)
def test_calls_that_nobody_can_judge_or_that_are_right(text: str) -> None:
    assert found("def make(): ...\n", "def make(): ...\nx = 1\n" + text) == []


def test_calls_that_were_wrong_before() -> None:
    old = "def f(a):\n    pass\nf(1, 2)\n"
    assert found(old, old + "x = 1\n") == []
    assert found(old, old.replace("def f(a)", "def f(b)")) == []


def test_calls_that_tf1_refused_as_well() -> None:
    old = "import tensorflow as tf\ntf.summary.image('a', 1, max_images=3)\n"
    new = "from tf1_support import summary\nsummary.image('a', 1, max_images=3)\n"
    assert found(old, new) == []
    assert found(old.replace("max_images", "max_outputs"), new) == [
        (Kind.CALL, "tf1_support.summary.image")
    ]


def test_who_calls_a_constructor_that_takes_more_now() -> None:
    net = "class Net:\n    def __init__(self, size=3):\n        self.size = size\n"
    user = "from net import Net\nn = Net()\nm = Net(size=4)\n"
    after = net.replace("self, size=3", "self, x, size=3")
    tree = Tree({"net.py": net, "user.py": user}, {"net.py": after})
    assert [(f.line, f.culprits) for f in tree.faults()] == [(2, ("net.py",)), (3, ("net.py",))]
