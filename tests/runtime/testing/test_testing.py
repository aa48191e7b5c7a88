"""The test case and `run`, on what tests of sessions used to fetch."""
import collections
import os
import unittest

import numpy as np
import pytest
import tensorflow as tf
from tf1_support import checkpoint, graphs, queues, schedules, scopes, store, testing

Pair = collections.namedtuple("Pair", "a b")


def test_run_gives_arrays_in_the_nest_of_the_fetches():
    v = tf.Variable([1.0, 2.0])
    fetches = collections.OrderedDict(
        t=tf.constant(3), none=None, pair=Pair(v, [tf.keras.Variable(4.0)]), empty=(),
        python=5, text="x", array=np.ones(2))
    found = testing.run(fetches)
    assert list(found) == list(fetches) and type(found) is collections.OrderedDict
    assert isinstance(found["t"], np.integer) or isinstance(found["t"], np.ndarray)
    assert isinstance(found["pair"], Pair) and isinstance(found["pair"].a, np.ndarray)
    assert found["pair"].b == [4.0] and found["none"] is None and found["empty"] == ()
    assert (found["python"], found["text"]) == (5, "x")
    v.assign([0.0, 0.0])
    np.testing.assert_array_equal(found["pair"].a, [1.0, 2.0])  # a copy, not a view
    sparse = testing.run(tf.SparseTensor([[0, 1]], [2.0], [1, 2]))
    np.testing.assert_array_equal(sparse.values, [2.0])
    rate = schedules.exponential_decay(1.0, tf.Variable(2), 1, 0.5)
    assert testing.run([rate]) == [0.25]


def test_feeding_is_refused_with_advice():
    with pytest.raises(ValueError, match="as arguments"):
        testing.TestSession().run(tf.constant(1), {"x:0": 1})


class Example(testing.TestCase):
    draws: list[tuple[float, float]] = []

    def test_first(self):
        self.check()

    def test_second(self):
        self.check()

    def check(self):
        self.assertFalse(store.current_store().variables_by_name)
        store.current_store().add("v", tf.Variable(1.0))
        with self.test_session(graph=None) as session:
            self.assertEqual(session.run([tf.constant(1), None]), [1, None])
        with self.cached_session(), self.session(use_gpu=True):
            self.assertAllClose(self.evaluate({"a": tf.ones([2])})["a"], [1.0, 1.0])
        self.draws.append((float(tf.random.uniform([])), float(np.random.rand())))
        self.assertShape([2], tf.ones([2]))


def test_each_test_starts_afresh():
    Example.draws.clear()
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Example).run(result)
    assert result.wasSuccessful() and result.testsRun >= 2, result.failures + result.errors
    assert Example.draws[0] == Example.draws[1]


def test_pytest_collects_subclasses_but_not_the_base():
    assert Example.__test__ and not testing.TestCase.__test__


def test_failed_assertions_in_the_words_of_tf1():
    class Checks(testing.TestCase):
        def runTest(self):
            with self.assertRaisesOpError("assertion failed: .*too small.*3"):
                tf.debugging.Assert(tf.constant(False), ["too small", tf.constant(3)])
            with self.assertRaisesOpError("to be true"):
                tf.debugging.Assert(tf.constant(False), ["too small"])
            with self.assertRaises(AssertionError), self.assertRaisesOpError("assertion failed"):
                raise tf.errors.InvalidArgumentError(None, None, "shapes differ")

    result = Checks().run()
    assert result.wasSuccessful() and result.testsRun == 1, result.failures + result.errors


def test_queues_of_a_graph_are_filled():
    with graphs.Graph().as_default():
        queue = queues.FIFOQueue(3, tf.int32, shapes=[[]])
        queues.add_queue_runner(queues.QueueRunner(queue, [queue.enqueue(7)]))
        take = graphs.function([], queue.dequeue())
        with queues.QueueRunners(None):
            assert [take() for _ in range(4)] == [7] * 4


def test_variables_are_equal_to_themselves_alone():
    class Checks(testing.TestCase):
        def runTest(self):
            one, other = tf.Variable([1.0]), tf.Variable([1.0, 2.0])
            self.assertItemsEqual([one, other], [other, one])
            self.assertCountEqual([3, 4], [4, 3])
            with self.assertRaises(AssertionError):
                self.assertItemsEqual([one, one], [one, tf.Variable([1.0])])

    result = Checks().run()
    assert result.wasSuccessful() and result.testsRun == 1, result.failures + result.errors


def test_traced_functions_make_keras_layers_and_drop_what_is_not_asked_for():
    def build(x):
        assert not tf.executing_eagerly() and x.shape == [2, 3]
        tf.gather([1], tf.cast(tf.reduce_sum(x), tf.int32) + 7)  # fails if it runs
        hidden = tf.keras.layers.Dense(4, kernel_initializer="ones")(x)
        return tf.keras.layers.BatchNormalization()(hidden, training=True), scopes.get_variable(
            "w", [], initializer=tf.ones_initializer())

    normal, weight = testing.traced(build)(tf.constant(np.eye(2, 3), tf.float32))
    assert normal.shape == [2, 4] and float(weight) == 1.0


def test_errors_of_shapes_and_graphs_of_classes_with_a_set_up_of_their_own(tmp_path):
    class Checks(testing.TestCase):
        def setUp(self):
            self.ready = True

        @testing.in_graph
        def runTest(self):
            assert self.ready and not tf.executing_eagerly()
            with self.test_session() as session:
                assert session.run(tf.constant(3) + 1) == 4

    class Raises(testing.TestCase):
        def runTest(self):
            with self.assertRaises(ValueError):
                tf.add(tf.zeros([2]), tf.zeros([3]))
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "sizes"):
                raise ValueError("sizes differ")
            with self.assertRaises(TypeError), self.assertRaises(ValueError):
                raise TypeError("another error")

    for test in (Checks, Raises):
        result = test().run()
        assert result.wasSuccessful() and result.testsRun == 1, result.failures + result.errors
    assert tf.executing_eagerly()


def test_checkpoints_with_the_name_of_their_directory(tmp_path):
    prefix = str(tmp_path / "model")
    (tmp_path / "model").mkdir()
    with store.VariableStore().as_default():
        scopes.get_variable("w", [2], initializer=tf.ones_initializer())
        checkpoint.Saver().save(prefix)
        checkpoint.Saver().save(str(tmp_path / "other"))
        checkpoint.Saver().restore(prefix)
    for path in (prefix, str(tmp_path / "other")):
        assert checkpoint.NewCheckpointReader(path).get_variable_to_shape_map() == {"w": [2]}


def test_one_folder_for_the_files_of_tests():
    folder = testing.get_temp_dir()
    assert os.path.isdir(folder) and folder == testing.get_temp_dir()
    os.rmdir(folder)
    testing.get_temp_dir.cache_clear()
