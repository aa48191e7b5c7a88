"""Tests for detect and the frozen graph it runs."""
import os

import numpy as np
import tensorflow as tf

import detect
from ssd import dataset
from ssd import metrics

FROZEN_GRAPH = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                            'reference', 'frozen_inference_graph.pb')


class DetectTest(tf.test.TestCase):

  def test_finds_shapes(self):
    detector = detect.Detector(FROZEN_GRAPH)
    found = total = 0
    for example in dataset.make_examples('val', 128, 8):
      boxes, scores, classes = detector.detect(example.image)
      self.assertEqual(boxes.shape, (len(scores), 4))
      for box, label in zip(example.boxes, example.labels):
        total += 1
        same = classes == label
        found += int(np.any(metrics.iou(box, boxes[same]) > 0.5))
    detector.close()
    self.assertGreater(found, 0.7 * total)

  def test_images_of_another_size(self):
    detector = detect.Detector(FROZEN_GRAPH)
    image = dataset.make_examples('val', 200, 1)[0].image[:160]
    boxes, _, _ = detector.detect(image)
    self.assertTrue(np.all((boxes >= 0) & (boxes <= 1)))
    detector.close()

  def test_tensor_names(self):
    graph_def = tf.GraphDef()
    with tf.gfile.GFile(FROZEN_GRAPH, 'rb') as f:
      graph_def.ParseFromString(f.read())
    with tf.Graph().as_default() as graph:
      tf.import_graph_def(graph_def, name='')
      tensor = graph.get_tensor_by_name('image_tensor:0')
      self.assertEqual(tensor.dtype, tf.uint8)
      with self.test_session(graph=graph) as sess:
        images = np.zeros([3, 128, 128, 3], np.uint8)
        num = sess.run('num_detections:0', feed_dict={tensor: images})
    self.assertEqual(num.shape, (3,))

  def test_png_round_trip(self):
    image = dataset.make_examples('val', 32, 1)[0].image
    path = os.path.join(self.get_temp_dir(), 'image.png')
    detect.write_png(path, image)
    self.assertAllEqual(detect.read_png(path), image)

  def test_draw_box(self):
    image = np.zeros([11, 11, 3], np.uint8)
    detect.draw_box(image, np.array([0.0, 0.2, 1.0, 0.8]))
    self.assertEqual(image[0, 5, 0], 255)
    self.assertEqual(image[5, 2, 0], 255)
    self.assertEqual(image[5, 5, 0], 0)


if __name__ == '__main__':
  tf.test.main()
