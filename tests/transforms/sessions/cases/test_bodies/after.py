"""Test methods with sessions of every usual form; what they computed is saved as well."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import names as tf1_names
from tf1_support import scopes
from tf1_support import testing
from tf1_support import initializers
from tf1_support import math_ops

RESULTS = {}


def normalize(images):
  """Works on static or dynamic batch sizes."""
  mean = tf.reduce_mean(images, axis=[1, 2], keepdims=True)
  return images - mean


class TestCase(testing.TestCase):

  def execute(self, graph_fn, inputs):
    with scopes.VariableStore().as_default():
      placeholders = [tf.convert_to_tensor(v) for v in inputs]
      results = testing.traced(graph_fn)(*placeholders)
      return self.evaluate(results)


class BodiesTest(TestCase):

  def test_plain_run(self):
    total = tf.reduce_sum(tf.constant([1., 2., 3.]))
    # The sum of three.
    total_out = self.evaluate(total)
    self.assertAllClose(total_out, 6.)
    RESULTS['plain'] = total_out

  def test_eval_and_pairs(self):
    a, b = tf.split(tf.range(6), 2)
    self.assertAllEqual(self.evaluate(a), [0, 1, 2])
    a_out, b_out = self.evaluate([a, b])
    RESULTS['pairs'] = a_out + b_out
    self.assertAllEqual(b_out, [3, 4, 5])

  def test_one_feed(self):
    images_np = np.random.RandomState(0).uniform(0, 1, [2, 4, 5, 3])
    images = tf.constant(images_np, tf.float32)
    normalized = normalize(images)
    normalized_out = self.evaluate(normalized)
    RESULTS['one_feed'] = normalized_out
    self.assertAllClose(normalized_out.mean(axis=(1, 2)), np.zeros([2, 3]), atol=1e-6)

  def test_two_feeds(self):
    @tf.function(input_signature=[tf.TensorSpec([None, 2, 2, 1], tf.float32)])
    def compute_normalized(images):
      normalized = normalize(images)
      return normalized
    first = self.evaluate(compute_normalized(tf.constant(np.ones([1, 2, 2, 1]), tf.float32)))
    second = self.evaluate(compute_normalized(tf.constant(np.eye(2).reshape([1, 2, 2, 1]), tf.float32)))
    RESULTS['second'] = second
    self.assertAllEqual(first, np.zeros([1, 2, 2, 1]))
    self.assertAllClose(second[0, :, :, 0], [[.5, -.5], [-.5, .5]])

  def test_static_shape(self):
    @tf.function(input_signature=[tf.TensorSpec([None, 8, 8, 3], tf.float32)])
    def build(images):
      normalized = normalize(images)
      self.assertListEqual(normalized.get_shape().as_list(), [None, 8, 8, 3])
    build.get_concrete_function()

  def test_runtime_error(self):
    with self.assertRaises(tf.errors.InvalidArgumentError):
      index = tf.constant(7, tf.int32)
      chosen = tf.gather([1., 2.], index)

  def test_update(self):
    counter = scopes.get_variable('counter', initializer=tf.constant(1.))
    before = self.evaluate(counter)
    increment = counter.assign_add(2.)
    after = self.evaluate(counter)
    RESULTS['update'] = [before, after]
    self.assertEqual((before, after), (1., 3.))

  def test_gradient(self):
    @tf.function(input_signature=[tf.TensorSpec([3], tf.float32)])
    def compute_gradient(x):
      gradient = tf.gradients(tf.reduce_sum(x ** 3), x)[0]
      return gradient
    gradient_out = self.evaluate(compute_gradient(tf.constant([1., 2., 3.], tf.float32)))
    RESULTS['gradient'] = gradient_out
    self.assertAllClose(gradient_out, [3., 12., 27.])

  def test_gradient_of_what_was_built_before_the_session(self):
    scale = scopes.get_variable('scale', shape=[3], initializer=initializers.ones_initializer())
    @tf.function
    def compute_gradients():
      x = tf.constant([1., 2., 3.])
      total = tf.reduce_sum(scale * x ** 3)
      gradients = tf.gradients(total, [x, scale])
      return gradients
    gradients_out = self.evaluate(compute_gradients())
    RESULTS['gradients_early'] = gradients_out
    self.assertAllClose(gradients_out, [[3., 12., 27.], [1., 8., 27.]])

  def test_run_in_the_head_of_a_block(self):
    with scopes.VariableStore().as_default():
      scopes.get_variable('first', initializer=tf.constant(1.))
      doubled = scopes.get_variable('second', initializer=tf.constant(2.)) * 2.
      names = []
      values = self.evaluate(scopes.report_uninitialized_variables())
      for missing in values:
        names.append(missing)
      condition = self.evaluate(doubled) > 3.
      if condition:
        names.append('large')
      variables = scopes.get_collection(scopes.GraphKeys.GLOBAL_VARIABLES)
    RESULTS['heads'] = [len(names), len(variables)]
    self.assertEqual(names, ['large'])
    self.assertEqual([tf1_names.op_name(v) for v in variables], ['first', 'second'])

  def test_static_shapes_of_a_loop(self):
    for shape in [(None, 2), (3, None)]:
      @tf.function(input_signature=[tf.TensorSpec(shape, tf.float32)])
      def build(images):
        doubled = images * 2.
        self.assertListEqual(doubled.get_shape().as_list(), list(shape))
      build.get_concrete_function()

  def test_helper(self):
    def graph_fn(left, right):
      return tf.matmul(left, right)
    product = self.execute(graph_fn, [np.eye(2, dtype=np.float32),
                                      np.ones([2, 2], np.float32)])
    RESULTS['helper'] = product
    self.assertAllEqual(product, np.ones([2, 2]))

  def test_helper_builds_a_graph(self):
    def graph_fn(indices):
      rows = tf.gather(tf.constant([[1., 2.], [3., 4.]]), tf.boolean_mask(indices, indices > 0))
      self.assertEqual(rows.get_shape().as_list(), [None, 2])
      scaled = tf1_names.named(tf.multiply(rows, 2., name='scaled'), 'scaled')
      assert tf1_names.op_name(scaled).endswith('scaled')
      return {'scaled': scaled}
    rows = self.execute(graph_fn, [np.array([0, 1, 1, 0])])
    RESULTS['rows'] = rows['scaled']
    self.assertAllEqual(rows['scaled'], [[6., 8.], [6., 8.]])

  def test_operation_for_its_effect(self):
    record = lambda x: RESULTS.setdefault('seen', []).append(float(x))
    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def compute_update_op(value):
      _, update_op = None, math_ops.py_func(record, [value], [])
    compute_update_op(tf.constant(1., tf.float32))
    compute_update_op(tf.constant(2., tf.float32))
    self.assertEqual(RESULTS['seen'], [1., 2.])


if __name__ == '__main__':
  import unittest
  suite = unittest.TestLoader().loadTestsFromTestCase(BodiesTest)
  outcome = unittest.TextTestRunner(stream=sys.stderr).run(suite)
  assert outcome.wasSuccessful(), outcome
  np.savez(sys.argv[1], **RESULTS)
