"""A small detection data set, made up on the spot: coloured shapes on noisy backgrounds."""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import collections
import os

import numpy as np
import tensorflow as tf

CLASS_NAMES = ['background', 'disc', 'square', 'triangle']
NUM_CLASSES = 3
MAX_OBJECTS = 3
NUM_EXAMPLES = {'train': 256, 'val': 32}
SEEDS = {'train': 17, 'val': 4711}

Example = collections.namedtuple('Example', ['image', 'boxes', 'labels'])


def _mask(label, y, x, center_y, center_x, radius):
  """Pixels that belong to a shape."""
  dy, dx = y - center_y, x - center_x
  if label == 1:
    return dy**2 + dx**2 <= radius**2
  if label == 2:
    return np.maximum(np.abs(dy), np.abs(dx)) <= radius
  return (dy <= radius) & (2.0 * np.abs(dx) <= dy + radius)


def _overlaps(box, boxes):
  return any(box[0] < b[2] and b[0] < box[2] and box[1] < b[3] and b[1] < box[3]
             for b in boxes)


def make_example(random, size):
  """Draws one image.

  Args:
    random: a np.random.RandomState.
    size: height and width in pixels.

  Returns:
    An Example: uint8 image [size, size, 3], float32 boxes [n, 4] as (ymin,
    xmin, ymax, xmax) in [0, 1], int32 labels [n] from 1 on.
  """
  image = random.uniform(0, 90, 3) + random.uniform(0, 40, [size, size, 3])
  y, x = np.mgrid[0:size, 0:size] + 0.5
  boxes, labels = [], []
  for _ in range(random.randint(1, MAX_OBJECTS + 1)):
    label = random.randint(1, NUM_CLASSES + 1)
    radius = random.uniform(0.12, 0.25) * size
    center_y, center_x = random.uniform(radius, size - radius, 2)
    color = random.uniform(120, 255, 3)
    box = np.array([center_y - radius, center_x - radius,
                    center_y + radius, center_x + radius]) / size
    if _overlaps(box, boxes):
      continue
    mask = _mask(label, y, x, center_y, center_x, radius)
    image[mask] = color + random.uniform(-15, 15, [mask.sum(), 3])
    boxes.append(box)
    labels.append(label)
  return Example(np.clip(image, 0, 255).astype(np.uint8),
                 np.array(boxes, np.float32), np.array(labels, np.int32))


def make_examples(split, size, count=None):
  """The first examples of a split, the same on every machine."""
  random = np.random.RandomState(SEEDS[split])
  return [make_example(random, size)
          for _ in range(count or NUM_EXAMPLES[split])]


def _bytes_feature(value):
  return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))


def _float_feature(values):
  return tf.train.Feature(float_list=tf.train.FloatList(value=values))


def _int64_feature(values):
  return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def to_tf_example(encoded_png, boxes, labels):
  """A tf.train.Example with the feature names of common detection data."""
  return tf.train.Example(features=tf.train.Features(feature={
      'image/encoded': _bytes_feature(encoded_png),
      'image/format': _bytes_feature(b'png'),
      'image/object/bbox/ymin': _float_feature(boxes[:, 0].tolist()),
      'image/object/bbox/xmin': _float_feature(boxes[:, 1].tolist()),
      'image/object/bbox/ymax': _float_feature(boxes[:, 2].tolist()),
      'image/object/bbox/xmax': _float_feature(boxes[:, 3].tolist()),
      'image/object/class/label': _int64_feature(labels.tolist()),
  }))


def write_records(path, examples):
  """Writes examples to a TFRecord file, the images as PNG."""
  with tf.Graph().as_default():
    image_placeholder = tf.placeholder(tf.uint8, [None, None, 3])
    encode_png = tf.image.encode_png(image_placeholder)
    with tf.Session() as sess:
      with tf.python_io.TFRecordWriter(path) as writer:
        for example in examples:
          png = sess.run(encode_png,
                         feed_dict={image_placeholder: example.image})
          record = to_tf_example(png, example.boxes, example.labels)
          writer.write(record.SerializeToString())


def record_path(data_dir, split, size):
  return os.path.join(data_dir, 'shapes_%s_%d.record' % (split, size))


def maybe_generate(data_dir, split, size, count=None):
  """Writes the TFRecord file of a split unless it is there, returns its path."""
  path = record_path(data_dir, split, size)
  if not tf.gfile.Exists(path):
    tf.gfile.MakeDirs(data_dir)
    tf.logging.info('Writing %s', path)
    # Another process may be reading: the name appears when all is written.
    partial = '%s.%d.partial' % (path, os.getpid())
    write_records(partial, make_examples(split, size, count))
    tf.gfile.Rename(partial, path, overwrite=True)
  return path
