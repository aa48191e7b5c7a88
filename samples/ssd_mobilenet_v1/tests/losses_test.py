"""Tests for ssd.losses."""
import numpy as np
import tensorflow as tf

from ssd import losses


class LossesTest(tf.test.TestCase):

  def test_smooth_l1(self):
    with self.test_session() as sess:
      values = sess.run(losses.smooth_l1(tf.constant([-2.0, -0.5, 0.0, 1.0, 3.0])))
    self.assertAllClose(values, [1.5, 0.125, 0.0, 0.5, 2.5])

  def test_hard_negatives_are_those_with_the_highest_loss(self):
    background_losses = tf.constant([[0.1, 0.9, 0.5, 2.0], [1.0, 2.0, 3.0, 4.0]])
    is_negative = tf.constant([[True, True, True, False], [True] * 4])
    chosen = losses.hard_negatives(background_losses, is_negative,
                                   tf.constant([2, 1]))
    with self.test_session() as sess:
      self.assertAllEqual(sess.run(chosen), [[False, True, True, False],
                                             [False, False, False, True]])

  def test_never_more_negatives_than_there_are(self):
    chosen = losses.hard_negatives(
        tf.constant([[0.3, 0.2]]), tf.constant([[False, True]]),
        tf.constant([5]))
    with self.test_session():
      self.assertAllEqual(chosen.eval(), [[False, True]])

  def test_perfect_predictions(self):
    class_targets = tf.constant([[0, 2, 1, 0]])
    logits = 100.0 * tf.one_hot(class_targets, 3)
    boxes = tf.random_normal([1, 4, 4], seed=3)
    classification, localization = losses.multibox_loss(
        logits, boxes, class_targets, boxes)
    with self.test_session() as sess:
      classification, localization = sess.run([classification, localization])
    self.assertAllClose(classification, 0.0)
    self.assertAllClose(localization, 0.0)

  def test_uniform_logits(self):
    # One positive and three negatives out of nine, each with a loss of log 3.
    class_targets = tf.constant([[1] + [0] * 9])
    logits = tf.zeros([1, 10, 3])
    box_encodings = tf.ones([1, 10, 4])
    box_targets = tf.zeros([1, 10, 4])
    with self.test_session() as sess:
      classification, localization = sess.run(losses.multibox_loss(
          logits, box_encodings, class_targets, box_targets))
    self.assertAllClose(classification, 4 * np.log(3.0))
    self.assertAllClose(localization, 4 * 0.5)

  def test_no_objects(self):
    class_targets = tf.zeros([2, 10], dtype=tf.int32)
    with self.test_session() as sess:
      classification, localization = sess.run(losses.multibox_loss(
          tf.zeros([2, 10, 3]), tf.ones([2, 10, 4]), class_targets,
          tf.zeros([2, 10, 4])))
    self.assertAllClose(classification, 2 * 3 * np.log(3.0))
    self.assertEqual(localization, 0.0)

  def test_gradient_reaches_chosen_anchors_only(self):
    class_targets = tf.constant([[1, 0, 0, 0, 0]])
    logits = tf.placeholder(tf.float32, [1, 5, 3])
    classification, _ = losses.multibox_loss(
        logits, tf.zeros([1, 5, 4]), class_targets, tf.zeros([1, 5, 4]))
    gradient = tf.gradients(classification, logits)[0]
    values = np.zeros([1, 5, 3], np.float32)
    values[0, :, 1] = [0.0, 4.0, 1.0, 3.0, 2.0]
    with self.test_session() as sess:
      result = sess.run(gradient, feed_dict={logits: values})
    self.assertAllEqual(np.abs(result[0]).sum(axis=1) > 0,
                        [True, True, False, True, True])


if __name__ == '__main__':
  tf.test.main()
