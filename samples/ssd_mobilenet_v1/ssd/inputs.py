"""Input pipeline: TFRecords to batches of images and training targets."""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import tensorflow as tf

from ssd import anchors as anchor_lib
from ssd import box_coder


def parse_example(serialized):
  """Returns the uint8 image, boxes [n, 4] and int32 labels [n] of a record."""
  features = tf.parse_single_example(serialized, {
      'image/encoded': tf.FixedLenFeature([], tf.string),
      'image/object/bbox/ymin': tf.VarLenFeature(tf.float32),
      'image/object/bbox/xmin': tf.VarLenFeature(tf.float32),
      'image/object/bbox/ymax': tf.VarLenFeature(tf.float32),
      'image/object/bbox/xmax': tf.VarLenFeature(tf.float32),
      'image/object/class/label': tf.VarLenFeature(tf.int64),
  })
  image = tf.image.decode_png(features['image/encoded'], channels=3)
  boxes = tf.stack(
      [tf.sparse_tensor_to_dense(features['image/object/bbox/' + side])
       for side in ['ymin', 'xmin', 'ymax', 'xmax']], axis=1)
  labels = tf.sparse_tensor_to_dense(features['image/object/class/label'])
  return image, boxes, tf.to_int32(labels)


def preprocess(image, image_size, dtype=tf.float32):
  """Any uint8 image or batch of them to a square one with values in [-1, 1]."""
  image = tf.image.resize_images(tf.to_float(image), [image_size, image_size])
  return tf.cast(image, dtype) * (2.0 / 255.0) - 1.0


def random_flip(image, boxes):
  """Mirrors the image and its boxes, every other time."""
  def flipped():
    ymin, xmin, ymax, xmax = tf.unstack(boxes, axis=1)
    return (tf.reverse(image, axis=[1]),
            tf.stack([ymin, 1.0 - xmax, ymax, 1.0 - xmin], axis=1))

  return tf.cond(tf.less(tf.random_uniform([]), 0.5),
                 flipped, lambda: (tf.identity(image), tf.identity(boxes)))


def train_input(path, image_size, batch_size, shuffle=True, augment=True,
                dtype=tf.float32, seed=None):
  """Endless batches for training.

  Args:
    path: TFRecord file.
    image_size: height and width that the network takes.
    batch_size: images in a batch.
    shuffle: whether the order is random.
    augment: whether images are mirrored at random.
    dtype: of the images and box targets.
    seed: seed of the order.

  Returns:
    images [batch, image_size, image_size, 3], class targets int32 [batch,
    num_anchors], box targets [batch, num_anchors, 4].
  """
  anchors = anchor_lib.generate(image_size)

  def parse(serialized):
    image, boxes, labels = parse_example(serialized)
    if augment:
      image, boxes = random_flip(image, boxes)
    class_targets, box_targets = box_coder.assign_targets(
        tf.constant(anchors, dtype), tf.cast(boxes, dtype), labels)
    class_targets.set_shape([anchors.shape[0]])
    box_targets.set_shape([anchors.shape[0], 4])
    return preprocess(image, image_size, dtype), class_targets, box_targets

  dataset = tf.data.TFRecordDataset(path)
  if shuffle:
    dataset = dataset.shuffle(buffer_size=256, seed=seed)
  dataset = dataset.repeat()
  dataset = dataset.map(parse, num_parallel_calls=2)
  dataset = dataset.batch(batch_size, drop_remainder=True)
  dataset = dataset.prefetch(2)
  iterator = dataset.make_one_shot_iterator()
  images, class_targets, box_targets = iterator.get_next()
  return images, class_targets, box_targets
