"""Names that edits lost, moved or left behind."""

from __future__ import annotations

import textwrap

import pytest

from migrator.check.records import Kind
from tests.check.helpers import found

OLD = """
import tensorflow as tf


def predict(x):
    return x + 1


def main():
    print(predict(1))


main()
"""


def both(old: str, new: str) -> list[tuple[Kind, str]]:
    return found(textwrap.dedent(old), textwrap.dedent(new))


def test_the_same_text_has_nothing_wrong() -> None:
    assert found(OLD, OLD + "\nz = 1\n") == []


def test_a_function_below_the_call_that_needs_it() -> None:
    new = OLD.replace("def predict(x):\n    return x + 1\n", "") + "\ndef predict(x):\n    return x + 1\n"
    assert found(OLD, new) == [(Kind.UNBOUND, "predict")]


def test_what_the_function_of_a_function_needs() -> None:
    new = """
    def main():
        return helper()
    def helper():
        return step()
    main()
    def step():
        return 1
    """
    assert both("def main(): pass\nmain()\n", new) == [(Kind.UNBOUND, "step")]


def test_a_method_that_the_module_calls() -> None:
    new = """
    class Trainer:
        def __init__(self):
            self.rate = 1
        def run(self):
            return self._one()
        def _one(self):
            return step()
    trainer = Trainer()
    trainer.run()
    def step():
        return 1
    """
    assert both("x = 1\n", new) == [(Kind.UNBOUND, "step")]


@pytest.mark.parametrize("call", ["app.run(main)", "app.run()", "print(main())", "app.run(main=main)"])
def test_functions_that_are_handed_to_what_runs_them(call: str) -> None:
    new = (
        "from absl import app\ndef main():\n    step()\n"
        f"if __name__ == '__main__':\n    {call}\ndef step(): pass\n"
    )
    assert (Kind.UNBOUND, "step") in found("x = 1\n", new)


def test_a_function_that_is_kept_for_later_may_need_what_comes_later() -> None:
    new = "import atexit\ndef last():\n    end()\natexit.register(last)\ndef end(): pass\n"
    assert found("x = 1\n", new) == []


def test_a_name_whose_statement_is_gone() -> None:
    old = "import tensorflow as tf\nsess = tf.Session()\ndef f():\n    return sess.run(1)\n"
    new = "import tensorflow as tf\ndef f():\n    return sess.run(1)\n"
    assert found(old, new) == [(Kind.UNBOUND, "sess"), (Kind.UNUSED, "tf")]


def test_the_author_s_own_mistakes_are_none_of_ours() -> None:
    old = "def f():\n    return missing\nprint(later)\nlater = 1\n"
    assert found(old, old + "y = 1\n") == []


def test_a_local_that_reads_itself() -> None:
    old = "image = 1\nimage = str(image)\n"
    new = "image = 1\ndef step():\n    image = str(image)\n    return image\n"
    assert found(old, new) == [(Kind.UNBOUND, "image")]


def test_a_name_that_only_one_branch_binds_now() -> None:
    old = "def f(a):\n    x = 0\n    if a:\n        x = 1\n    return x\n"
    new = "def f(a):\n    if a:\n        x = 1\n    return x\n"
    assert found(old, new) == [(Kind.UNBOUND, "x")]
    assert found(new, new.replace("x = 1", "x = 2")) == []  # as the author had it


@pytest.mark.parametrize(
    "text",
    [
        "def f(xs):\n    for x in xs:\n        y = x\n    return y\n",
        "def f():\n    try:\n        import a\n    except ImportError:\n        a = None\n    return a\n",
        "def f():\n    while True:\n        x = 1\n        if x:\n            break\n    return x\n",
        "def f(a):\n    if a:\n        x = 1\n    else:\n        raise ValueError\n    return x\n",
        "def f(a):\n    if a:\n        x = 1\n    else:\n        sys.exit(1)\n    return x\nimport sys\n",
        "def f():\n    with open('a') as g:\n        x = 1\n    return x, g\n",
        "def f():\n    def g():\n        return x\n    x = 1\n    return g()\n",
        "def f():\n    global z\n    z = 1\ndef g():\n    return z\nf()\ng()\nprint(z)\n",
        "def f():\n    x = [y for y in range(3) if y]\n    return [x for x in x]\n",
        "def f(a):\n    if (n := a):\n        return n\n    return n\n",
        "def f(a):\n    match a:\n        case [b, *c]:\n            return b, c\n"
        "        case {'x': d, **e}:\n            return d, e\n",
        "class A:\n    x = 1\n    y = x\n    def f(self, z=x):\n        return z\n",
        "x = lambda: later\nlater = 1\nx()\n",
        "def f():\n    del_me = 1\n    del del_me\n    del_me = 2\n    return del_me\n",
        "def f():\n    try:\n        x = 1\n    finally:\n        y = 2\n    return x + y\n",
        "for i in range(3):\n    pass\nprint(i)\n",
        "try:\n    unicode\nexcept NameError:\n    unicode = str\n",
        "async def f(a):\n    async with a as b:\n        async for c in b:\n            return c\n",
        "def f():\n    x: int\n    x = 1\n    return x\n",
        "from os.path import *\nprint(join('a', 'b'))\n",
    ],
)
def test_right_programs(text: str) -> None:
    assert found("x = 1\n", text) == []


def test_imports_that_nothing_reads_any_more() -> None:
    old = "import tensorflow as tf\nimport os\nx = tf.constant(1)\n"
    assert found(old, "import tensorflow as tf\nimport os\nx = 1\n") == [(Kind.UNUSED, "tf")]


def test_an_argument_that_has_no_effect_any_more() -> None:
    old = "def loss(x, weight):\n    return x * weight\n"
    assert found(old, "def loss(x, weight):\n    return x\n") == [(Kind.DELETED, "weight")]


def test_the_graph_of_a_test_that_is_eager_now() -> None:
    for name in ("session", "test_session", "cached_session"):
        old = (
            "import tensorflow as tf\nclass Case(tf.test.TestCase):\n"
            "    def execute(self, compute, inputs, graph=None):\n"
            f"        with self.{name}(graph=(graph or tf.Graph())) as sess:\n"
            "            return sess.run(compute(*inputs))\n"
        )
        new = (
            "import tensorflow as tf\nclass Case(tf.test.TestCase):\n"
            "    def execute(self, compute, inputs, graph=None):\n"
            "        return self.evaluate(compute(*inputs))\n"
        )
        assert found(old, new) == []


def test_an_argument_that_only_set_the_session_up() -> None:
    old = (
        "import tensorflow as tf\ndef f(fraction, length):\n"
        "    x = tf.placeholder(tf.float32, [None, length])\n"
        "    o = tf.GPUOptions(per_process_gpu_memory_fraction=fraction)\n    return x, o\n"
    )
    assert found(old, "def f(fraction, length):\n    return 1, 2\n") == []
    old = old.replace("return x, o", "return x, o, length")
    assert found(old, "def f(fraction, length):\n    pass\n") == [(Kind.DELETED, "length")]


def test_a_star_import_may_bring_a_name_or_not() -> None:
    layers = "import tensorflow as tf\ndef dense(x):\n    return x\n"
    user = "from layers import *\ny = dense(1)\n"
    assert found({"layers.py": layers, "a.py": user}, {"a.py": user + "z = other(1)\n"}) == [
        (Kind.UNBOUND, "other")
    ]
