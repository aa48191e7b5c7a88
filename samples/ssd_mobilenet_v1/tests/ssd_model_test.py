"""Tests for ssd.ssd_model."""
import numpy as np
import tensorflow as tf

from ssd import anchors
from ssd import ssd_model


class SsdModelTest(tf.test.TestCase):

  def test_prediction_shapes(self):
    for size in [128, 300]:
      with tf.Graph().as_default():
        images = tf.placeholder(tf.float32, [None, size, size, 3])
        predictions, end_points = ssd_model.ssd_mobilenet_v1(
            images, num_classes=5, is_training=False, depth_multiplier=0.125)
        num_anchors = anchors.generate(size).shape[0]
        self.assertListEqual(
            predictions['box_encodings'].get_shape().as_list(),
            [None, num_anchors, 4])
        self.assertListEqual(
            predictions['class_logits'].get_shape().as_list(),
            [None, num_anchors, 6])
        self.assertIn('Extra_5', end_points)

  def test_feature_maps_fit_the_anchors(self):
    images = tf.random_uniform([1, 300, 300, 3])
    feature_maps, _ = ssd_model.extract_features(images, depth_multiplier=0.125)
    self.assertEqual([f.shape[1].value for f in feature_maps],
                     anchors.feature_map_shapes(300))

  def test_variable_names(self):
    images = tf.placeholder(tf.float32, [None, 128, 128, 3])
    ssd_model.ssd_mobilenet_v1(images, depth_multiplier=0.125)
    names = [v.op.name for v in tf.global_variables()]
    self.assertIn('SSD/FeatureExtractor/MobilenetV1/Conv2d_0/weights', names)
    self.assertIn('SSD/FeatureExtractor/Extra_2_1x1/BatchNorm/gamma', names)
    self.assertIn('SSD/BoxPredictor_5/ClassPredictor/biases', names)

  def test_float64(self):
    images = tf.placeholder(tf.float64, [2, 64, 64, 3])
    predictions, _ = ssd_model.ssd_mobilenet_v1(images, depth_multiplier=0.125)
    self.assertEqual(predictions['class_logits'].dtype, tf.float64)
    for variable in tf.global_variables():
      self.assertEqual(variable.dtype.base_dtype, tf.float64)

  def test_total_loss_is_the_sum_of_its_parts(self):
    num_anchors = anchors.generate(128).shape[0]
    random = np.random.RandomState(0)
    images = tf.placeholder(tf.float32, [2, 128, 128, 3])
    class_targets = tf.placeholder(tf.int32, [2, num_anchors])
    box_targets = tf.placeholder(tf.float32, [2, num_anchors, 4])
    losses = ssd_model.training_losses(images, class_targets, box_targets,
                                       depth_multiplier=0.125)
    feed_dict = {
        images: random.uniform(-1, 1, [2, 128, 128, 3]),
        class_targets: random.randint(0, 4, [2, num_anchors]),
        box_targets: random.normal(size=[2, num_anchors, 4]),
    }
    with self.test_session() as sess:
      sess.run(tf.global_variables_initializer())
      values = sess.run(losses, feed_dict=feed_dict)
    self.assertAllClose(
        values['total_loss'],
        values['classification_loss'] + values['localization_loss'] +
        values['regularization_loss'], rtol=1e-5)


if __name__ == '__main__':
  tf.test.main()
