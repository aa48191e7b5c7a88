"""The multibox loss with hard negative mining."""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import tensorflow as tf


def smooth_l1(difference):
  """0.5 x^2 where |x| < 1, |x| - 0.5 elsewhere."""
  absolute = tf.abs(difference)
  return tf.where(absolute < 1.0, 0.5 * tf.square(difference), absolute - 0.5)


def hard_negatives(background_losses, is_negative, num_negatives):
  """Chooses the negatives with the highest losses, image by image.

  Args:
    background_losses: [batch, num_anchors].
    is_negative: bool [batch, num_anchors], which anchors are candidates.
    num_negatives: int32 [batch], how many to choose.

  Returns:
    bool [batch, num_anchors].
  """
  candidates = tf.where(is_negative, background_losses,
                        -tf.ones_like(background_losses))
  num_anchors = background_losses.shape[1].value
  _, order = tf.nn.top_k(candidates, k=num_anchors)
  # The rank of an anchor is its place in the sorted order.
  ranks = tf.map_fn(tf.invert_permutation, order)
  return tf.logical_and(is_negative, ranks < tf.expand_dims(num_negatives, 1))


def multibox_loss(class_logits, box_encodings, class_targets, box_targets,
                  negatives_per_positive=3, min_negatives=3,
                  localization_weight=1.0, scope=None):
  """Classification and localization loss of a batch.

  Args:
    class_logits: [batch, num_anchors, num_classes + 1].
    box_encodings: [batch, num_anchors, 4].
    class_targets: int32 [batch, num_anchors], 0 is the background.
    box_targets: [batch, num_anchors, 4].
    negatives_per_positive: background anchors counted for each matched one.
    min_negatives: background anchors counted in an image without objects.
    localization_weight: factor of the localization loss.
    scope: name scope.

  Returns:
    Two scalars, both divided by the number of matched anchors.
  """
  with tf.name_scope(scope, 'MultiboxLoss', [class_logits, box_encodings]):
    dtype = class_logits.dtype
    is_positive = class_targets > 0
    positives = tf.cast(is_positive, dtype)
    num_positives = tf.reduce_sum(tf.to_int32(is_positive),
                                  reduction_indices=[1])
    normalizer = tf.maximum(tf.reduce_sum(positives), 1.0)

    cross_entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=class_targets, logits=class_logits)
    # Which negatives are hard is a choice, not something to differentiate.
    negatives = hard_negatives(
        tf.stop_gradient(cross_entropy), tf.logical_not(is_positive),
        tf.maximum(negatives_per_positive * num_positives, min_negatives))
    class_weights = positives + tf.cast(negatives, dtype)
    classification_loss = tf.div(
        tf.reduce_sum(cross_entropy * class_weights), normalizer,
        name='classification_loss')

    anchor_losses = tf.reduce_sum(smooth_l1(box_encodings - box_targets), 2)
    localization_loss = tf.div(
        localization_weight * tf.reduce_sum(anchor_losses * positives),
        normalizer, name='localization_loss')
  return classification_loss, localization_loss
