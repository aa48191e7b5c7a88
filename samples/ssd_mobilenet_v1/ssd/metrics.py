"""Average precision of detections, in numpy."""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import numpy as np


def iou(box, boxes):
  """Intersection over union of one box [4] with each of boxes [n, 4]."""
  top_left = np.maximum(box[:2], boxes[:, :2])
  bottom_right = np.minimum(box[2:], boxes[:, 2:])
  intersection = np.prod(np.maximum(bottom_right - top_left, 0.0), axis=1)
  area = np.prod(box[2:] - box[:2])
  areas = np.prod(boxes[:, 2:] - boxes[:, :2], axis=1)
  return intersection / (area + areas - intersection)


def average_precision(is_true_positive, scores, num_objects):
  """Area under the precision-recall curve, precision made monotonic."""
  if num_objects == 0:
    return float('nan')
  order = np.argsort(-scores, kind='mergesort')
  true_positives = np.cumsum(is_true_positive[order])
  false_positives = np.cumsum(~is_true_positive[order])
  recall = np.concatenate([[0.0], true_positives / num_objects])
  precision = true_positives / np.maximum(true_positives + false_positives, 1)
  precision = np.maximum.accumulate(precision[::-1])[::-1]
  return float(np.sum(np.diff(recall) * precision))


def average_precisions(detections, examples, num_classes, threshold=0.5):
  """Average precision of each class.

  Args:
    detections: the arrays that postprocess returns, for all images.
    examples: list of dataset.Example with the true boxes.
    num_classes: number of classes without the background.
    threshold: intersection over union that makes a detection a hit.

  Returns:
    A list of floats, nan for a class without objects.
  """
  hits = {c: [] for c in range(1, num_classes + 1)}
  scores = {c: [] for c in range(1, num_classes + 1)}
  num_objects = {c: 0 for c in range(1, num_classes + 1)}
  for i, example in enumerate(examples):
    for label in example.labels:
      num_objects[int(label)] += 1
    taken = set()
    for j in range(int(detections['num_detections'][i])):
      label = int(detections['detection_classes'][i, j])
      overlaps = iou(detections['detection_boxes'][i, j], example.boxes)
      overlaps[example.labels != label] = 0.0
      best = int(np.argmax(overlaps))
      hit = overlaps[best] >= threshold and best not in taken
      if hit:
        taken.add(best)
      hits[label].append(hit)
      scores[label].append(detections['detection_scores'][i, j])
  return [average_precision(np.array(hits[c], dtype=bool), np.array(scores[c]),
                            num_objects[c])
          for c in range(1, num_classes + 1)]
