"""What a run gives as a whole is a list where a list was fetched, and a tuple where a tuple was."""

from __future__ import annotations

import pytest

from tests.transforms.texts import migrated

HEAD = """import numpy as np
import tensorflow as tf

average = tf.Variable([10.0], trainable=False)
x = tf.placeholder(tf.float32, [])


def moved():
    with tf.control_dependencies([tf.assign(average, average * 0.9)]):
        return tf.ones([1])


mean = tf.cond(x > 0.0, moved, lambda: tf.identity(average))
sess = tf.Session()
sess.run(tf.global_variables_initializer())
"""
NEST = "tf.nest.map_structure(lambda t: t.numpy(), evaluate_step(1.0))"


@pytest.mark.parametrize(("fetched", "given"), [
    ("[mean, average]", f"list({NEST})"),
    ("(mean, average)", NEST),
    ("mean", NEST),
])  # fmt: skip
def test_the_whole_result(fetched: str, given: str) -> None:
    text = migrated(HEAD + f"print(sess.run({fetched}, feed_dict={{x: 1.0}}))\n")
    assert f"print({given})" in text.replace("compute_mean(", "evaluate_step("), text


def test_a_list_of_one() -> None:
    text = migrated(HEAD + "print(sess.run([mean], feed_dict={x: 1.0}))\n")
    assert "print([tf.nest.map_structure(lambda t: t.numpy(), compute_mean(1.0))])" in text, text
