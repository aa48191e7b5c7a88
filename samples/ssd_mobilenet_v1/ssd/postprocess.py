"""From the network's predictions to detections: decoding and non-max suppression."""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import tensorflow as tf

from ssd import box_coder


def detections_of_image(boxes, scores, max_detections, score_threshold,
                        iou_threshold):
  """Non-max suppression, class by class, in one image.

  Args:
    boxes: [num_anchors, 4].
    scores: [num_anchors, num_classes], without the background.
    max_detections: how many detections to return, the missing ones all 0.
    score_threshold: less likely boxes are dropped.
    iou_threshold: boxes of a class that overlap more than this are one object.

  Returns:
    boxes [max_detections, 4], scores [max_detections], classes
    [max_detections] (float32, from 1 on) and their number (float32), the most
    likely first.
  """
  class_boxes, class_scores, class_ids = [], [], []
  for i, column in enumerate(tf.unstack(scores, axis=1)):
    selected = tf.image.non_max_suppression(
        boxes, column, max_detections, iou_threshold=iou_threshold,
        score_threshold=score_threshold)
    class_boxes.append(tf.gather(boxes, selected))
    class_scores.append(tf.gather(column, selected))
    class_ids.append(tf.fill(tf.shape(selected), i + 1.0))
  boxes = tf.concat(class_boxes, axis=0)
  scores = tf.concat(class_scores, axis=0)
  classes = tf.concat(class_ids, axis=0)

  num_detections = tf.minimum(tf.shape(scores)[0], max_detections)
  scores, order = tf.nn.top_k(scores, k=num_detections)
  missing = max_detections - num_detections
  boxes = tf.pad(tf.gather(boxes, order), [[0, missing], [0, 0]])
  classes = tf.pad(tf.gather(classes, order), [[0, missing]])
  scores = tf.pad(scores, [[0, missing]])
  boxes.set_shape([max_detections, 4])
  classes.set_shape([max_detections])
  scores.set_shape([max_detections])
  return boxes, scores, classes, tf.to_float(num_detections)


def postprocess(predictions, anchors, max_detections=20, score_threshold=0.3,
                iou_threshold=0.5):
  """Detections of a batch.

  Args:
    predictions: 'box_encodings' and 'class_logits', see ssd_model.
    anchors: [num_anchors, 4].
    max_detections: per image.
    score_threshold: less likely boxes are dropped.
    iou_threshold: of the non-max suppression.

  Returns:
    A dict: 'detection_boxes' [batch, max_detections, 4] clipped to the image,
    'detection_scores' and 'detection_classes' [batch, max_detections],
    'num_detections' [batch]; all float32.
  """
  with tf.name_scope('Postprocessor'):
    boxes = box_coder.decode(predictions['box_encodings'],
                             tf.constant(anchors))
    boxes = tf.clip_by_value(boxes, 0.0, 1.0)
    scores = tf.nn.softmax(predictions['class_logits'])[:, :, 1:]

    def image_fn(args):
      return detections_of_image(args[0], args[1], max_detections,
                                 score_threshold, iou_threshold)

    boxes, scores, classes, num = tf.map_fn(
        image_fn, (boxes, scores),
        dtype=(tf.float32, tf.float32, tf.float32, tf.float32))
  return {
      'detection_boxes': boxes,
      'detection_scores': scores,
      'detection_classes': classes,
      'num_detections': num,
  }
