import numpy as np
import tensorflow as tf

import updates


def _inputs():
  return tf.placeholder(tf.float32, [None, 2])


class KeptPlaceholderTest(tf.test.TestCase):

  def setUp(self):
    super(KeptPlaceholderTest, self).setUp()
    self.x = tf.placeholder(tf.float32, [None])
    self.y = self.x * 2

  def testFed(self):
    with self.test_session() as sess:
      self.assertAllClose(sess.run(self.y, feed_dict={self.x: [1., 2.]}), [2., 4.])

  def testShape(self):
    self.assertEqual(self.y.shape.as_list(), [None])


class GradientTest(tf.test.TestCase):

  def setUp(self):
    super(GradientTest, self).setUp()
    self.x = tf.constant([1., 2.])
    self.other = tf.constant([1., 2.])
    self.y = self.x * self.x

  def testGradient(self):
    with self.test_session() as sess:
      self.assertAllClose(sess.run(tf.gradients(self.y, [self.x])[0]), [2., 4.])

  def testNoGradient(self):
    self.assertEqual(tf.gradients([self.y], [self.other]), [None])

  # written as people wrote it
  def testThroughFunction(self):
    x = tf.constant(3.)
    with self.test_session() as sess:
      self.assertAllClose(sess.run(updates.slope(x * x, x)), 6.)

  def testEager(self):
    with self.test_session() as sess:
      self.assertAllClose(sess.run(self.y), [1., 4.])


class UpdateTest(tf.test.TestCase):

  def testReadBeforeUpdate(self):
    source = tf.Variable([4.])
    target = tf.Variable([2.])
    moved = updates.move(target, source, .5)
    with self.test_session() as sess:
      sess.run(tf.global_variables_initializer())
      before = sess.run(target)
      sess.run(moved)
      self.assertAllClose(before, [2.])
      self.assertAllClose(sess.run(target), [3.])

  def testOwnState(self):
    target = tf.Variable(0)
    update = updates.every_other(lambda: tf.group(tf.assign_add(target, 1)))
    with self.test_session() as sess:
      sess.run(tf.global_variables_initializer())
      for wanted in [0, 1, 1, 2]:
        sess.run(update)
        self.assertEqual(sess.run(target), wanted)

  def testPlaceholderOfHelper(self):
    x = _inputs()
    with self.test_session() as sess:
      self.assertAllClose(sess.run(x + 1, {x: np.zeros([1, 2])}), [[1., 1.]])


if __name__ == '__main__':
  tf.test.main()
