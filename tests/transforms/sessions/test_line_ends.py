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
