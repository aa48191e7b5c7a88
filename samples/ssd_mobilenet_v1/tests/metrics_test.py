"""Tests for ssd.metrics."""
import numpy as np
import tensorflow as tf

from ssd import dataset
from ssd import metrics


class MetricsTest(tf.test.TestCase):

  def test_average_precision(self):
    hits = np.array([True, False, True])
    scores = np.array([0.9, 0.8, 0.7])
    self.assertAllClose(metrics.average_precision(hits, scores, 2),
                        0.5 * 1.0 + 0.5 * 2.0 / 3)

  def test_missed_object(self):
    self.assertAllClose(
        metrics.average_precision(np.array([True]), np.array([0.9]), 2), 0.5)

  def test_second_detection_of_an_object_is_wrong(self):
    box = [0.1, 0.1, 0.5, 0.5]
    example = dataset.Example(None, np.array([box]), np.array([2]))
    detections = {
        'detection_boxes': np.array([[box, box]]),
        'detection_scores': np.array([[0.9, 0.8]]),
        'detection_classes': np.array([[2.0, 2.0]]),
        'num_detections': np.array([2.0]),
    }
    precisions = metrics.average_precisions(detections, [example], 3)
    self.assertTrue(np.isnan(precisions[0]))
    self.assertAllClose(precisions[1], 1.0)


if __name__ == '__main__':
  tf.test.main()
