"""The single shot detector on top of MobileNet v1: feature maps and box predictors."""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import tensorflow as tf

from ssd import anchors
from ssd import losses
from ssd import mobilenet_v1

slim = tf.contrib.slim

# Depths of the 1x1 and of the 3x3 stride 2 convolution of each extra layer.
EXTRA_LAYERS = [(256, 512), (128, 256), (128, 256), (64, 128)]


def extract_features(images, depth_multiplier=1.0, min_depth=8):
  """Six feature maps: two of MobileNet, then four of half the size each.

  Args:
    images: [batch, height, width, 3], values in [-1, 1].
    depth_multiplier: factor for the number of channels of every layer.
    min_depth: no layer gets fewer channels than this.

  Returns:
    The list of feature maps, and a dict of all activations by layer name.
  """
  depth = lambda d: max(int(d * depth_multiplier), min_depth)
  with tf.variable_scope('FeatureExtractor', values=[images]):
    net, end_points = mobilenet_v1.mobilenet_v1_base(
        images, depth_multiplier=depth_multiplier, min_depth=min_depth,
        scope='MobilenetV1')
    feature_maps = [end_points['Conv2d_11_pointwise'], net]
    for i, (depth_1x1, depth_3x3) in enumerate(EXTRA_LAYERS):
      name = 'Extra_%d' % (i + 2)
      net = slim.conv2d(net, depth(depth_1x1), [1, 1], scope=name + '_1x1')
      net = slim.conv2d(net, depth(depth_3x3), [3, 3], stride=2,
                        padding='SAME', scope=name + '_3x3_s2')
      end_points[name] = net
      feature_maps.append(net)
  return feature_maps, end_points


def predict_boxes(feature_maps, num_classes):
  """A convolutional box predictor for each feature map.

  Args:
    feature_maps: list of [batch, height_i, width_i, depth_i] tensors.
    num_classes: number of classes without the background.

  Returns:
    box encodings [batch, num_anchors, 4] and class logits [batch, num_anchors,
    num_classes + 1]; class 0 is the background.
  """
  box_encodings = []
  class_logits = []
  per_location = anchors.num_anchors_per_location(len(feature_maps))
  for i, (net, num_anchors) in enumerate(zip(feature_maps, per_location)):
    with tf.variable_scope('BoxPredictor_%d' % i):
      with slim.arg_scope([slim.conv2d], activation_fn=None,
                          normalizer_fn=None, normalizer_params=None):
        boxes = slim.conv2d(net, num_anchors * 4, [1, 1],
                            scope='BoxEncodingPredictor')
        logits = slim.conv2d(net, num_anchors * (num_classes + 1), [1, 1],
                             biases_initializer=tf.zeros_initializer(),
                             scope='ClassPredictor')
      batch_size = tf.shape(net)[0]
      cells = net.shape[1].value * net.shape[2].value
      box_encodings.append(
          tf.reshape(boxes, [batch_size, cells * num_anchors, 4]))
      class_logits.append(
          tf.reshape(logits, [batch_size, cells * num_anchors,
                              num_classes + 1]))
  return (tf.concat(box_encodings, axis=1, name='box_encodings'),
          tf.concat(class_logits, axis=1, name='class_logits'))


def ssd_mobilenet_v1(images,
                     num_classes=3,
                     is_training=True,
                     depth_multiplier=1.0,
                     min_depth=8,
                     weight_decay=0.00004,
                     batch_norm_decay=0.9997,
                     reuse=None):
  """Builds the detector.

  Args:
    images: [batch, size, size, 3], values in [-1, 1], float32 or float64.
    num_classes: number of classes without the background.
    is_training: whether batch norm uses batch statistics.
    depth_multiplier: factor for the number of channels of every layer.
    min_depth: no layer gets fewer channels than this.
    weight_decay: L2 weight decay of the convolutions.
    batch_norm_decay: decay of the moving mean and variance.
    reuse: whether to reuse the variables.

  Returns:
    A dict with 'box_encodings' [batch, num_anchors, 4] and 'class_logits'
    [batch, num_anchors, num_classes + 1], and the dict of end points.
  """
  # The fused kernel exists for float32 only.
  fused = None if images.dtype == tf.float32 else False
  with tf.variable_scope('SSD', values=[images], reuse=reuse):
    with slim.arg_scope(mobilenet_v1.mobilenet_v1_arg_scope(
        is_training=is_training, weight_decay=weight_decay, stddev=0.03,
        batch_norm_decay=batch_norm_decay, fused_batch_norm=fused,
        regularize_depthwise=True)):
      feature_maps, end_points = extract_features(
          images, depth_multiplier=depth_multiplier, min_depth=min_depth)
      box_encodings, class_logits = predict_boxes(feature_maps, num_classes)
  predictions = {
      'box_encodings': box_encodings,
      'class_logits': class_logits,
  }
  return predictions, end_points


def training_losses(images, class_targets, box_targets, **model_args):
  """Builds the detector for training, with its losses.

  Args:
    images: [batch, size, size, 3].
    class_targets: int32 [batch, num_anchors].
    box_targets: [batch, num_anchors, 4].
    **model_args: passed to ssd_mobilenet_v1.

  Returns:
    A dict of scalars: 'classification_loss', 'localization_loss',
    'regularization_loss', and their sum 'total_loss'.
  """
  predictions, _ = ssd_mobilenet_v1(images, is_training=True, **model_args)
  classification_loss, localization_loss = losses.multibox_loss(
      predictions['class_logits'], predictions['box_encodings'],
      class_targets, box_targets)
  regularization_loss = tf.add_n(tf.losses.get_regularization_losses(),
                                 name='regularization_loss')
  total_loss = tf.add_n(
      [classification_loss, localization_loss, regularization_loss],
      name='total_loss')
  return {
      'classification_loss': classification_loss,
      'localization_loss': localization_loss,
      'regularization_loss': regularization_loss,
      'total_loss': total_loss,
  }
