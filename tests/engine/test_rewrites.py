"""What rules and tables do to code, byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrator.analysis.index import ProjectIndex
from migrator.engine.options import Options
from migrator.engine.pipeline import migrate_text
from migrator.engine.ruleset import build_ruleset, load_ruleset
from tests.engine.helpers import migrate, new, write_rules

HEAD = "import tensorflow as tf\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("y = tf.log(x)", "y = tf.math.log(x)"),
        ("y = tf.to_float(x)", "y = tf.cast(x, tf.float32)"),
        ("y = tf.to_float(x, 'n')", "y = tf.cast(x, tf.float32, name='n')"),
        ("y = tf.to_float((a + b))", "y = tf.cast((a + b), tf.float32)"),
        ("y = tf.to_float(tf.log(tf.to_float(x)))",
         "y = tf.cast(tf.math.log(tf.cast(x, tf.float32)), tf.float32)"),
        ("y = tf.to_float(\n    x,  # the input\n    name='n',  # its name\n)",
         "y = tf.cast(\n    x, tf.float32,  # the input\n    name='n',  # its name\n)"),
        ("y = tf.reduce_sum(x, 1, keep_dims=True)", "y = tf.reduce_sum(x, axis=1, keepdims=True)"),
        ("y = tf.reduce_sum(x, 1)", "y = tf.reduce_sum(x, axis=1)"),
        ("y = tf.nn.dropout(x, 0.5)", "y = tf.nn.dropout(x, rate=1 - 0.5)"),
        ("y = tf.nn.dropout(x, a if b else c)", "y = tf.nn.dropout(x, rate=1 - (a if b else c))"),
        ("y = tf.nn.dropout(x, p * q)", "y = tf.nn.dropout(x, rate=1 - p * q)"),
        ("y = tf.nn.dropout(x, p - q)", "y = tf.nn.dropout(x, rate=1 - (p - q))"),
        ("y = tf.nn.dropout(x, rate=0.5)", "y = tf.nn.dropout(x, rate=0.5)"),
        ("y = tf.swap(1,  # one\n  2)", "y = tf.swapped(2,  # one\n  1)"),
        ("y = tf.swap(b=1, a=2)", "y = tf.swapped(1, 2)"),
        ("y = tf.div2(a + b, c)", "y = (a + b) / c"),
        ("y = -tf.div2(a, c)", "y = -(a / c)"),
        ("y = tf.div2(a, c) * 2", "y = a / c * 2"),
        ("y = 2 / tf.div2(a, c)", "y = 2 / (a / c)"),
        ("y = tf.div2(a, c).shape", "y = (a / c).shape"),
        ("y = tf.div2(a +\n  b, c)", "y = (a +\n  b) / c"),
        ("y = tf.join(a, *b, name='n')", "y = tf.joined([a, *b], name='n')"),
        ("y = sum(tf.log(i) for i in tf.log(x))", "y = sum(tf.math.log(i) for i in tf.math.log(x))"),
        ("y = f'{tf.log(x)!r:>{w}} tf.log'", "y = f'{tf.math.log(x)!r:>{w}} tf.log'"),
        ("y = 'é', tf.log(x)", "y = 'é', tf.math.log(x)"),
        ("y = map(tf.to_float, z)",
         "y = map(lambda x, name='ToFloat': tf.cast(x, tf.float32, name=name), z)"),
        ("y = map(tf.log, z)", "y = map(tf.math.log, z)"),
        ("class H(tf.train.SessionRunHook):\n  pass", "class H(tf.estimator.SessionRunHook):\n  pass"),
        ("@tf.log\ndef f(): pass", "@tf.math.log\ndef f(): pass"),
        ("if (n := tf.log(x)) > 1: pass", "if (n := tf.math.log(x)) > 1: pass"),
        ("def f(x):\n  # type: (int) -> int\n  return tf.log(x)",
         "def f(x):\n  # type: (int) -> int\n  return tf.math.log(x)"),
        ("tf.enable_eager_execution()\nx = 1", "x = 1"),
        ("if a:\n  tf.enable_eager_execution()\nx = 1", "if a:\n  pass\nx = 1"),
        ("x = 1; tf.enable_eager_execution()", "x = 1; pass"),
        ("'''tf.log'''\ny = 'tf.log'", "'''tf.log'''\ny = 'tf.log'"),
        ("for i in xrange(2): pass", "for i in range(2): pass"),
        ("xrange = 3\ny = xrange(2)", "xrange = 3\ny = xrange(2)"),
    ],
)  # fmt: skip
def test_rewritten(before: str, after: str) -> None:
    unused = "tf." in before and "tf." not in after  # the import goes, too
    assert new(HEAD + before + "\n") == ("" if unused else HEAD) + after + "\n"


def test_keyword_order() -> None:
    """Keywords given in another order still end up in a call that binds the same."""
    assert "tf.cast(x, tf.float32, name='n')" in new(HEAD + "y = tf.to_float(name='n', x=x)\n")


@pytest.mark.parametrize(
    ("before", "code", "said"),
    [
        ("y = tf.to_float(*a)", "TF110", "*a hides"),
        ("y = tf.to_float(**k)", "TF110", "**k hides"),
        ("y = tf.no_such_thing(x)", "TF003", "tf.no_such_thing is not known"),
        ("y = tf.contrib.bayesflow.x(1)", "TF003", "no automatic rewrite"),
        ("y = getattr(tf, name)", "TF004", "at run time"),
        ("y = f(tf)", "TF004", "passed on as a value"),
        ("tf.log = 3", "TF004", "assigns to"),
        ("y = eval('tf.log(1)')", "TF004", "runs code"),
        ("import importlib\nm = importlib.import_module('tensorflow.nn')", "TF004", "run time"),
        ("tf.contrib.training.train(a, b)", "TF117", "not rewritten"),
        ("y = tf.nn.dropout(x, 0.5, None, 7)", "TF112", "the argument seed"),
        ("y = tf.resize(a, b)", "TF116", "align_corners is not given"),
    ],
)
def test_what_is_not_rewritten_is_said(before: str, code: str, said: str) -> None:
    result = migrate(HEAD + before + "\n")
    assert result.new_text is None
    line = before.count("\n") + 2
    assert [(f.code, f.line) for f in result.findings if said in f.message] == [(code, line)]


def test_what_a_program_puts_on_a_class_of_the_support_package_is_found_there() -> None:
    result = migrate(HEAD + "tf.layers.dense.own = 'own'\nx = tf.log(tf.layers.dense.own)\n")
    assert result.new_text is not None and not result.findings
    assert "layers.dense.own = 'own'\nx = tf.math.log(layers.dense.own)" in result.new_text


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("tf.net = make()\ny = tf.net.add(tf.to_float(x))", "tf.cast(x, tf.float32)", ["tf.net"]),
        ("tf.mine = 3\nprint(tf.log(tf.mine))", "print(tf.math.log(tf.mine))", ["tf.mine"]),
        ("tf.mine = 3\nprint(tf.other)", "missing.other", ["tf.mine", "tf.other"]),
    ],
)
def test_what_a_program_puts_on_tensorflow_is_its_own(
    before: str, after: str, said: list[str]
) -> None:
    """Where it does so is said, and nothing about where it reads it."""
    result = migrate(HEAD + before + "\n")
    assert after in (result.new_text or "")
    assert [finding.symbol for finding in result.findings] == said


def test_flags_are_set_where_they_are_now() -> None:
    """Flags are the program's: nobody patches TensorFlow who sets one, or reads one by a name."""
    result = migrate(
        HEAD + "F = tf.app.flags.FLAGS\nF.a = 1\ntf.app.flags.FLAGS.b += 2\n"
        "for n in names:\n    print(getattr(F, n), getattr(tf.app.flags.FLAGS, n))\n"
    )
    assert result.new_text == (
        "from absl import flags\n"
        "F = flags.FLAGS\nF.a = 1\nflags.FLAGS.b += 2\n"
        "for n in names:\n    print(getattr(F, n), getattr(flags.FLAGS, n))\n"
    )
    assert not result.findings


def test_compat_rung() -> None:
    result = migrate(HEAD + "s = tf.Session()\n")
    assert result.new_text == HEAD + "s = tf.compat.v1.Session()\n"
    assert [f.code for f in result.findings] == ["TF005"]
    again = migrate(result.new_text)
    assert again.new_text is None and [f.code for f in again.findings] == ["TF005"]


def test_a_rewrite_may_ask_for_a_look() -> None:
    """A value of any shape is assigned where the variable is open for it, which the call does not show."""
    text = HEAD + "y = tf.assign(held, rows, validate_shape=False)\n"
    result = migrate_text("a.py", text, ProjectIndex(), Options(), load_ruleset(Options()))
    assert result.new_text == "y = held.assign(rows)\n"
    assert [(f.code, f.line) for f in result.findings] == [("TF116", 2)]
    text = text.replace("False", "True")
    result = migrate_text("a.py", text, ProjectIndex(), Options(), load_ruleset(Options()))
    assert result.new_text == "y = held.assign(rows)\n" and not result.findings


@pytest.mark.parametrize(("call", "codes"), [
    ("h5py.File(p, 'r')", []), ("h5py.File(p, driver='core', mode='w')", []),
    ("h5py.File(p, driver='core')", ["PY228"]), ("h5py.File(*p)", ["PY228"]),
])  # fmt: skip
def test_a_call_that_says_what_the_rule_would_add_is_right(call: str, codes: list[str]) -> None:
    text = f"import h5py\nimport tensorflow as tf\nf = {call}\n"
    result = migrate_text("a.py", text, ProjectIndex(), Options(), load_ruleset(Options()))
    assert result.new_text is None and [f.code for f in result.findings] == codes


def test_versions_of_savers_are_messages_of_their_own_module() -> None:
    text = HEAD + "v = tf.train.SaverDef.V1\n"
    result = migrate_text("a.py", text, ProjectIndex(), Options(), load_ruleset(Options()))
    assert result.new_text is not None and "v = saver_pb2.SaverDef.V1\n" in result.new_text
    assert not result.findings


def test_lines_of_changes_and_findings() -> None:
    text = HEAD + "\n\ny = tf.log(\n    tf.to_float(x))\nz = tf.no_such(\n  1)\n"
    result = migrate(text)
    assert [(c.code, c.line, c.symbol) for c in result.changes] == [
        ("TF101", 4, "tf.log"),
        ("TF110", 5, "tf.to_float"),
    ]
    assert [(f.line, f.column) for f in result.findings] == [(6, 4)]


def test_line_ends_and_form_feeds_stay() -> None:
    text = "import tensorflow as tf\r\n\x0c\r\ny = tf.log(x)\r\nz = 'é' + tf.log(x)\r\n"
    assert migrate(text).new_text == text.replace("tf.log", "tf.math.log")


def test_select_and_ignore() -> None:
    from migrator.engine.options import Options

    text = HEAD + "y = tf.log(tf.to_float(x))\n"
    only = migrate(text, Options(select=frozenset({"TF110"}))).new_text
    assert only == HEAD + "y = tf.log(tf.cast(x, tf.float32))\n"
    without = migrate(text, Options(ignore=frozenset({"TF110"}))).new_text
    assert without == HEAD + "y = tf.math.log(tf.to_float(x))\n"


def test_suppression_comments() -> None:
    text = (
        HEAD + "a = tf.log(x)  # migrator: ignore\n"
        "b = tf.log(tf.to_float(x))  # migrator: ignore[TF110]\n"
        "# migrator: ignore\nc = tf.no_such(x)\n"
        "d = '# migrator: ignore', tf.log(x)\n"
    )
    result = migrate(text)
    assert result.new_text == text.replace("b = tf.log", "b = tf.math.log").replace(
        "ignore', tf.log", "ignore', tf.math.log"
    )
    assert not result.findings
    whole = "# migrator: ignore-file\n" + text
    assert migrate(whole).status.value == "skipped"


def test_renames_are_followed_to_the_end(tmp_path: Path) -> None:
    pack = '[renames]\n"tf.a" = "tf.b"\n"tf.b" = "tf.c"\n"tf.d" = "tf.e"\n[support]\n"tf.e" = "nn.e"\n'
    registry = build_ruleset(write_rules(tmp_path, pack))
    text = migrate(HEAD + "x = tf.a(1), tf.d(2)\n", registry=registry).new_text
    assert text == HEAD + "from tf1_support import nn\nx = tf.c(1), nn.e(2)\n"
    assert migrate(text, registry=registry).new_text is None


def test_a_type_to_test_for_stays_a_type() -> None:
    text = (
        "import tensorflow as tf\n"
        "a = isinstance(x, tf.Variable) or issubclass(y, (tf.Tensor, tf.Variable))\n"
        "b = tf.Variable(isinstance(x, int))\n"
    )
    result = migrate_text("m.py", text, ProjectIndex(), Options(), load_ruleset(Options()))
    assert result.new_text is not None and result.new_text.splitlines()[-2:] == [
        "a = isinstance(x, tf.Variable) or issubclass(y, (tf.Tensor, tf.Variable))",
        "b = scopes.Variable(isinstance(x, int))",
    ]


def test_members_are_patched_where_they_are_now() -> None:
    text = (
        "import tensorflow as tf\n"
        "from unittest import mock\n"
        "a = mock.patch.object(tf.contrib.layers, 'summarize_collection')\n"
        "b = mock.patch.object(tf, 'log')\n"
        "c = mock.patch.object(tf.nn, 'relu')\n"
    )
    result = migrate_text("m.py", text, ProjectIndex(), Options(), load_ruleset(Options()))
    assert result.new_text is not None and result.new_text.splitlines()[-3:] == [
        "a = mock.patch.object(slim, 'summarize_collection')",
        "b = mock.patch.object(tf.math, 'log')",
        "c = mock.patch.object(tf.nn, 'relu')",
    ]
