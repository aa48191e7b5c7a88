"""Functions that are handed on, and whose arguments mean something else in TensorFlow 2."""

from __future__ import annotations

import pytest

from migrator.check.meaning import shift
from migrator.check.records import Kind, Params, Shape
from tests.check.helpers import found

TF = "import functools\nimport tensorflow as tf\n"


@pytest.mark.parametrize(
    "text",
    [
        "def f(x, drop=tf.nn.dropout):\n    return drop(x, 0.5)\n",
        "LAYERS = {'drop': tf.nn.dropout}\n",
        "LAYERS = [tf.nn.relu, tf.nn.dropout]\n",
        "class A:\n    drop = staticmethod(tf.nn.dropout)\n",
        "half = functools.partial(tf.nn.dropout, noise_shape=None)\n",
        "def f(x, a):\n    drop = tf.nn.dropout if a else tf.identity\n    return drop(x, 0.5)\n",
        "def f(g):\n    return g(layer=tf.nn.dropout)\n",
        "def f():\n    return tf.nn.dropout\n",
    ],
)
def test_keep_prob_that_would_be_rate(text: str) -> None:
    assert found(TF + text) == [(Kind.MEANING, "tensorflow.nn.dropout")]


@pytest.mark.parametrize(
    "text",
    [
        "def f(x, relu=tf.nn.relu, soft=tf.nn.softmax):\n    return soft(relu(x), 1)\n",
        "def f(x, drop=tf.nn.dropout):\n    return drop(x, rate=0.5)\n",
        "half = functools.partial(tf.nn.dropout, rate=0.5)\n",
        "LAYERS = {'conv': tf.nn.conv2d, 'norm': tf.nn.moments}\n",
        "print(tf.reduce_sum([1], axis=0))\n",
    ],
)
def test_what_means_the_same(text: str) -> None:
    assert found(TF + text) == []


def test_what_is_shifted() -> None:
    old, new = Params(("x", "name", "axis")), Params(("x", "axis", "name"))
    assert shift(old, new, None) == ""  # nobody names by position
    assert shift(old, new, Shape(2)) == "takes axis where TensorFlow 1 took name"
    assert shift(old, new, Shape(1, ("axis",))) == ""
    assert shift(Params(("input", "filter")), Params(("input", "filters")), Shape(2)) == ""


def test_a_try_that_cannot_fail_any_more() -> None:
    old = "import tensorflow as tf\ntry:\n    pack = tf.pack\nexcept AttributeError:\n    pack = tf.stack\n"
    new = "from tf1_support import missing\n" + old.replace("tf.pack", "missing.pack")
    assert found(old, new) == [(Kind.GUARD, "tf1_support.missing.pack")]
    assert found(old, old + "x = 1\n") == []
