"""What a run gives is asked for its one element where it becomes a number, if it has dimensions."""

import pytest

from tests.transforms.texts import migrated

HEAD = (
    "import tensorflow as tf\n\nw = tf.Variable([0.5])\nx = tf.placeholder(tf.float32, [None, 2])\n"
    "y = tf.layers.dense(x, 1)\nloss = tf.reduce_mean(y)\n\n\ndef use(sess, batch, other):\n"
)
TAIL = (
    "\n\nwith tf.Session() as sess:\n    sess.run(tf.global_variables_initializer())\n"
    "    use(sess, [[1., 2.]], 3.)\n"
)


def items(body: str) -> int:
    """How many of a function's numbers are asked for."""
    return (migrated(HEAD + body + TAIL) or HEAD + body + TAIL).count(".item()")


@pytest.mark.parametrize(("body", "count"), [
    ("    print('%f' % sess.run(w))\n", 1),
    ("    print('%d%% of %s, %.2f' % (sess.run(w), sess.run(w), sess.run(-w * 2.)))\n", 2),
    ("    a, b = sess.run([y, loss], {x: batch})\n    print(float(a), float(b), int(a))\n", 2),
    ("    v = y.eval({x: batch}, session=sess)\n    return complex(v)\n", 1),
    ("    print('%f' % sess.run(tf.reduce_sum(y, axis=1), {x: batch}))\n", 1),
])  # fmt: skip
def test_values_with_dimensions(body: str, count: int) -> None:
    assert items(body) == count


@pytest.mark.parametrize("body", [
    "    print('%f' % sess.run(loss, {x: batch}))\n",
    "    print('%s' % sess.run(w), '%(w)s' % {'w': 1})\n",
    "    v = sess.run(w)\n    v = other\n    print('%f' % v)\n",
    "    v = sess.run(w)[0]\n    print('%f' % v, float(sess.run(w)[0]))\n",
    "    print('%f' % sess.run(tf.reduce_sum(y, axis=0), {x: batch}))\n",
    "    print('%*d' % (3, sess.run(w)))\n",
    "    print('%f' % sess.run(other))\n",
])  # fmt: skip
def test_what_may_be_a_scalar_stays(body: str) -> None:
    assert items(body) == 0


def test_functions_that_call_each_other_are_followed_once() -> None:
    body = "    return float(use(sess, batch, sess.run(w)))\n"
    assert items(body) == 0


SUMS = """import tensorflow as tf


class Model(object):
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 2])
        self.fit, self.penalty = self.losses()
        self.loss = self.fit + self.penalty
        self.step = tf.train.AdamOptimizer().minimize(self.loss)

    def losses(self):
        fit = tf.reduce_mean(tf.layers.dense(self.x, 1))
        penalty = tf.constant(0.5, tf.float32, [1])
        return fit, penalty


model = Model()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    loss, fit, penalty = 0., 0., 0.
    for batch in ([[1., 2.]], [[3., 4.]]):
        _, one, two, three = sess.run([model.step, model.loss, model.fit, model.penalty], {model.x: batch})
        loss += one
        fit += two
        penalty += three
    said = 'loss %.3f = %.3f + %.3f' % (loss, fit, penalty)
"""


def test_sums_of_values_with_dimensions() -> None:
    """NumPy 1.16 formatted the array of one element that 0. becomes; without a batch it still is 0."""
    new = migrated(SUMS)
    assert "% (np.asarray(loss).item(), fit, np.asarray(penalty).item())" in new
    assert migrated(SUMS.replace("tf.float32, [1])", "tf.float32)")).count(".item()") == 0
    assert migrated(SUMS.replace("loss, fit, penalty = 0., 0., 0.", "")).count(".item()") == 2
