"""Tests for ssd.anchors."""
import numpy as np
import tensorflow as tf

from ssd import anchors


class AnchorsTest(tf.test.TestCase):

  def test_feature_map_shapes(self):
    self.assertEqual(anchors.feature_map_shapes(300), [19, 10, 5, 3, 2, 1])
    self.assertEqual(anchors.feature_map_shapes(128), [8, 4, 2, 1, 1, 1])

  def test_number_of_anchors(self):
    per_location = anchors.num_anchors_per_location()
    self.assertEqual(per_location, [3, 6, 6, 6, 6, 6])
    cells = [s * s for s in anchors.feature_map_shapes(300)]
    self.assertEqual(anchors.generate(300).shape,
                     (sum(c * n for c, n in zip(cells, per_location)), 4))

  def test_scales_are_evenly_spaced(self):
    scales = anchors.layer_scales()
    self.assertAllClose(np.diff(scales[:-1]), [0.15] * 5)
    self.assertEqual(scales[-1], 1.0)

  def test_first_anchor(self):
    first = anchors.generate(128)[0]
    center = 0.5 / 8
    self.assertAllClose(first, [center - 0.05, center - 0.05,
                                center + 0.05, center + 0.05])

  def test_aspect_ratio_keeps_area(self):
    for shapes, scale in zip(anchors.box_shapes()[1:],
                             anchors.layer_scales()[1:]):
      for height, width in shapes[1:]:
        self.assertAllClose(height * width, scale * scale)


if __name__ == '__main__':
  tf.test.main()
