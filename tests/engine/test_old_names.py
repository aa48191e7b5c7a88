"""Names from before TensorFlow 1.0 become what the names become that they have since."""

from __future__ import annotations

import re

import pytest

from migrator.analysis.index import ProjectIndex
from migrator.analysis.old_names import RENAMED
from migrator.engine.options import Options
from migrator.engine.pipeline import migrate_text
from tests.transforms.texts import RULES

PROGRAM = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
w = tf.Variable(tf.zeros([3, 2]))
y = tf.mul(tf.neg(tf.sub(tf.matmul(x, w), 1.0)), 2.0)
loss = tf.reduce_mean(tf.square(tf.select(y > 0, y, tf.zeros_like(y))))
both = tf.pack([loss, tf.reduce_sum(y)])
product = tf.batch_matmul(x, w, name="m")
tf.scalar_summary("loss", loss)
merged = tf.merge_all_summaries()
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    writer = tf.train.SummaryWriter("logs", sess.graph)
    sess.run(tf.initialize_all_variables())
    for i in range(3):
        summed, _, values = sess.run([merged, train, both], {x: np.ones([2, 3])})
        writer.add_summary(summed, i)
        print(values, sess.run(product, {x: np.ones([2, 3])}))
"""


def migrated(text: str) -> str:
    return migrate_text("a.py", text, ProjectIndex(), Options(), RULES).new_text or text


def renamed(text: str) -> str:
    for old, new in RENAMED.items():
        short, since = old.replace("tensorflow", "tf", 1), new.replace("tensorflow", "tf", 1)
        text = re.sub(rf"{re.escape(short)}\b", since, text)
    return text


@pytest.mark.parametrize("old", sorted(RENAMED))
def test_every_name(old: str) -> None:
    assert RENAMED[old] in RULES.tf1 and old not in RULES.tf1 and old not in RULES.tf2
    text = "import tensorflow as tf\n\n\ndef f(a, b):\n    return {}(a, b)\n\n\ng = {}\n"
    before, since = (name.replace("tensorflow", "tf", 1) for name in (old, RENAMED[old]))
    assert migrated(text.format(before, before)) == migrated(text.format(since, since))


def test_a_program() -> None:
    assert migrated(PROGRAM) == migrated(renamed(PROGRAM))
    assert migrated(migrated(PROGRAM)) == migrated(PROGRAM)
