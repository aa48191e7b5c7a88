"""`.value` goes where the thing is a dimension, and stays where it is anything else."""

import pytest

from migrator.analysis.index import ProjectIndex
from migrator.engine.options import Options
from migrator.engine.pipeline import migrate_text
from tests.transforms import texts
from tests.transforms.texts import RULES

HEAD = "import tensorflow as tf\n"


def migrated(body: str) -> str:
    return texts.migrated(HEAD + body).removeprefix(HEAD).strip("\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("n = x.shape[1].value", "n = x.shape[1]"),
        ("n = x.get_shape()[-1].value * 2  # channels", "n = x.get_shape()[-1] * 2  # channels"),
        ("n = f(x).get_shape().with_rank(4)[3].value", "n = f(x).get_shape().with_rank(4)[3]"),
        ("def f(x):\n  s = x.shape\n  return s[1].value", "def f(x):\n  s = x.shape\n  return s[1]"),
        ("b, h = x.shape\nprint(h.value)", "b, h = x.shape\nprint(h)"),
        (
            "def f(s):\n  s = s.with_rank(4)\n  return s[1].value",
            "def f(s):\n  s = s.with_rank(4)\n  return s[1]",
        ),
        ("h = x.shape[1]\nprint(h.value)", "h = x.shape[1]\nprint(h)"),
        ("def f(shape: List[tf.Dimension]):\n  return [d.value for d in shape]",
         "def f(shape: List[tf.compat.v1.Dimension]):\n  return list(shape)"),
        ("def f(s: tf.TensorShape):\n  return s[1].value", "def f(s: tf.TensorShape):\n  return s[1]"),
        ("def f(n, s):\n  return s[n].value\nf(1, x.shape)\nf(0, s=y.get_shape())",
         "def f(n, s):\n  return s[n]\nf(1, x.shape)\nf(0, s=y.get_shape())"),
        ("class A:\n  def f(self, s):\n    return s[0].value\n  def g(self):\n    return self.f(x.shape)",
         "class A:\n  def f(self, s):\n    return s[0]\n  def g(self):\n    return self.f(x.shape)"),
        (
            "def f(s):\n  s.assert_has_rank(4)\n  return s[1].value",
            "def f(s):\n  s.assert_has_rank(4)\n  return s[1]",
        ),
        ("s = [d.value for d in x.get_shape()]", "s = list(x.get_shape())"),
        ("s = list(map(lambda d: d.value, x.shape[1:]))", "s = list(x.shape[1:])"),
        ("s = tuple(d.value for d in x.shape)", "s = tuple(x.shape)"),
        ("s = [d.value for d in x.shape if d.value]", "s = [d for d in x.shape if d]"),
        ("n = x.shape[0]\ns = [n.value for _ in x.shape]", "n = x.shape[0]\ns = [n for _ in x.shape]"),
        ("for d in map(lambda d: d.value, x.shape): f(d)", "for d in x.shape: f(d)"),
        ("s = map(lambda d: d.value, x.shape)", "s = list(x.shape)"),
        ("_, h = map(lambda i: i.value, x.get_shape())", "_, h = x.get_shape()"),
        ("for d in x.shape[1:]:\n  print(d.value)", "for d in x.shape[1:]:\n  print(d)"),
        ("b, h = x.get_shape()\nb = b.value\nn = b * h.value", "b, h = x.get_shape()\nn = b * h"),
        ("h = x.shape[1]\nh = h.value  # rows\nf(h)", "h = x.shape[1]\n# rows\nf(h)"),
        ("h = x.shape[1]; h = h.value", "h = x.shape[1]; h = h"),
        ("h = x.shape[1]\nif y:\n  h = h.value\nf(h)", "h = x.shape[1]\nif y:\n  h = h\nf(h)"),
        ("for x in xs:\n  h, w = x.shape\n  n = h.value * w.value\n  w = weights[x]",
         "for x in xs:\n  h, w = x.shape\n  n = h * w\n  w = weights[x]"),
        ("h = x.shape[1]\nwith g:\n  if y:\n    f(h.value)\nh = lookup(h)",
         "h = x.shape[1]\nwith g:\n  if y:\n    f(h)\nh = lookup(h)"),
        ("b = str(x.get_shape()[0]) != '?'", "b = x.get_shape()[0] is not None"),
        ("n = x.shape[0]\nif '?' == str(n) and y:\n  f()", "n = x.shape[0]\nif n is None and y:\n  f()"),
        ("b = [str(d) == \"?\" for d in x.shape]", "b = [d is None for d in x.shape]"),
    ],
)  # fmt: skip
def test_dimensions_lose_their_value(before: str, after: str) -> None:
    assert migrated(before) == after
    assert migrated(after) == after


@pytest.mark.parametrize(
    "body",
    [
        "n = feature.int64_list.value",
        "_, h = map(lambda i: i.value, rows)",
        "n = x.shape.dims[0].value",
        "b = str(rows[0]) == '?'",
        "b = str(x.shape[0]) == '1'",
        "b = str(x.shape) == '?'",
        "def f(h):\n  return h.value\nh = x.shape[1]",
        "h = x.shape[1]\nh = lookup(h)\nprint(h.value)",
        "h = x.shape[1]\nif y:\n  h = lookup(h)\nprint(h.value)",
        "h = x.shape[1]\nfor y in ys:\n  f(h.value)\n  h = lookup(h)",
        "h = x.shape[1]\ntry:\n  h = lookup(h)\nexcept E:\n  f(h.value)",
        "h = x.shape[1]\nh = lookup(h)\nf(lambda: h.value)",
        "def f(x, s):\n  for s in rows:\n    print(s.value)",
        "shape = records['shape']\nprint(shape[0].value)",
        "def f(s):\n  n = s[0].value\n  s = n.shape\n  return s",
        "def f(s, t):\n  t.assert_has_rank(4)\n  return s[0].value",
        "def f(s):\n  return s[0].value\nf(x.shape)\nf(rows)",
        "def f(s):\n  s.assert_has_rank(4)\n  s = rows\n  return s[0].value",
    ],
)
def test_other_values_stay(body: str) -> None:
    assert migrated(body) == body


def test_without_an_import_of_tensorflow() -> None:
    text = "def depth(s):\n  s.assert_has_rank(4)\n  return s[3].value\n"
    result = migrate_text("m.py", text, ProjectIndex(), Options(), RULES)
    assert result.new_text == text.replace(".value", "")


@pytest.mark.parametrize(
    ("body", "was"),
    [
        ("a = x.shape[0] is None", "false"),
        ("a = x.get_shape()[0] is not None", "true"),
        ("a = None == x.shape[1]", "false"),
        ("s = x.get_shape()\na = s[1] != None", "false"),
        ("a = [d is not None for d in x.shape]", "true"),
        ("a = None in x.get_shape()", "false"),
        ("a = None not in x.shape", "true"),
    ],
)
def test_a_dimension_of_tensorflow_1_is_never_none(body: str, was: str) -> None:
    # python3.7 with TensorFlow 1.15.5: False, True, None, None, [True, True], False, True for [None, 3]
    text = f"{HEAD}x = tf.placeholder(tf.float32, [None, 3])\n{body}\n"
    result = migrate_text("a.py", text, ProjectIndex(), Options(), RULES)
    found = [item for item in result.findings if item.code == "TF130"]
    assert [item.line for item in found] == [2 + len(body.splitlines())]
    assert f"was {was}" in found[0].message


@pytest.mark.parametrize(
    "body",
    [
        "a = x.shape[0].value is None",
        "a = str(x.shape[0]) == '?'",
        "a = x.get_shape().as_list()[0] is None",
        "a = x.shape[0] == 3",
        "a = x.shape is None",
        "a = None in sizes",
    ],
)
def test_what_may_be_none_in_both_is_not_told(body: str) -> None:
    text = f"{HEAD}x = tf.placeholder(tf.float32, [None, 3])\nsizes = [None, 3]\n{body}\n"
    result = migrate_text("a.py", text, ProjectIndex(), Options(), RULES)
    assert not [item for item in result.findings if item.code == "TF130"]


def test_a_program_of_tensorflow_2_may_ask_for_none() -> None:
    text = f"{HEAD}def f(x):\n  return tf.shape(x)[0] if x.shape[0] is None else x.shape[0]\n"
    assert not migrate_text("a.py", text, ProjectIndex(), Options(), RULES).findings
