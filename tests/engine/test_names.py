"""The name table: what names stand for, in every scope."""

from __future__ import annotations

import ast

import pytest

from migrator.analysis.names import NameTable, canonical


def table(text: str) -> NameTable:
    return NameTable.of(ast.parse(text))


@pytest.mark.parametrize(
    ("text", "dotted", "expected"),
    [
        ("import tensorflow as tf", "tf.nn.relu", "tensorflow.nn.relu"),
        ("import tensorflow as T", "T.log", "tensorflow.log"),
        ("import tensorflow", "tensorflow.log", "tensorflow.log"),
        ("from tensorflow import placeholder", "placeholder", "tensorflow.placeholder"),
        ("from tensorflow import nn as n", "n.relu", "tensorflow.nn.relu"),
        ("import tensorflow.contrib.slim as slim", "slim.conv2d", "tensorflow.contrib.slim.conv2d"),
        ("import tensorflow.contrib.slim", "tensorflow.contrib.slim", "tensorflow.contrib.slim"),
        (
            "import tensorflow as tf\nslim = tf.contrib.slim",
            "slim.conv2d",
            "tensorflow.contrib.slim.conv2d",
        ),
        ("from tensorflow.contrib import slim", "slim.nets", "tensorflow.contrib.slim.nets"),
        ("import tensorflow.compat.v1 as tf", "tf.log", "tensorflow.log"),
        ("from tensorflow.compat import v1 as tf", "tf.log", "tensorflow.log"),
        ("import tf_slim as slim", "slim.conv2d", "tensorflow.contrib.slim.conv2d"),
        (
            "from tensorflow.python.ops import math_ops",
            "math_ops.log",
            "tensorflow.log",
        ),
        ("import numpy as np", "np.float", "numpy.float"),
        ("try:\n  import cPickle as p\nexcept ImportError:\n  import pickle as p", "p", None),
        (
            "try:\n  import tensorflow.compat.v1 as tf\nexcept ImportError:\n  import tensorflow as tf",
            "tf.log",
            "tensorflow.log",
        ),
        ("try:\n  import tensorflow as tf\nexcept ImportError:\n  tf = None", "tf.x", "tensorflow.x"),
        ("import tensorflow as tf\nfor tf in x: pass", "tf.log", None),
        ("from tensorflow import *", "placeholder", "tensorflow.placeholder"),
        ("from tensorflow import *", "len", "builtins.len"),
        ("", "xrange", "builtins.xrange"),
        ("x = x.y", "x.z", None),
    ],
)
def test_module_level_names(text: str, dotted: str, expected: str | None) -> None:
    found = table(text).resolve(dotted)
    if expected is None and "cPickle" in text:
        assert found in ("cPickle", "pickle")
    else:
        assert found == expected


def test_written_through_compat_is_known() -> None:
    assert canonical("tensorflow.compat.v1.compat.v1.nn.relu") == ("tensorflow.nn.relu", True)
    found = table("import tensorflow as tf").lookup("tf.compat.v1.log")
    assert found is not None and found.name == "tensorflow.log" and found.compat


SCOPES = """
import tensorflow as tf
def parameter(tf): return tf.a
def local():
    tf = object()
    return tf.b
def own():
    import tensorflow as q
    return q.c
class K:
    tf = None
    def method(self): return tf.d
def closure():
    tf = 1
    def inner(): return tf.e
    return [tf.f for tf in z]
lam = lambda tf: tf.g
ok = lambda x=tf.h: x
both = [tf.i for q in tf.j]
def glob():
    global gg
    import tensorflow as gg
def uses(): return gg.k
if (w := tf.l): pass
@tf.m
def decorated(a: tf.n = tf.o) -> tf.p: pass
"""


def test_scopes() -> None:
    names = table(SCOPES)
    resolved = {
        reference.attrs[0]: (found.name if (found := names.reference_target(reference)) else None)
        for reference in names.references
        if reference.attrs
    }
    hidden = {"a", "b", "e", "f", "g"}
    for letter in "abcdefghijklmnop":
        if letter == "d":
            continue
        expected = None if letter in hidden else f"tensorflow.{letter}"
        assert resolved[letter] == expected, letter
    assert resolved["d"] == "tensorflow.d"  # a method does not see the class body's names


def test_call_results_are_seen_through() -> None:
    text = "import tensorflow as tf\nwith tf.Session(graph=g) as sess:\n  sess.run(x)\n"
    names = table(text)
    call = next(n for n in ast.walk(names.tree) if isinstance(n, ast.Call) and n.args)
    assert names.resolve_node(call.func) == "tensorflow.Session().run"
    node = ast.parse("tf.Graph().as_default", mode="eval").body
    assert names.resolve_node(node) == "tensorflow.Graph().as_default"


def test_relative_imports_are_made_absolute() -> None:
    tree = ast.parse("from . import x\nfrom ..up import y")
    names = NameTable.of(tree, "a.b.c")
    assert (names.resolve("x"), names.resolve("y")) == ("a.b.x", "a.up.y")
    assert NameTable.of(tree, "a.b", is_package=True).resolve("x") == "a.b.x"
