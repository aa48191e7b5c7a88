"""Names of gradients are told where they are read; those of their variables stay."""

from __future__ import annotations

import pytest

from tests.engine.test_otherwise import found

HEAD = """import tensorflow as tf
x = tf.placeholder(tf.float32, [2], name="x")
w = tf.Variable([1., 2.], name="w")
loss = tf.reduce_sum(x * w)
optimizer = tf.train.GradientDescentOptimizer(.1)
"""
ENDING = """
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(globals()["loss"], {x: [1., 1.]}))
"""


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("grads = tf.gradients(loss, [w])\nprint(grads[0].name)", 7),
        ("grads = tf.gradients(loss, [w])\nfor g, v in zip(grads, [w]):\n    print(g.op.name, v.name)", 8),
        ("pairs = optimizer.compute_gradients(loss)\nfor g, v in pairs:\n    print(g.name, v)", 8),
        ("pairs = optimizer.compute_gradients(loss)\nnames = [g.name for i, (g, _) in enumerate(pairs)]", 7),
        ("pairs = optimizer.compute_gradients(loss)\nname = pairs[0][0].name", 7),
    ],
)
def test_told(body: str, line: int) -> None:
    assert found(HEAD + body + ENDING, "TF308") == [line]


@pytest.mark.parametrize(
    "body",
    [
        "grads = tf.gradients(loss, [w])\nfor g, v in zip(grads, [w]):\n    print(v.op.name)",
        "pairs = optimizer.compute_gradients(loss)\nnames = [v.name for g, v in pairs] + [pairs[0][1].name]",
        "grads = tf.gradients(loss, [w])\nfor g in [w]:\n    print(g.name)",
    ],
)
def test_names_of_variables_stay(body: str) -> None:
    assert found(HEAD + body + ENDING, "TF308") == []
