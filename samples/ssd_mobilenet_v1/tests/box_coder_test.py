"""Tests for ssd.box_coder."""
import numpy as np
import tensorflow as tf

from ssd import box_coder


class BoxCoderTest(tf.test.TestCase):

  def test_encode_of_the_anchor_is_zero(self):
    anchors = tf.constant([[0.1, 0.2, 0.5, 0.9]])
    with self.test_session() as sess:
      self.assertAllClose(sess.run(box_coder.encode(anchors, anchors)),
                          np.zeros([1, 4]), atol=1e-5)

  def test_encode_known_values(self):
    boxes = tf.constant([[0.2, 0.2, 0.4, 0.6]])
    anchors = tf.constant([[0.0, 0.0, 0.4, 0.4]])
    expected = [[10 * 0.25, 10 * 0.5, 5 * np.log(0.5), 0.0]]
    with self.test_session():
      self.assertAllClose(box_coder.encode(boxes, anchors).eval(), expected,
                          atol=1e-5)

  def test_decode_inverts_encode(self):
    random = np.random.RandomState(0)
    corner = random.uniform(0, 0.5, [2, 7, 2])
    boxes = np.concatenate(
        [corner, corner + random.uniform(0.1, 0.5, [2, 7, 2])], axis=2)
    anchors = boxes[0][::-1].copy()
    encoded = box_coder.encode(tf.constant(boxes), tf.constant(anchors))
    decoded = box_coder.decode(encoded, tf.constant(anchors))
    with self.test_session() as sess:
      self.assertAllClose(sess.run(decoded), boxes)

  def test_iou(self):
    boxes = tf.placeholder(tf.float32, [None, 4])
    others = tf.constant([[0., 0., 1., 1.], [0., 0., 0.5, 0.5],
                          [0.6, 0.6, 0.7, 0.7], [0., 0.25, 0.5, 0.75]])
    overlaps = box_coder.iou(boxes, others)
    with self.test_session() as sess:
      result = sess.run(overlaps, feed_dict={boxes: [[0., 0., 0.5, 0.5]]})
    self.assertAllClose(result, [[0.25, 1.0, 0.0, 1.0 / 3]])

  def test_match_threshold_and_forced_match(self):
    anchors = tf.constant([[0.0, 0.0, 0.5, 0.5], [0.0, 0.05, 0.5, 0.55],
                           [0.6, 0.6, 1.0, 1.0], [0.9, 0.0, 1.0, 0.1]])
    boxes = tf.constant([[0.0, 0.0, 0.5, 0.5], [0.8, 0.8, 1.0, 1.0]])
    with self.test_session() as sess:
      matches = sess.run(box_coder.match(anchors, boxes))
    # The third anchor overlaps its box by a quarter only, but nothing else
    # overlaps that box more.
    self.assertAllEqual(matches, [0, 0, 1, -1])

  def test_assign_targets(self):
    anchors = tf.constant([[0.0, 0.0, 0.5, 0.5], [0.5, 0.5, 1.0, 1.0]])
    boxes = tf.constant([[0.5, 0.5, 1.0, 0.9]])
    labels = tf.constant([3], dtype=tf.int32)
    class_targets, box_targets = box_coder.assign_targets(anchors, boxes, labels)
    with self.test_session() as sess:
      class_targets, box_targets = sess.run([class_targets, box_targets])
    self.assertAllEqual(class_targets, [0, 3])
    self.assertAllClose(box_targets,
                        [[0, 0, 0, 0], [0, -1.0, 0, 5 * np.log(0.8)]], atol=1e-5)


if __name__ == '__main__':
  tf.test.main()
