"""Tests for ssd.dataset and ssd.inputs."""
import os

import numpy as np
import tensorflow as tf

from ssd import anchors
from ssd import dataset
from ssd import inputs


class InputsTest(tf.test.TestCase):

  def write(self, examples):
    path = os.path.join(self.get_temp_dir(), 'test.record')
    dataset.write_records(path, examples)
    return path

  def test_examples_are_deterministic(self):
    first = dataset.make_examples('val', 64, 3)
    second = dataset.make_examples('val', 64, 3)
    for a, b in zip(first, second):
      self.assertAllEqual(a.image, b.image)
      self.assertAllEqual(a.boxes, b.boxes)
    self.assertFalse(np.array_equal(first[0].image, first[1].image))

  def test_shape_fills_its_box(self):
    for example in dataset.make_examples('train', 128, 8):
      for box in example.boxes:
        ymin, xmin, ymax, xmax = np.round(box * 128).astype(np.int32)
        inside = example.image[ymin:ymax, xmin:xmax].max(axis=2)
        # Neither the top nor the bottom row of the box is background.
        self.assertGreater(np.sum(inside > 130), 0.4 * inside.size)

  def test_records_round_trip(self):
    examples = dataset.make_examples('val', 48, 2)
    path = self.write(examples)
    iterator = tf.python_io.tf_record_iterator(path)
    for expected in examples:
      image, boxes, labels = inputs.parse_example(tf.constant(next(iterator)))
      with self.test_session() as sess:
        image, boxes, labels = sess.run([image, boxes, labels])
      self.assertAllEqual(image, expected.image)
      self.assertAllClose(boxes, expected.boxes)
      self.assertAllEqual(labels, expected.labels)

  def test_train_input(self):
    path = self.write(dataset.make_examples('train', 64, 6))
    with tf.Graph().as_default():
      batch = inputs.train_input(path, 64, 2, shuffle=False, augment=False)
      with self.test_session() as sess:
        batches = [sess.run(batch) for _ in range(4)]
    images, class_targets, box_targets = batches[0]
    num_anchors = anchors.generate(64).shape[0]
    self.assertEqual(images.shape, (2, 64, 64, 3))
    self.assertEqual(class_targets.shape, (2, num_anchors))
    self.assertEqual(box_targets.shape, (2, num_anchors, 4))
    self.assertLessEqual(np.abs(images).max(), 1.0)
    self.assertTrue((class_targets > 0).any(axis=1).all())
    # The data set begins anew after three batches.
    self.assertAllEqual(batches[3][0], images)
    self.assertFalse(np.array_equal(batches[1][0], images))

  def test_flip_moves_boxes_with_the_image(self):
    image = np.zeros([4, 8, 3], np.float32)
    image[:, :2] = 1.0
    boxes = np.array([[0.0, 0.0, 1.0, 0.25]], np.float32)
    flipped = inputs.random_flip(tf.constant(image), tf.constant(boxes))
    seen = set()
    with self.test_session() as sess:
      for _ in range(40):
        new_image, new_boxes = sess.run(flipped)
        xmin, xmax = new_boxes[0, 1], new_boxes[0, 3]
        seen.add(float(xmin))
        self.assertEqual(new_image[:, int(xmin * 8):int(xmax * 8)].min(), 1.0)
        self.assertEqual(new_image.sum(), image.sum())
    self.assertEqual(seen, {0.0, 0.75})

  def test_preprocess(self):
    image = np.full([1, 20, 30, 3], 255, np.uint8)
    image[:, :, :15] = 0
    with self.test_session():
      result = inputs.preprocess(tf.constant(image), 10).eval()
    self.assertEqual(result.shape, (1, 10, 10, 3))
    self.assertAllClose(result[0, 0, 0], [-1.0] * 3)
    self.assertAllClose(result[0, 0, 9], [1.0] * 3)


if __name__ == '__main__':
  tf.test.main()
