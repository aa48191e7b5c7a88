"""Test methods with sessions of every usual form; what they computed is saved as well."""
import sys

import numpy as np
import tensorflow as tf

RESULTS = {}


def normalize(images):
  """Works on static or dynamic batch sizes."""
  mean = tf.reduce_mean(images, axis=[1, 2], keep_dims=True)
  return images - mean


class TestCase(tf.test.TestCase):

  def execute(self, graph_fn, inputs):
    with self.test_session(graph=tf.Graph()) as sess:
      placeholders = [tf.placeholder_with_default(v, v.shape) for v in inputs]
      results = graph_fn(*placeholders)
      sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
      return sess.run(results, feed_dict=dict(list(zip(placeholders, inputs))))


class BodiesTest(TestCase):

  def test_plain_run(self):
    total = tf.reduce_sum(tf.constant([1., 2., 3.]))
    with self.test_session() as sess:
      # The sum of three.
      total_out = sess.run(total)
      self.assertAllClose(total_out, 6.)
    RESULTS['plain'] = total_out

  def test_eval_and_pairs(self):
    a, b = tf.split(tf.range(6), 2)
    with self.test_session():
      self.assertAllEqual(a.eval(), [0, 1, 2])
    with self.cached_session() as sess:
      a_out, b_out = sess.run([a, b])
    RESULTS['pairs'] = a_out + b_out
    self.assertAllEqual(b_out, [3, 4, 5])

  def test_one_feed(self):
    images = tf.placeholder(tf.float32, [None, None, None, 3])
    normalized = normalize(images)
    images_np = np.random.RandomState(0).uniform(0, 1, [2, 4, 5, 3])
    with self.test_session() as sess:
      normalized_out = sess.run(normalized, feed_dict={images: images_np})
    RESULTS['one_feed'] = normalized_out
    self.assertAllClose(normalized_out.mean(axis=(1, 2)), np.zeros([2, 3]), atol=1e-6)

  def test_two_feeds(self):
    images = tf.placeholder(tf.float32, [None, 2, 2, 1], name='images')
    normalized = normalize(images)
    with self.test_session() as sess:
      first = sess.run(normalized, feed_dict={images: np.ones([1, 2, 2, 1])})
      second = sess.run(normalized, feed_dict={images: np.eye(2).reshape([1, 2, 2, 1])})
    RESULTS['second'] = second
    self.assertAllEqual(first, np.zeros([1, 2, 2, 1]))
    self.assertAllClose(second[0, :, :, 0], [[.5, -.5], [-.5, .5]])

  def test_static_shape(self):
    images = tf.placeholder(tf.float32, [None, 8, 8, 3])
    normalized = normalize(images)
    self.assertListEqual(normalized.get_shape().as_list(), [None, 8, 8, 3])

  def test_runtime_error(self):
    index = tf.placeholder(tf.int32, [])
    chosen = tf.gather([1., 2.], index)
    with self.test_session() as sess:
      with self.assertRaises(tf.errors.InvalidArgumentError):
        sess.run(chosen, feed_dict={index: 7})

  def test_update(self):
    counter = tf.get_variable('counter', initializer=tf.constant(1.))
    increment = tf.assign_add(counter, 2.)
    with self.test_session() as sess:
      sess.run(tf.global_variables_initializer())
      before = sess.run(counter)
      sess.run(increment)
      after = sess.run(counter)
    RESULTS['update'] = [before, after]
    self.assertEqual((before, after), (1., 3.))

  def test_gradient(self):
    x = tf.placeholder(tf.float32, [3])
    gradient = tf.gradients(tf.reduce_sum(x ** 3), x)[0]
    with self.test_session() as sess:
      gradient_out = sess.run(gradient, feed_dict={x: [1., 2., 3.]})
    RESULTS['gradient'] = gradient_out
    self.assertAllClose(gradient_out, [3., 12., 27.])

  def test_gradient_of_what_was_built_before_the_session(self):
    x = tf.constant([1., 2., 3.])
    scale = tf.get_variable('scale', shape=[3], initializer=tf.ones_initializer())
    total = tf.reduce_sum(scale * x ** 3)
    with self.test_session() as sess:
      sess.run(tf.global_variables_initializer())
      gradients = tf.gradients(total, [x, scale])
      gradients_out = sess.run(gradients)
    RESULTS['gradients_early'] = gradients_out
    self.assertAllClose(gradients_out, [[3., 12., 27.], [1., 8., 27.]])

  def test_run_in_the_head_of_a_block(self):
    graph = tf.Graph()
    with graph.as_default():
      tf.get_variable('first', initializer=tf.constant(1.))
      doubled = tf.get_variable('second', initializer=tf.constant(2.)) * 2.
      names = []
      with self.test_session() as sess:
        sess.run(tf.global_variables_initializer())
        for missing in sess.run(tf.report_uninitialized_variables()):
          names.append(missing)
        if sess.run(doubled) > 3.:
          names.append('large')
      variables = graph.get_collection(tf.GraphKeys.GLOBAL_VARIABLES)
    RESULTS['heads'] = [len(names), len(variables)]
    self.assertEqual(names, ['large'])
    self.assertEqual([v.op.name for v in variables], ['first', 'second'])

  def test_static_shapes_of_a_loop(self):
    for shape in [(None, 2), (3, None)]:
      images = tf.placeholder(tf.float32, shape)
      doubled = images * 2.
      self.assertListEqual(doubled.get_shape().as_list(), list(shape))

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
      scaled = tf.multiply(rows, 2., name='scaled')
      assert scaled.op.name.endswith('scaled')
      return {'scaled': scaled}
    rows = self.execute(graph_fn, [np.array([0, 1, 1, 0])])
    RESULTS['rows'] = rows['scaled']
    self.assertAllEqual(rows['scaled'], [[6., 8.], [6., 8.]])

  def test_operation_for_its_effect(self):
    value = tf.placeholder(tf.float32, [])
    record = lambda x: RESULTS.setdefault('seen', []).append(float(x))
    _, update_op = None, tf.py_func(record, [value], [])
    with self.test_session() as sess:
      sess.run(update_op, feed_dict={value: 1.})
      sess.run(update_op, feed_dict={value: 2.})
    self.assertEqual(RESULTS['seen'], [1., 2.])


if __name__ == '__main__':
  import unittest
  suite = unittest.TestLoader().loadTestsFromTestCase(BodiesTest)
  outcome = unittest.TextTestRunner(stream=sys.stderr).run(suite)
  assert outcome.wasSuccessful(), outcome
  np.savez(sys.argv[1], **RESULTS)
