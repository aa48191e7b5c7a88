"""MobileNet v1 (Howard et al., 2017) in TF-Slim, as a feature extractor and as a classifier."""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

from collections import namedtuple

import tensorflow as tf

slim = tf.contrib.slim

# One full convolution at the bottom, then depthwise separable blocks.
Conv = namedtuple('Conv', ['kernel', 'stride', 'depth'])
DepthSepConv = namedtuple('DepthSepConv', ['kernel', 'stride', 'depth'])

CONV_DEFS = [
    Conv(kernel=3, stride=2, depth=32),
    DepthSepConv(kernel=3, stride=1, depth=64),
    DepthSepConv(kernel=3, stride=2, depth=128),
    DepthSepConv(kernel=3, stride=1, depth=128),
    DepthSepConv(kernel=3, stride=2, depth=256),
    DepthSepConv(kernel=3, stride=1, depth=256),
    DepthSepConv(kernel=3, stride=2, depth=512),
    DepthSepConv(kernel=3, stride=1, depth=512),
    DepthSepConv(kernel=3, stride=1, depth=512),
    DepthSepConv(kernel=3, stride=1, depth=512),
    DepthSepConv(kernel=3, stride=1, depth=512),
    DepthSepConv(kernel=3, stride=1, depth=512),
    DepthSepConv(kernel=3, stride=2, depth=1024),
    DepthSepConv(kernel=3, stride=1, depth=1024),
]


def mobilenet_v1_base(inputs,
                      final_endpoint='Conv2d_13_pointwise',
                      depth_multiplier=1.0,
                      min_depth=8,
                      scope=None):
  """Builds the convolutional part of the network.

  Args:
    inputs: a [batch, height, width, channels] tensor.
    final_endpoint: name of the layer after which to stop.
    depth_multiplier: factor for the number of channels of every layer.
    min_depth: no layer gets fewer channels than this.
    scope: variable scope, 'MobilenetV1' by default.

  Returns:
    The last activation, and a dict of all activations by layer name.

  Raises:
    ValueError: there is no layer with the name final_endpoint, or the
      multiplier is not positive.
  """
  if depth_multiplier <= 0:
    raise ValueError('depth_multiplier must be positive, got %s' %
                     depth_multiplier)
  depth = lambda d: max(int(d * depth_multiplier), min_depth)
  end_points = {}

  with tf.variable_scope(scope, 'MobilenetV1', [inputs]):
    with slim.arg_scope([slim.conv2d, slim.separable_conv2d], padding='SAME'):
      net = inputs
      for i, conv_def in enumerate(CONV_DEFS):
        name = 'Conv2d_%d' % i
        if isinstance(conv_def, Conv):
          net = slim.conv2d(net, depth(conv_def.depth),
                            [conv_def.kernel, conv_def.kernel],
                            stride=conv_def.stride, scope=name)
          end_points[name] = net
          if name == final_endpoint:
            return net, end_points
        else:
          # num_outputs=None leaves the pointwise half out of the separable
          # convolution, so that each half gets its own batch norm.
          net = slim.separable_conv2d(net, None,
                                      [conv_def.kernel, conv_def.kernel],
                                      depth_multiplier=1,
                                      stride=conv_def.stride,
                                      scope=name + '_depthwise')
          end_points[name + '_depthwise'] = net
          if name + '_depthwise' == final_endpoint:
            return net, end_points
          net = slim.conv2d(net, depth(conv_def.depth), [1, 1], stride=1,
                            scope=name + '_pointwise')
          end_points[name + '_pointwise'] = net
          if name + '_pointwise' == final_endpoint:
            return net, end_points
  raise ValueError('Unknown final endpoint %s' % final_endpoint)


def mobilenet_v1(inputs,
                 num_classes=1000,
                 is_training=True,
                 depth_multiplier=1.0,
                 min_depth=8,
                 dropout_keep_prob=0.999,
                 prediction_fn=tf.nn.softmax,
                 reuse=None,
                 scope='MobilenetV1'):
  """The image classifier: base network, global average pooling and logits.

  Returns:
    logits of shape [batch, num_classes], and the dict of end points with
    'Logits' and 'Predictions' added.
  """
  if inputs.get_shape().ndims != 4:
    raise ValueError('Expected images of rank 4, got rank %s' %
                     inputs.get_shape().ndims)
  with tf.variable_scope(scope, 'MobilenetV1', [inputs], reuse=reuse) as sc:
    with slim.arg_scope([slim.batch_norm, slim.dropout],
                        is_training=is_training):
      net, end_points = mobilenet_v1_base(
          inputs, depth_multiplier=depth_multiplier, min_depth=min_depth,
          scope=sc)
      with tf.variable_scope('Logits'):
        net = tf.reduce_mean(net, [1, 2], keep_dims=True, name='global_pool')
        end_points['global_pool'] = net
        net = slim.dropout(net, keep_prob=dropout_keep_prob,
                           scope='Dropout_1b')
        logits = slim.conv2d(net, num_classes, [1, 1], activation_fn=None,
                             normalizer_fn=None, scope='Conv2d_1c_1x1')
        logits = tf.squeeze(logits, [1, 2], name='SpatialSqueeze')
      end_points['Logits'] = logits
      end_points['Predictions'] = prediction_fn(logits, name='Predictions')
  return logits, end_points


def mobilenet_v1_arg_scope(is_training=True,
                           weight_decay=0.00004,
                           stddev=0.09,
                           batch_norm_decay=0.9997,
                           batch_norm_epsilon=0.001,
                           fused_batch_norm=None,
                           regularize_depthwise=False):
  """Default arguments of the layers.

  Args:
    is_training: whether batch norm uses (and updates by) batch statistics.
    weight_decay: L2 weight decay of the convolutions.
    stddev: standard deviation of the initial weights.
    batch_norm_decay: decay of the moving mean and variance.
    batch_norm_epsilon: added to the variance.
    fused_batch_norm: passed to slim.batch_norm as `fused`.
    regularize_depthwise: whether depthwise weights decay, too.

  Returns:
    an arg_scope.
  """
  batch_norm_params = {
      'is_training': is_training,
      'center': True,
      'scale': True,
      'decay': batch_norm_decay,
      'epsilon': batch_norm_epsilon,
      'fused': fused_batch_norm,
  }
  weights_init = tf.truncated_normal_initializer(stddev=stddev)
  regularizer = slim.l2_regularizer(weight_decay)
  depthwise_regularizer = regularizer if regularize_depthwise else None
  with slim.arg_scope([slim.conv2d, slim.separable_conv2d],
                      weights_initializer=weights_init,
                      activation_fn=tf.nn.relu6,
                      normalizer_fn=slim.batch_norm):
    with slim.arg_scope([slim.batch_norm], **batch_norm_params):
      with slim.arg_scope([slim.conv2d], weights_regularizer=regularizer):
        with slim.arg_scope([slim.separable_conv2d],
                            weights_regularizer=depthwise_regularizer) as sc:
          return sc
