"""A small TF1 network, with its training loss."""
import tensorflow as tf

from tf1_support import slim
from tf1_support.scopes import get_collection, GraphKeys


def network(images, is_training=True):
  params = {'is_training': is_training, 'decay': 0.9, 'scale': True,
            'fused': None if images.dtype == tf.float32 else False}
  with slim.arg_scope([slim.conv2d], normalizer_fn=slim.batch_norm,
                      normalizer_params=params,
                      weights_regularizer=slim.l2_regularizer(0.001)):
    net = slim.conv2d(images, 4, [3, 3], scope='conv1')
  net = tf.reduce_mean(net, [1, 2], keepdims=True)
  logits = slim.conv2d(net, 3, [1, 1], activation_fn=None, scope='logits')
  return {'logits': tf.squeeze(logits, [1, 2]), 'pooled': net}


def training_loss(images, labels):
  logits = network(images, is_training=True)['logits']
  loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
      labels=labels, logits=logits))
  total = loss + tf.add_n(get_collection(GraphKeys.REGULARIZATION_LOSSES))
  return {'loss': loss, 'total': total}
