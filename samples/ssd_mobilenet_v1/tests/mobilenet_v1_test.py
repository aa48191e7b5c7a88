"""Tests for ssd.mobilenet_v1."""
import numpy as np
import tensorflow as tf

from ssd import mobilenet_v1

slim = tf.contrib.slim


class MobilenetV1Test(tf.test.TestCase):

  def test_classifier_shapes(self):
    inputs = tf.random_uniform((5, 224, 224, 3))
    logits, end_points = mobilenet_v1.mobilenet_v1(inputs, 10,
                                                   depth_multiplier=0.25)
    self.assertIn('Logits', end_points)
    self.assertListEqual(logits.get_shape().as_list(), [5, 10])
    self.assertIn('Predictions', end_points)
    self.assertListEqual(end_points['Predictions'].get_shape().as_list(),
                         [5, 10])

  def test_end_points_of_the_base(self):
    inputs = tf.random_uniform((2, 64, 64, 3))
    net, end_points = mobilenet_v1.mobilenet_v1_base(inputs,
                                                     depth_multiplier=0.5)
    self.assertListEqual(net.get_shape().as_list(), [2, 2, 2, 512])
    self.assertEqual(len(end_points), 1 + 2 * 13)
    expected = {
        'Conv2d_0': [2, 32, 32, 16],
        'Conv2d_1_depthwise': [2, 32, 32, 16],
        'Conv2d_1_pointwise': [2, 32, 32, 32],
        'Conv2d_6_pointwise': [2, 4, 4, 256],
        'Conv2d_11_pointwise': [2, 4, 4, 256],
        'Conv2d_12_depthwise': [2, 2, 2, 256],
    }
    for name, shape in expected.items():
      self.assertListEqual(end_points[name].get_shape().as_list(), shape)

  def test_final_endpoint(self):
    inputs = tf.random_uniform((1, 32, 32, 3))
    for name in ['Conv2d_0', 'Conv2d_3_depthwise', 'Conv2d_5_pointwise']:
      with tf.Graph().as_default():
        inputs = tf.random_uniform((1, 32, 32, 3))
        net, end_points = mobilenet_v1.mobilenet_v1_base(
            inputs, final_endpoint=name, depth_multiplier=0.125)
        self.assertIs(net, end_points[name])

  def test_unknown_endpoint(self):
    inputs = tf.random_uniform((1, 32, 32, 3))
    with self.assertRaises(ValueError):
      mobilenet_v1.mobilenet_v1_base(inputs, final_endpoint='Mixed_7c',
                                     depth_multiplier=0.125)

  def test_invalid_depth_multiplier(self):
    inputs = tf.random_uniform((1, 32, 32, 3))
    with self.assertRaisesRegexp(ValueError, 'must be positive'):
      mobilenet_v1.mobilenet_v1_base(inputs, depth_multiplier=0)

  def test_min_depth(self):
    inputs = tf.random_uniform((1, 32, 32, 3))
    _, end_points = mobilenet_v1.mobilenet_v1_base(
        inputs, depth_multiplier=0.125, min_depth=12)
    self.assertEqual(end_points['Conv2d_0'].shape[3].value, 12)

  def test_variables(self):
    inputs = tf.random_uniform((1, 32, 32, 3))
    with slim.arg_scope(mobilenet_v1.mobilenet_v1_arg_scope()):
      mobilenet_v1.mobilenet_v1_base(inputs, depth_multiplier=0.25)
    names = [v.op.name for v in slim.get_model_variables()]
    self.assertIn('MobilenetV1/Conv2d_0/weights', names)
    self.assertIn('MobilenetV1/Conv2d_1_depthwise/depthwise_weights', names)
    self.assertIn('MobilenetV1/Conv2d_13_pointwise/BatchNorm/moving_mean', names)
    # The first layer, and two halves of 13 more: weights and four of batch norm.
    self.assertEqual(len(names), 27 * 5)
    self.assertEqual(len(tf.trainable_variables()), 27 * 3)
    self.assertEqual(len(tf.get_collection(tf.GraphKeys.UPDATE_OPS)), 27 * 2)
    # Depthwise weights do not decay by default.
    self.assertEqual(len(tf.losses.get_regularization_losses()), 14)

  def test_train_then_eval_with_reuse(self):
    train_inputs = tf.random_uniform((4, 64, 64, 3))
    eval_inputs = tf.random_uniform((2, 64, 64, 3))
    mobilenet_v1.mobilenet_v1(train_inputs, 10, depth_multiplier=0.125)
    logits, _ = mobilenet_v1.mobilenet_v1(eval_inputs, 10, is_training=False,
                                          depth_multiplier=0.125, reuse=True)
    predictions = tf.argmax(logits, 1)
    with self.test_session() as sess:
      sess.run(tf.global_variables_initializer())
      output = sess.run(predictions)
    self.assertEqual(output.shape, (2,))

  def test_batch_norm_learns_only_in_training(self):
    values = np.random.RandomState(1).uniform(-1, 1, [2, 32, 32, 3])
    images = tf.constant(values, tf.float32)
    with slim.arg_scope(mobilenet_v1.mobilenet_v1_arg_scope(
        is_training=True, batch_norm_decay=0.5)):
      mobilenet_v1.mobilenet_v1_base(images, final_endpoint='Conv2d_0',
                                     depth_multiplier=0.25)
    moving_mean = [v for v in tf.global_variables()
                   if v.op.name.endswith('Conv2d_0/BatchNorm/moving_mean')][0]
    update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    with self.test_session() as sess:
      sess.run(tf.global_variables_initializer())
      sess.run(update_ops)
      self.assertGreater(np.abs(sess.run(moving_mean)).max(), 1e-4)


if __name__ == '__main__':
  tf.test.main()
