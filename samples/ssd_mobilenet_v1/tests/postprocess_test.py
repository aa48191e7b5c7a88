"""Tests for ssd.postprocess."""
import numpy as np
import tensorflow as tf

from ssd import postprocess


class PostprocessTest(tf.test.TestCase):

  def setUp(self):
    super(PostprocessTest, self).setUp()
    self.anchors = np.array([[0.0, 0.0, 0.4, 0.4], [0.02, 0.0, 0.42, 0.4],
                             [0.5, 0.5, 0.9, 0.9], [0.6, 0.0, 0.9, 0.3]],
                            np.float32)

  def run_postprocess(self, logits, **kwargs):
    logits = np.array(logits, np.float32)
    with tf.Graph().as_default():
      predictions = {
          'box_encodings': tf.zeros(logits.shape[:2] + (4,)),
          'class_logits': tf.placeholder(tf.float32, logits.shape),
      }
      detections = postprocess.postprocess(predictions, self.anchors, **kwargs)
      with self.test_session() as sess:
        return sess.run(detections,
                        feed_dict={predictions['class_logits']: logits})

  def test_suppresses_overlaps_of_one_class(self):
    result = self.run_postprocess(
        [[[0, 5, 0], [0, 4, 0], [0, 0, 6], [9, 0, 0]]], max_detections=3)
    self.assertAllEqual(result['num_detections'], [2])
    self.assertAllEqual(result['detection_classes'], [[2, 1, 0]])
    self.assertAllClose(result['detection_boxes'][0],
                        [self.anchors[2], self.anchors[0], np.zeros(4)])
    self.assertAllClose(result['detection_scores'][0][2], 0.0)

  def test_keeps_overlaps_of_different_classes(self):
    result = self.run_postprocess(
        [[[0, 5, 0], [0, 0, 4], [9, 0, 0], [9, 0, 0]]], max_detections=4)
    self.assertAllEqual(result['detection_classes'], [[1, 2, 0, 0]])

  def test_at_most_max_detections(self):
    result = self.run_postprocess(
        [[[0, 5, 0], [0, 0, 4], [0, 6, 0], [0, 3, 0]]], max_detections=2)
    self.assertAllEqual(result['num_detections'], [2])
    self.assertAllEqual(result['detection_classes'], [[1, 1]])

  def test_images_of_a_batch_do_not_mix(self):
    background = [[9, 0, 0]] * 4
    result = self.run_postprocess(
        [background, [[9, 0, 0], [9, 0, 0], [9, 0, 0], [0, 0, 7]]])
    self.assertAllEqual(result['num_detections'], [0, 1])
    self.assertAllClose(result['detection_boxes'][1, 0], self.anchors[3])
    self.assertEqual(result['detection_classes'][1, 0], 2)

  def test_boxes_are_clipped(self):
    self.anchors = np.array([[-0.1, -0.2, 0.4, 1.3]], np.float32)
    result = self.run_postprocess([[[0, 5, 0]]])
    self.assertAllClose(result['detection_boxes'][0, 0], [0.0, 0.0, 0.4, 1.0])


if __name__ == '__main__':
  tf.test.main()
