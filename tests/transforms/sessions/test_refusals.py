"""Tests that ask what only a graph can answer keep their graph; their like without it do not."""

import pytest

from tests.transforms import texts

HEAD = "import tensorflow as tf\nimport lib\n\n\nclass T(tf.test.TestCase):\n\n  def test_it(self):\n"
RUN = "    with self.test_session() as sess:\n      self.assertTrue(sess.run(y))\n"
LOOP = "    with self.test_session() as sess:\n      for _ in range(3):\n        a, b = sess.run([y, z])\n"


def migrated(body: str) -> str:
    return texts.migrated(HEAD + body, "m_test.py")


@pytest.mark.parametrize(
    "body",
    [
        "    y = lib.f(3)\n    y2 = tf.get_default_graph().get_tensor_by_name('y:0')\n" + RUN,
        "    g = tf.Graph()\n    with g.as_default():\n      y = lib.f(3)\n"
        "      self.assertTrue(g.as_graph_def())\n"
        "    with self.test_session(graph=g) as sess:\n      sess.run(y)\n",
        "    x = tf.placeholder(tf.float32, [None])\n    value, update = lib.metric(x)\n"
        "    with self.test_session() as sess:\n      sess.run(update, feed_dict={x: [1.]})\n"
        "      sess.run(update, feed_dict={x: [2.]})\n    self.check(value)\n",
    ],
)
def test_the_graph_stays(body: str) -> None:
    new = migrated(body)
    assert "graphs." in new and "  @testing.in_graph\n" in new


@pytest.mark.parametrize(
    "body",
    [
        "    y = lib.f(3)\n    assert y.get_shape().as_list() == [2, 4]\n" + RUN,
        "    y = tf.ones([2])\n    z = y * 2.\n" + LOOP,
        "    y = tf.random_uniform([2])\n    z = y * 2.\n" + LOOP,
        "    y, z = lib.f(3)\n" + LOOP,
        "    with self.test_session():\n      for v in lib.f(3).weights:\n"
        "        self.check(tf.keras.backend.eval(v))\n",
        "    y = lib.f(3)\n    with self.test_session() as sess:\n      for x in y:\n"
        "        self.assertTrue(sess.run(x))\n",
        "    y = lib.f(3)\n    ops = tf.get_default_graph().get_operations()\n" + RUN,
        "    y = lib.f(3)\n    assert y.get_shape().as_list() == [None, 4]\n" + RUN,
        "    x = tf.placeholder(tf.float32, [None, 4])\n    y = lib.f(x)\n"
        "    self.assertEqual(y.get_shape().as_list(), [None, 4])\n",
    ],
)
def test_the_test_becomes_eager(body: str) -> None:
    new = migrated(body)
    assert "sess" not in new and "in_graph" not in new


def test_a_name_for_two_placeholders_becomes_two_names() -> None:
    once = (
        "    x = tf.placeholder(tf.float32, [2])\n    y = lib.f(x)\n"
        "    with self.test_session() as sess:\n      out = sess.run(y, feed_dict={x: [1., 2.]})\n"
        "    self.assertEqual(lib.g(out, x=3), 4)\n"
    )
    new = migrated(once + once.replace("1.", "out[0]"))
    assert "    x = tf.constant([1., 2.], tf.float32)\n    y = lib.f(x)\n" in new
    assert "    x_2 = tf.constant([out[0], 2.], tf.float32)\n    y = lib.f(x_2)\n" in new
    assert new.count("lib.g(out, x=3)") == 2


def test_a_name_that_a_loop_binds_anew_is_left() -> None:
    new = migrated(
        "    x = tf.placeholder(tf.float32, [2])\n    for x in lib.g(x):\n"
        "      x = tf.placeholder(tf.float32, [2])\n    with self.test_session() as sess:\n"
        "      sess.run(lib.f(x), feed_dict={x: [1., 2.]})\n"
    )
    assert "in_graph" in new


def test_what_is_fed_may_be_evaluated_itself() -> None:
    new = migrated(
        "    x = tf.placeholder(tf.float32, [None, 4])\n    y = lib.f(x)\n"
        "    self.assertEqual(y.get_shape().as_list(), [None, 4])\n"
        "    z = tf.random_uniform([2, 4])\n    with self.test_session() as sess:\n"
        "      out = sess.run(y, {x: z.eval()})\n"
    )
    assert "self.evaluate(compute_y(tf.constant(z.numpy(), tf.float32)))" in new


def test_a_program_whose_obstacle_the_rules_remove_is_done_in_the_same_run() -> None:
    """`texts.migrated` runs again, which must find nothing left."""
    text = (
        "import tensorflow as tf\nwith tf.Session() as sess:\n"
        "    print(sess.run(tf.app.flags.DEFINE_enum(tf.log(x)), feed_dict={p: tf.Assert().y}))\n"
    )
    assert "tf.Session" not in texts.migrated(text)
