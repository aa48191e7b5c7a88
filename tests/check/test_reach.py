"""Where graph mode is shown to get to, and what is said where it is not."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from migrator.check.reach import GRAPH_ONLY
from migrator.engine.options import Options
from migrator.engine.plan import build_plan
from migrator.engine.ruleset import load_ruleset
from migrator.model import Finding, Rung
from tests.check.helpers import Tree

V1 = "import tensorflow as tf\nfrom tf1_support import graphs\n"


def shown(text: str, line_of: str, others: dict[str, str] | None = None) -> bool:
    """Whether the line that has `line_of` is shown to run in a graph."""
    text = V1 + textwrap.dedent(text)
    line = next(n for n, row in enumerate(text.split("\n"), 1) if line_of in row)
    return Tree({"a.py": text, **(others or {})}).graphs().shown("a.py", line)


SESSION = "    x = tf.compat.v1.placeholder(tf.float32)\n"


@pytest.mark.parametrize(
    ("text", "yes"),
    [
        (f"def f():\n{SESSION}", False),
        (f"def f():\n{SESSION}f()\n", False),
        (f"@graphs.building\ndef f():\n{SESSION}f()\n", True),
        (f"def f():\n{SESSION}def g():\n    with tf.Graph().as_default():\n        f()\n", True),
        (f"def f():\n{SESSION}def g():\n    with tf.Graph().as_default():\n        f()\n    f()\n", False),
        (f"def f():\n{SESSION}@graphs.building\ndef g():\n    f()\ng()\n", True),
        (f"def f():\n{SESSION}@graphs.building\ndef g():\n    h(f)\ndef h(f):\n    f()\ng()\n", True),
        (f"def f():\n{SESSION}def g():\n    f()\n@graphs.building\ndef h():\n    g()\n", True),
        (f"graphs.build()\ndef f():\n{SESSION}", True),
        (f"def f():\n{SESSION}if __name__ == '__main__':\n    graphs.build()\n    f()\n", True),
        (f"def f():\n{SESSION}def g():\n    f()\n"
         "if __name__ == '__main__':\n    graphs.build()\n    f()\n", False),
        ("def f():\n    with tf.Graph().as_default():\n        x = tf.compat.v1.placeholder(1)\n", True),
        ("def f(self):\n    with self.graph.as_default():\n        x = tf.compat.v1.placeholder(1)\n", True),
        ("def f(store):\n    with store.as_default():\n        x = tf.compat.v1.placeholder(1)\n", False),
        ("@graphs.building\nclass A:\n    def f(self):\n"
         "        x = tf.compat.v1.placeholder(1)\n", True),
        ("class A:\n    def f(self):\n        x = tf.compat.v1.placeholder(1)\n"
         "@graphs.building\ndef g():\n    A().f()\n", True),
        ("class A:\n    def __init__(self):\n        x = tf.compat.v1.placeholder(1)\n"
         "@graphs.building\ndef g():\n    return A()\n", True),
        ("class A:\n    def hook(self):\n        x = tf.compat.v1.placeholder(1)\n"
         "@graphs.building\ndef g():\n    return A()\n", True),
        ("class A:\n    def hook(self):\n        x = tf.compat.v1.placeholder(1)\na = A()\n", False),
    ],
)  # fmt: skip
def test_in_one_module(text: str, yes: bool) -> None:
    assert shown(text, "placeholder") is yes


def test_a_subclass_in_another_module_is_not_reached_by_its_base() -> None:
    base = V1 + "@graphs.building\nclass Base:\n    def run(self):\n        self.build()\n"
    child = "from base import Base\nclass Child(Base):\n    def build(self):\n    " + SESSION
    assert shown(child, "placeholder", {"base.py": base}) is True  # by run(), which enters one
    launcher = "from a import Child\nChild().build()\n"
    assert shown(child, "placeholder", {"base.py": base, "launch.py": launcher}) is False


def test_whoever_imports_a_module_that_builds_one_graph() -> None:
    text = f"import switch\ndef f():\n{SESSION}f()\n"
    assert shown(text, "placeholder", {"switch.py": V1 + "graphs.build()\n"}) is True
    assert shown(text, "placeholder", {"switch.py": V1}) is False


OLD = """
import tensorflow as tf


def build(size):
    return tf.placeholder(tf.float32, [None, size])


def check():
    return tf.add_check_numerics_ops()
"""


def plan(folder: Path, **texts: str) -> list[Finding]:
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(textwrap.dedent(text))
    return list(build_plan(folder, Options(jobs=1)).findings)


def test_a_finding_does_not_promise_what_is_not_shown(tmp_path: Path) -> None:
    (finding,) = [
        f for f in plan(tmp_path, lib=OLD) if f.code == "TF005" and "add_check_numerics_ops" in f.symbol
    ]
    assert finding.rung is Rung.MANUAL
    assert "keeps it running" not in finding.message and "with tf.Graph().as_default()" in finding.advice


def test_a_finding_promises_what_is_shown(tmp_path: Path) -> None:
    user = (
        "import tensorflow as tf\nimport lib\nwith tf.Graph().as_default():\n    x = lib.build(3)\n"
        "    y = lib.check()\n"
    )
    (finding,) = [
        f for f in plan(tmp_path, lib=OLD, user=user)
        if f.code == "TF005" and "add_check_numerics_ops" in f.symbol
    ]
    assert finding.rung is Rung.COMPAT and "keeps it running" in finding.message


# -- what only a graph has, asked of TensorFlow 2 itself


def test_they_are_in_tensorflow() -> None:
    api = load_ruleset(Options()).tf2
    assert [name for name in sorted(GRAPH_ONLY) if not api.kind(name)] == []


def calls(tf: Any) -> dict[str, Callable[[], Any]]:
    """A call of each kind of name that only a graph has."""
    v1, x = tf.compat.v1, tf.constant([[1.0, 2.0]])
    variable, ints = tf.Variable(x), tf.constant([[1, 0]])
    return {
        "placeholder": lambda: v1.placeholder(tf.float32),
        "sparse_placeholder": lambda: v1.sparse_placeholder(tf.float32),
        "Session": lambda: v1.Session().run(x),
        "InteractiveSession": lambda: v1.InteractiveSession().run(x),
        "gradients": lambda: v1.gradients(x, [variable]),
        "hessians": lambda: v1.hessians(x, [variable]),
        "add_check_numerics_ops": lambda: v1.add_check_numerics_ops(),
        "train.Saver": lambda: v1.train.Saver(),
        "train.MonitoredTrainingSession": lambda: v1.train.MonitoredTrainingSession(),
        "train.Supervisor": lambda: v1.train.Supervisor(),
        "train.Scaffold": lambda: v1.train.Scaffold().finalize(),
        "train.start_queue_runners": lambda: v1.train.start_queue_runners(),
        "train.string_input_producer": lambda: v1.train.string_input_producer(["a"]),
        "train.range_input_producer": lambda: v1.train.range_input_producer(3),
        "train.slice_input_producer": lambda: v1.train.slice_input_producer([x]),
        "train.batch": lambda: v1.train.batch([x], 2),
        "train.shuffle_batch": lambda: v1.train.shuffle_batch([x], 2, 10, 1),
        "train.export_meta_graph": lambda: v1.train.export_meta_graph(),
        "summary.merge": lambda: v1.summary.merge([]),
        "summary.merge_all": lambda: v1.summary.merge_all(),
        "summary.FileWriter": lambda: v1.summary.FileWriter("/nowhere"),
        "data.make_initializable_iterator": lambda: v1.data.make_initializable_iterator(
            tf.data.Dataset.range(3)
        ),
        "TextLineReader": lambda: v1.TextLineReader(),
        "WholeFileReader": lambda: v1.WholeFileReader(),
        "TFRecordReader": lambda: v1.TFRecordReader(),
        "metrics.accuracy": lambda: v1.metrics.accuracy(ints, ints),
        "metrics.mean": lambda: v1.metrics.mean(x),
    }


def test_they_fail_while_tensorflow_is_eager() -> None:
    import tensorflow as tf

    for name, call in calls(tf).items():
        assert f"tensorflow.compat.v1.{name}" in GRAPH_ONLY
        with pytest.raises((RuntimeError, ValueError, NotImplementedError)):
            call()


def test_or_give_nothing_that_a_graph_is_made_of() -> None:
    import tensorflow as tf

    v1 = tf.compat.v1
    variable = v1.get_variable("of_test_reach", [2])
    assert variable.trainable
    for name in ("global_variables_initializer", "local_variables_initializer", "tables_initializer"):
        assert getattr(v1, name)() is None
    for name in ("global_variables", "trainable_variables", "local_variables"):
        assert getattr(v1, name)() == []
    assert callable(v1.train.exponential_decay(0.1, tf.constant(1), 2, 0.5))  # not a number


def test_an_optimizer_minimizes_no_tensor() -> None:
    import tensorflow as tf

    with pytest.raises(RuntimeError, match="should be a function"):
        tf.compat.v1.train.GradientDescentOptimizer(0.1).minimize(tf.constant(1.0))
