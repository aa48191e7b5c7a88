"""Test classes of Python's own unittest get the test case whose `evaluate` their tests now call."""

from migrator.analysis.index import ProjectIndex
from migrator.engine.options import Options
from migrator.engine.pipeline import migrate_text
from migrator.engine.ruleset import load_ruleset

TESTS = '''\
import unittest
from unittest import TestCase

import tensorflow as tf


class Base(unittest.TestCase):
    def total(self, x):
        return tf.reduce_sum(x)


class WithSession(Base):
    def test_total(self):
        x = tf.constant([1.0, 2.0])
        with tf.Session() as sess:
            found = sess.run(self.total(x))
        self.assertEqual(found, 3.0)


class Plain(TestCase):
    def test_shape(self):
        self.assertEqual(tf.constant([1.0]).shape, (1,))
'''


def test_only_classes_that_evaluate_change() -> None:
    rules = load_ruleset(Options())
    result = migrate_text("my_test.py", TESTS, ProjectIndex(), Options(), rules)
    text = result.new_text or ""
    assert "class Base(testing.TestCase):" in text
    assert "class WithSession(Base):" in text
    assert "found = self.evaluate(self.total(x))" in text
    assert "class Plain(TestCase):" in text
    assert any(change.code == "TF702" for change in result.changes)
    again = migrate_text("my_test.py", text, ProjectIndex(), Options(), rules)
    assert again.new_text in (None, text)


TRAINED = '''\
import unittest

import tensorflow as tf


class TrainTest(unittest.TestCase):
    def test_fit(self):
        w = tf.Variable(1.0)
        train = tf.train.GradientDescentOptimizer(0.5).minimize(tf.square(w))
        sess = tf.Session()
        sess.run(tf.global_variables_initializer())
        for _ in range(3):
            sess.run(train)
        self.assertEqual(sess.run(w), 0.0)
'''


def test_what_a_session_trains_is_built_in_a_graph_of_the_test() -> None:
    result = migrate_text("my_test.py", TRAINED, ProjectIndex(), Options(), load_ruleset(Options()))
    assert "    @testing.in_graph\n    def test_fit(self):" in (result.new_text or "")
