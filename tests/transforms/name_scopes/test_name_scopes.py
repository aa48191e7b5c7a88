"""A name scope without a name goes back to the outermost one, as in TF 1."""

import pytest

from tests.transforms import texts

HEAD = "import tensorflow as tf\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def f(x, scope=None):\n  with tf.name_scope(scope):\n    return x",
         '  with tf.name_scope(scope or ""):'),
        ("def f(x, scope='a'):\n  with tf.name_scope(scope):\n    return x",
         '  with tf.name_scope(scope or ""):'),
        ("def f(x, *, scope=None):\n  with tf.name_scope(name=scope):\n    return x",
         '  with tf.name_scope(name=scope or ""):'),
        ("def f(x, scope='a'):\n  with tf.name_scope(scope, values=[x]):\n    return x",
         '  with tf.name_scope(scope or ""):'),
        ("with tf.name_scope(None):\n  x = 1", 'with tf.name_scope(""):'),
    ],
)  # fmt: skip
def test_no_name_is_the_empty_one(before: str, after: str) -> None:
    new = texts.migrated(HEAD + before + "\n")
    assert after in new.splitlines()
    assert texts.migrated(new) == new


@pytest.mark.parametrize(
    "line",
    [
        "def f(x, scope):\n  with tf.name_scope(scope):\n    return x",
        "def f(x, scope=None):\n  scope = scope + 'x'\n  with tf.name_scope(scope):\n    return x",
    ],
)
def test_what_is_a_name_stays(line: str) -> None:
    assert line in texts.migrated(HEAD + line + "\n")


def test_in_tensorflow_2_it_is_the_outermost_scope() -> None:
    import tensorflow as tf

    with tf.Graph().as_default(), tf.name_scope("a"), tf.name_scope(""):
        assert tf.constant(1, name="b").name == "b:0"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("with tf.name_scope('loss', [x]):", "with tf.name_scope('loss'):"),
        ("with tf.name_scope('loss', 'other', [x]):", "with tf.name_scope('loss'):"),
        ("with tf.name_scope('', 'other', [x]):", "with tf.name_scope('' or 'other'):"),
        ("with tf.name_scope(name, 'loss', [x]):", "with tf.name_scope(name or 'loss'):"),
    ],
)
def test_a_name_that_is_written_needs_no_other(before: str, after: str) -> None:
    assert after in texts.migrated(f"{HEAD}def f(x, name):\n  {before}\n    return x\n")
