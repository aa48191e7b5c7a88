"""Programs in which a name is not what it seems: the right rewrite or a finding, no wrong edit.

The shipped rules are used: what is safe to do depends on what they say.
"""

from __future__ import annotations

import ast
import io
import keyword
import tokenize

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from migrator.analysis.index import ProjectIndex
from migrator.engine.options import Options
from migrator.engine.pipeline import migrate_text
from migrator.engine.ruleset import RuleSet, load_ruleset
from migrator.engine.scanned import imports_tensorflow
from migrator.model import FileResult, Status
from tests.engine.mutated import examine

TF = "import tensorflow as tf\n"


@pytest.fixture(scope="module")
def rules() -> RuleSet:
    return load_ruleset(Options())


def migrated(text: str, rules: RuleSet) -> FileResult:
    result = migrate_text("a.py", text, ProjectIndex(), Options(), rules)
    assert result.status in (Status.CHANGED, Status.UNCHANGED), result.error
    if result.new_text is not None:
        again = migrate_text("a.py", result.new_text, ProjectIndex(), Options(), rules)
        assert again.new_text is None, again.new_text
    return result


@pytest.mark.parametrize(
    "text",
    [
        "def f(tf, x):\n    return tf.log(x)\n",
        "def f(x, *tf):\n    return tf.log(x)\n",
        "def f(x, **tf):\n    return tf.log(x)\n",
        "g = lambda tf: tf.log(2.0)\n",
        "def f():\n    tf = load()\n    return tf.log(1.0)\n",
        "def f():\n    for tf in range(3):\n        tf.log(1.0)\n",
        "def f():\n    with open('x') as tf:\n        tf.log(1.0)\n",
        "def f():\n    try:\n        pass\n    except OSError as tf:\n        tf.log(1.0)\n",
        "x = [tf.log(1) for tf in range(3)]\n",
        "def f():\n    if (tf := load()):\n        tf.log(1.0)\n",
        "def f():\n    class tf:\n        log = 3\n    return tf.log\n",
        "def f():\n    from mine import tf\n    return tf.log(1.0)\n",
        "slim = tf.contrib.slim\n\ndef f(slim):\n    return slim.conv2d(1, 3, 3)\n",
        "doc = 'tf.log'  # tf.log\n",
    ],
)
def test_a_name_that_is_something_else_is_left_alone(text: str, rules: RuleSet) -> None:
    result = migrated(TF + text, rules)
    body = (result.new_text or TF + text).replace(TF, "")
    kept = [line for line in text.splitlines() if "contrib" not in line]
    assert [line for line in kept if line not in body.splitlines()] == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # only the scope that has the module is rewritten
        (
            TF + "def f(tf):\n    return tf.log(1)\n\ny = tf.log(1.0)\n",
            TF + "def f(tf):\n    return tf.log(1)\n\ny = tf.math.log(1.0)\n",
        ),
        (
            TF + "class A:\n    tf = 3\n    def f(self):\n        return tf.log(1.0)\n",
            TF + "class A:\n    tf = 3\n    def f(self):\n        return tf.math.log(1.0)\n",
        ),
        (
            "def f():\n    import tensorflow as tf\n    return tf.log(1.0)\n\n\n"
            "def g(tf):\n    return tf.log(1.0)\n",
            "def f():\n    import tensorflow as tf\n    return tf.math.log(1.0)\n\n\n"
            "def g(tf):\n    return tf.log(1.0)\n",
        ),
        # a local slim beside the module's
        (
            TF + "slim = tf.contrib.slim\n\n\ndef f(x):\n    slim = mine()\n"
            "    return slim.conv2d(x)\n\n\ndef g(x):\n    return slim.conv2d(x, 3, 3)\n",
            "from tf1_support import slim\n\n\ndef f(x):\n    slim = mine()\n"
            "    return slim.conv2d(x)\n\n\ndef g(x):\n    return slim.conv2d(x, 3, 3)\n",
        ),
        # conditional imports: both branches, once where they became one
        (
            "try:\n    import tensorflow.contrib.slim as slim\nexcept ImportError:\n"
            "    import tf_slim as slim\nx = slim.conv2d(1, 3, 3)\n",
            "from tf1_support import slim\nx = slim.conv2d(1, 3, 3)\n",
        ),
        (
            "import sys\nif sys.version_info[0] == 2:\n    import tensorflow as tf\nelse:\n"
            "    import tensorflow.compat.v1 as tf\nx = tf.log(1.0)\n",
            "import tensorflow as tf\nx = tf.math.log(1.0)\n",
        ),
        (
            "try:\n    import tensorflow as tf\nexcept ImportError:\n    tf = None\n"
            "x = tf and tf.log(1.0)\n",
            "try:\n    import tensorflow as tf\nexcept ImportError:\n    tf = None\n"
            "x = tf and tf.math.log(1.0)\n",
        ),
        # functions that are called elsewhere keep their new names for arguments
        (
            TF + "import functools\nf = functools.partial(tf.reduce_sum, keep_dims=True)\n",
            TF + "import functools\nf = functools.partial(tf.reduce_sum, keepdims=True)\n",
        ),
        (
            TF + "from functools import partial\nf = partial(tf.reduce_sum, x, 0, True)\n",
            TF + "from functools import partial\nf = partial(tf.reduce_sum, x, 0, True)\n",
        ),
    ],
)
def test_rewritten(before: str, after: str, rules: RuleSet) -> None:
    result = migrated(before, rules)
    assert (result.new_text or before) == after


@pytest.mark.parametrize(
    ("text", "after", "code", "said"),
    [
        ("x = tf.nn.rellu(1.0)\n", None, "TF003", "tf.nn.rellu is not known"),
        ("x = tf.train.AdamOptimiser()\n", None, "TF003", "tf.train.AdamOptimiser is not known"),
        ("x = tf.logging.inform('x')\n", None, "TF003", "tf.logging.inform is not known"),
        ("f = getattr(tf, name)\n", None, "TF004", "getattr reads a name from tensorflow"),
        ("f = getattr(tf.nn, name)(1)\n", None, "TF004", "getattr reads a name from tf.nn"),
        ("make('tf.train.AdamOptimizer')\n", None, "TF004", "the string names tf.train.AdamOptimizer"),
        ("x = eval('tf.log(1.0)')\n", None, "TF004", "eval runs code"),
        ("exec('x = tf.to_float(1)')\n", None, "TF004", "exec runs code"),
        ("x = tf.reduce_sum([1.0], **kw)\n", None, "TF104", "**kw may hold"),
        ("x = tf.nn.dropout([1.0], **kw)\n", None, "TF111", "**kw hides"),
        ("f = vars(tf)[name]\n", None, "TF004", "is passed on as a value"),
        ("run(tf.nn)\n", None, "TF004", "tf.nn is passed on as a value"),
        ("tf.log = print\n", None, "TF004", "assigns to tf.log"),
        ("del tf.log\n", None, "TF004", "deletes tf.log"),
        ("def f():\n    global tf\n    tf = None\nx = tf.log(1.0)\n", "tf.math.log", "", ""),
    ],
)
def test_what_cannot_be_followed_is_said(
    text: str, after: str | None, code: str, said: str, rules: RuleSet
) -> None:
    result = migrated(TF + text, rules)
    if after is None:
        assert result.new_text is None
    else:
        assert after in (result.new_text or "")
    messages = [f.message for f in result.findings if f.code == code]
    assert not code or any(said in message for message in messages), result.findings
    assert all(f.advice for f in result.findings)


@pytest.mark.parametrize("text", ["make('tf.nn.relu')\n", "print('tf.log of it')\n", "'tf.log'\n"])
def test_strings_that_say_nothing_of_tensorflow_1(text: str, rules: RuleSet) -> None:
    assert not migrated(TF + text, rules).findings
    assert not migrated("make('tf.train.AdamOptimizer')\n", rules).findings


@pytest.mark.parametrize("source", ["importlib.import_module('tensorflow')", "__import__('tensorflow')"])
def test_imports_at_run_time_are_said(source: str, rules: RuleSet) -> None:
    result = migrated(f"import importlib\ntf = {source}\nx = tf.log(1.0)\n", rules)
    assert result.new_text is None
    assert [f.code for f in result.findings] == ["TF004"]


def test_star_imports_of_tensorflow(rules: RuleSet) -> None:
    result = migrated("from tensorflow import *\n\nx = reduce_sum(log(y), reduction_indices=1)\n", rules)
    assert "x = tf.reduce_sum(tf.math.log(y), axis=1)" in (result.new_text or "")
    assert "from tensorflow import *" in (result.new_text or "")
    assert [f.code for f in result.findings] == ["TF004"]


def test_star_imports_of_what_is_gone_are_taken_out(rules: RuleSet) -> None:
    text = "from tensorflow.contrib.slim import *\n\nx = conv2d(1, 3, 3)\n"
    result = migrated(text, rules)
    assert result.new_text == "from tf1_support import slim\n\nx = slim.conv2d(1, 3, 3)\n"
    assert ["has no such module" in f.message for f in result.findings] == [True]


# -- programs without TensorFlow come back byte for byte ------------------------------------------

words = st.sampled_from(
    ["tf", "slim", "x", "y", "self", "np", "data", "tensorflow_like", "log", "contrib", "Session"]
)
literals = st.one_of(
    st.integers(0, 99).map(str),
    st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=6).map(repr),
    st.sampled_from(["None", "True", "1e-3", "b'tf.log'", "r'\\d'", "'tf.placeholder'"]),
)


def compound(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(inner, words).map(lambda p: f"({p[0]}).{p[1]}"),
        st.tuples(words, inner, words, inner).map(lambda p: f"{p[0]}({p[1]}, {p[2]}={p[3]})"),
        st.tuples(inner, st.sampled_from(["+", "@", " and ", " if c else ", "//"]), inner).map("".join),
        st.lists(inner, max_size=3).map(lambda items: "[" + ",  ".join(items) + "]"),
        st.tuples(words, inner).map(lambda p: f"(lambda {p[0]}: {p[1]})"),
        inner.map(lambda e: f"{{**k, 'a' :{e}}}"),
    )


expressions = st.recursive(st.one_of(words, literals), compound, max_leaves=6)
lines = st.one_of(
    st.tuples(words, expressions).map(lambda p: f"{p[0]} =  {p[1]}"),
    st.tuples(words, words, expressions).map(lambda p: f"def {p[0]}({p[1]}=3):\n\treturn {p[2]}"),
    st.tuples(words, expressions).map(lambda p: f"class {p[0]}:  # tf.Session\n    a = {p[1]}\n"),
    st.tuples(words, words).map(lambda p: f"from {p[0]}_lib import {p[1]}"),
    expressions.map(lambda e: f"if {e}: pass"),
    st.sampled_from(["", "\f", "# tf.log(x)\t ", "'''tf.Session()\n'''", "import os, sys;x=1"]),
)
newlines = st.sampled_from(["\n", "\r\n"])


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(lines, max_size=8), newlines, st.booleans())
def test_programs_without_tf1_come_back_byte_for_byte(
    parts: list[str], newline: str, ended: bool
) -> None:
    text = "\n".join(parts).replace("\n", newline) + (newline if ended else "")
    try:
        ast.parse(text)
        names = {t.string for t in tokenize.generate_tokens(io.StringIO(text).readline)}
    except (SyntaxError, tokenize.TokenError):
        return
    assert not names & {"tensorflow"} and not keyword.iskeyword("tf")
    result = migrate_text("a.py", text, ProjectIndex(), Options(), load_ruleset(Options()))
    assert result.new_text is None and result.old_text == text
    assert result.status is Status.UNCHANGED and result.findings == ()


NATIVE = [
    "import tensorflow as tf\n",
    "@tf.function( jit_compile = True )\ndef f(x) :\n  return tf.nn.relu( x )\n",
    "model = tf.keras.Sequential([tf.keras.layers.Dense(3)])\n",
    "x = tf.reduce_sum(y, axis=[1 , 2], keepdims=True)   # a sum\n",
    "ds = tf.data.Dataset.range(3).map(lambda v: v * 2).batch(2)\n",
    "with tf.GradientTape() as tape: loss = tf.reduce_mean(tf.square(x))\n",
    "ckpt = tf.train.Checkpoint(model = model)\n",
]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(NATIVE[1:]), max_size=6), newlines)
def test_native_tf2_programs_come_back_byte_for_byte(parts: list[str], newline: str) -> None:
    text = (NATIVE[0] + "".join(parts)).replace("\n", newline)
    result = migrate_text("a.py", text, ProjectIndex(), Options(), load_ruleset(Options()))
    assert result.new_text is None and result.old_text == text and result.findings == ()


@pytest.mark.parametrize(
    "text",
    [
        "import yaml\nx = yaml.load(f, Loader=yaml.SafeLoader)\n",
        "import imp\nm = imp.load_source('m', path)\n",
        "import pickle\nx = pickle.load(f)\n",
        "import scipy.misc\nx = scipy.misc.imresize(y, (3, 3))\n",
    ],
)
def test_other_libraries_never_become_tensorflow(text: str, rules: RuleSet) -> None:
    result = migrated(text, rules)
    assert "tensorflow" not in (result.new_text or "")


@pytest.mark.parametrize("lead", ["\f", "", "\f    \f"])
def test_a_form_feed_begins_the_indentation_of_a_line_anew(lead: str) -> None:
    text = (
        "import tensorflow as tf\n\n\ndef start(sess, x):\n    return sess.run(x)\n\n\n"
        f"{lead}def train(cfg):\n\tx = cfg.build(tf.placeholder(tf.float32))\n\tsess = tf.Session()\n"
        "\tcfg.keep(sess)\n\treturn start(sess, x)\n\n\nif __name__ == '__main__':\n\ttrain(1)\n"
    )
    result, problems = examine(text)
    assert problems == []
    assert result is not None and result.new_text is not None
    assert f"\n@graphs.building\n{lead}def train" in result.new_text


@pytest.mark.parametrize(
    "line",
    ["\fimport tensorflow as tf", "import numpy as np, tensorflow as tf", "if 1: import tensorflow as tf",
     "import os; import tensorflow as tf", "import numpy, os.path as p, tensorflow.contrib as c"],
)  # fmt: skip
def test_tensorflow_is_imported_wherever_it_stands_in_its_line(line: str) -> None:
    assert imports_tensorflow(f"import re\n{line}\n")


@pytest.mark.parametrize(
    "line",
    ["# import tensorflow", "s = 'import tensorflow'", "import tensorflowjs", "x = 1  # from tensorflow"],
)
def test_what_only_speaks_of_tensorflow_imports_it_not(line: str) -> None:
    assert not imports_tensorflow(f"import re\n{line}\n")
