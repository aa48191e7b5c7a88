"""A file in which every line ends like Windows' stays one, whatever writes its new lines."""

from __future__ import annotations

import pytest

from tests.transforms.texts import migrated

NATIVE = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
w = tf.get_variable('w', [3, 2])
y = tf.matmul(x, w)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, feed_dict={x: [[1., 2., 3.]]}))
"""
KEPT = NATIVE.replace("{x: [[1., 2., 3.]]}", "dict(zip([x], [[[1., 2., 3.]]]))")
FLAGS = """\
import tensorflow as tf

FLAGS = tf.app.flags.FLAGS
tf.app.flags.DEFINE_integer('n', 3, 'count')
print(FLAGS.n)
"""


@pytest.mark.parametrize("text", [NATIVE, KEPT, FLAGS])
def test_line_ends_stay(text: str) -> None:
    windows = migrated(text.replace("\n", "\r\n"))
    assert windows.count("\r\n") == windows.count("\n") > text.count("\n")
    assert windows.replace("\r\n", "\n").split() == migrated(text).split()


def test_a_file_with_both_kinds_keeps_its_lines() -> None:
    both = NATIVE.replace("\n", "\r\n", 2)
    assert migrated(both).startswith("import tensorflow as tf\r\n")


INPUTS = """\
import tensorflow as tf


def numbers(n):
    iterator = tf.data.Dataset.range(n).make_one_shot_iterator()
    return iterator.get_next()


def main(_):
    model.train(input_fn=lambda: numbers(3))


if __name__ == '__main__':
    tf.app.run(main=main)
"""


@pytest.mark.parametrize(
    ("text", "ahead_of"),
    [(INPUTS, "if __name__"), (INPUTS, "def main"), (NATIVE, "x = tf"), (NATIVE, "with")],
)
def test_a_form_feed_ahead_of_a_statement_is_no_indentation(text: str, ahead_of: str) -> None:
    fed = migrated(text.replace(ahead_of, "\f" + ahead_of))
    compile(fed, "fed.py", "exec")
    assert fed.replace("\f", "").split() == migrated(text).split()
