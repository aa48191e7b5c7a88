"""Conditions that ask whether there is a variable."""

import pytest

from tests.transforms.texts import migrated

HEAD = "import tensorflow as tf\n\n\n"


@pytest.mark.parametrize(
    ("condition", "after"),
    [
        ("if b:", "if b is not None:"),
        ("if not b:", "if b is None:"),
        ("while b and x:", "while b is not None and x:"),
        ("if not (x or b):", "if not (x or b is not None):"),
    ],
)
def test_conditions_ask_for_the_variable(condition: str, after: str) -> None:
    text = (f"{HEAD}def f(x, bias):\n  b = None\n  if bias:\n    b = tf.get_variable('b', [2])\n"
            f"  {condition}\n    x = tf.nn.bias_add(x, b)\n  return x\n")
    new = migrated(text)
    assert f"  {after}\n    x = tf.nn.bias_add(x, b)\n" in new and "  if bias:\n" in new
    assert migrated(new) == new


def test_functions_that_make_variables_and_attributes() -> None:
    text = (f"{HEAD}def made(name):\n  with tf.name_scope('a'):\n    v = tf.get_variable(name, [])\n"
            "  if name:\n    tf.add_to_collection('b', v)\n  return v\n\n\n"
            "class Net(object):\n  def __init__(self, bias):\n    self.c = None\n    if bias:\n"
            "      self.c = made('c')\n\n"
            "  def go(self, x):\n    return x + self.c if self.c else x\n")
    assert "    return x + self.c if self.c is not None else x\n" in migrated(text)


@pytest.mark.parametrize(
    "given",
    ["b = other", "b = False\n  if x:\n    b = tf.get_variable('b', [])", "b = tf.exp(x)", "b = []",
     "b = tf.get_variable('b', []) if x else 0"],
)
def test_what_may_be_something_else_stays(given: str) -> None:
    assert "  if b:\n" in migrated(f"{HEAD}def f(x, other):\n  {given}\n  if b:\n    x += 1\n  return x\n")


def test_functions_that_call_themselves() -> None:
    text = (f"{HEAD}def made(name):\n  return made(name[1:])\n\n\n"
            "def f(x):\n  b = made('b')\n  if b:\n    x += tf.exp(1.)\n  return x\n")
    assert "  if b:\n" in migrated(text)
