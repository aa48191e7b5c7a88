"""Boxes relative to anchors, their encoding, and the matching of the two."""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import tensorflow as tf

SCALE_FACTORS = (10.0, 10.0, 5.0, 5.0)
EPSILON = 1e-8


def center_size(boxes):
  """(ymin, xmin, ymax, xmax) to (y, x, height, width), along the last axis."""
  ymin, xmin, ymax, xmax = tf.unstack(boxes, axis=-1)
  height = ymax - ymin
  width = xmax - xmin
  return ymin + 0.5 * height, xmin + 0.5 * width, height, width


def encode(boxes, anchors):
  """Offsets and log sizes of boxes relative to anchors of the same shape."""
  with tf.name_scope('Encode', values=[boxes, anchors]):
    y, x, h, w = center_size(boxes)
    ya, xa, ha, wa = center_size(anchors)
    ty = (y - ya) / ha
    tx = (x - xa) / wa
    th = tf.log(tf.maximum(h, EPSILON) / ha)
    tw = tf.log(tf.maximum(w, EPSILON) / wa)
    return tf.stack([t * s for t, s in zip([ty, tx, th, tw], SCALE_FACTORS)],
                    axis=-1)


def decode(encodings, anchors):
  """The inverse of encode; anchors may lack the batch dimension."""
  with tf.name_scope('Decode', values=[encodings, anchors]):
    ya, xa, ha, wa = center_size(anchors)
    ty, tx, th, tw = [t / s for t, s in
                      zip(tf.unstack(encodings, axis=-1), SCALE_FACTORS)]
    h = tf.exp(th) * ha
    w = tf.exp(tw) * wa
    y = ty * ha + ya
    x = tx * wa + xa
    return tf.stack([y - h / 2, x - w / 2, y + h / 2, x + w / 2], axis=-1)


def iou(boxes1, boxes2):
  """Intersection over union of each pair: [n, 4] and [m, 4] to [n, m]."""
  with tf.name_scope('IOU', values=[boxes1, boxes2]):
    ymin1, xmin1, ymax1, xmax1 = tf.split(boxes1, 4, axis=1)
    ymin2, xmin2, ymax2, xmax2 = tf.split(boxes2, 4, axis=1)
    height = (tf.minimum(ymax1, tf.transpose(ymax2)) -
              tf.maximum(ymin1, tf.transpose(ymin2)))
    width = (tf.minimum(xmax1, tf.transpose(xmax2)) -
             tf.maximum(xmin1, tf.transpose(xmin2)))
    intersection = tf.maximum(height, 0.0) * tf.maximum(width, 0.0)
    area1 = (ymax1 - ymin1) * (xmax1 - xmin1)
    area2 = (ymax2 - ymin2) * (xmax2 - xmin2)
    union = area1 + tf.transpose(area2) - intersection
    return tf.where(tf.equal(intersection, 0.0), tf.zeros_like(intersection),
                    tf.div(intersection, union))


def match(anchors, boxes, threshold=0.5):
  """Finds the box that each anchor has to predict.

  An anchor takes the box that it overlaps most, if by more than the threshold.
  Each box also takes the anchor that overlaps it most, however little.

  Args:
    anchors: [num_anchors, 4].
    boxes: [num_boxes, 4], at least one box.
    threshold: of the intersection over union.

  Returns:
    int32 tensor [num_anchors] of indices into boxes; -1 means background.
  """
  with tf.name_scope('Match', values=[anchors, boxes]):
    overlaps = iou(boxes, anchors)
    best_box = tf.to_int32(tf.argmax(overlaps, axis=0))
    best_overlap = tf.reduce_max(overlaps, axis=0)
    matches = tf.where(best_overlap > threshold, best_box,
                       -tf.ones_like(best_box))

    num_anchors = tf.shape(anchors)[0]
    best_anchor = tf.argmax(overlaps, axis=1, output_type=tf.int32)
    is_best = tf.one_hot(best_anchor, num_anchors)
    forced = tf.argmax(is_best, axis=0, output_type=tf.int32)
    is_forced = tf.reduce_max(is_best, axis=0) > 0
    return tf.where(is_forced, forced, matches)


def assign_targets(anchors, boxes, labels, threshold=0.5):
  """What the network should predict for one image.

  Args:
    anchors: [num_anchors, 4].
    boxes: [num_boxes, 4].
    labels: int32 [num_boxes], from 1 on; 0 is the background.
    threshold: see match.

  Returns:
    class targets, int32 [num_anchors], and box targets, [num_anchors, 4],
    which are 0 for the background.
  """
  matches = match(anchors, boxes, threshold)
  matched = matches >= 0
  index = tf.maximum(matches, 0)
  class_targets = tf.where(matched, tf.gather(labels, index),
                           tf.zeros_like(index))
  box_targets = encode(tf.gather(boxes, index), anchors)
  box_targets *= tf.expand_dims(tf.cast(matched, box_targets.dtype), 1)
  return class_targets, box_targets
