"""Anchor boxes of the single shot detector (Liu et al., 2016, section 2.2)."""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import math

import numpy as np

NUM_LAYERS = 6
MIN_SCALE = 0.2
MAX_SCALE = 0.95
ASPECT_RATIOS = (1.0, 2.0, 1.0 / 2, 3.0, 1.0 / 3)


def layer_scales(num_layers=NUM_LAYERS, min_scale=MIN_SCALE,
                 max_scale=MAX_SCALE):
  """Scales of all layers, and 1.0 as the one after the last."""
  scales = [min_scale + (max_scale - min_scale) * i / (num_layers - 1)
            for i in range(num_layers)]
  return scales + [1.0]


def box_shapes(num_layers=NUM_LAYERS):
  """(height, width) of the boxes at each cell, one list for each layer.

  The first layer has three boxes: its cells are many, and small.
  """
  scales = layer_scales(num_layers)
  shapes = []
  for layer in range(num_layers):
    scale, next_scale = scales[layer], scales[layer + 1]
    if layer == 0:
      layer_shapes = [(0.1, 0.1)]
      ratios = (2.0, 0.5)
    else:
      between = math.sqrt(scale * next_scale)
      layer_shapes = [(between, between)]
      ratios = ASPECT_RATIOS
    for ratio in ratios:
      root = math.sqrt(ratio)
      layer_shapes.append((scale / root, scale * root))
    shapes.append(layer_shapes)
  return shapes


def num_anchors_per_location(num_layers=NUM_LAYERS):
  """How many boxes each cell of each layer predicts."""
  return [len(shapes) for shapes in box_shapes(num_layers)]


def feature_map_shapes(image_size, num_layers=NUM_LAYERS):
  """Heights of the (square) feature maps for a square image.

  The first lies at stride 16, each further one at twice the stride.
  """
  size = image_size
  for _ in range(4):
    size = int(math.ceil(size / 2))
  shapes = []
  for _ in range(num_layers):
    shapes.append(size)
    size = int(math.ceil(size / 2))
  return shapes


def generate(image_size, num_layers=NUM_LAYERS):
  """All anchors of an image.

  Args:
    image_size: height and width of the image, in pixels.
    num_layers: number of feature maps.

  Returns:
    A float32 array [num_anchors, 4] of (ymin, xmin, ymax, xmax), in units of
    the image's size, in the order in which the predictions are concatenated.
  """
  boxes = []
  for size, shapes in zip(feature_map_shapes(image_size, num_layers),
                          box_shapes(num_layers)):
    centers = (np.arange(size) + 0.5) / size
    y, x = np.meshgrid(centers, centers, indexing='ij')
    heights = np.array([s[0] for s in shapes])
    widths = np.array([s[1] for s in shapes])
    y = y.reshape(-1, 1)
    x = x.reshape(-1, 1)
    corners = np.stack([y - heights / 2, x - widths / 2,
                        y + heights / 2, x + widths / 2], axis=-1)
    boxes.append(corners.reshape(-1, 4))
  return np.concatenate(boxes).astype(np.float32)
