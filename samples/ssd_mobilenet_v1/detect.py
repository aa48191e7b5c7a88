"""Detects objects with a frozen graph, in image files or in made-up images.

  python detect.py --frozen_graph=/tmp/ssd_mobilenet_v1/frozen_inference_graph.pb
  python detect.py --frozen_graph=frozen.pb --images='photos/*.png' --annotate_dir=out
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import os

import numpy as np
import tensorflow as tf

from ssd import dataset

flags = tf.app.flags

flags.DEFINE_string('frozen_graph', 'reference/frozen_inference_graph.pb', 'Frozen graph to run.')
flags.DEFINE_string('images', '', 'Pattern of PNG files; without it images are made up.')
flags.DEFINE_integer('num_images', 4, 'How many images to make up.')
flags.DEFINE_integer('image_size', 128, 'Height and width of made-up images.')
flags.DEFINE_float('min_score', 0.5, 'Less likely detections are not shown.')
flags.DEFINE_string('output', '', 'Writes all detections to this .npz file.')
flags.DEFINE_string('annotate_dir', '', 'Writes the images with their boxes here.')
flags.DEFINE_float('gpu_memory_fraction', 0.5, 'Share of the GPU memory to take.')

FLAGS = flags.FLAGS


class Detector(object):
  """A frozen detection graph and the session that runs it."""

  def __init__(self, frozen_graph_path, gpu_memory_fraction=0.5):
    self.graph = tf.Graph()
    with self.graph.as_default():
      graph_def = tf.GraphDef()
      with tf.gfile.GFile(frozen_graph_path, 'rb') as f:
        graph_def.ParseFromString(f.read())
      tf.import_graph_def(graph_def, name='')
    config = tf.ConfigProto()
    config.gpu_options.per_process_gpu_memory_fraction = gpu_memory_fraction
    self.sess = tf.Session(graph=self.graph, config=config)
    self.image_tensor = self.graph.get_tensor_by_name('image_tensor:0')
    self.boxes = self.graph.get_tensor_by_name('detection_boxes:0')
    self.scores = self.graph.get_tensor_by_name('detection_scores:0')
    self.classes = self.graph.get_tensor_by_name('detection_classes:0')
    self.num_detections = self.graph.get_tensor_by_name('num_detections:0')

  def detect(self, image):
    """Returns boxes [n, 4], scores [n] and classes [n] of one uint8 image."""
    boxes, scores, classes, num = self.sess.run(
        [self.boxes, self.scores, self.classes, self.num_detections],
        feed_dict={self.image_tensor: np.expand_dims(image, 0)})
    count = int(num[0])
    return boxes[0][:count], scores[0][:count], classes[0][:count].astype(np.int32)

  def close(self):
    self.sess.close()


def read_png(path):
  """A PNG file as a uint8 array [height, width, 3]."""
  with tf.Graph().as_default():
    image = tf.image.decode_png(tf.read_file(path), channels=3)
    with tf.Session() as sess:
      return sess.run(image)


def write_png(path, image):
  with tf.Graph().as_default():
    write = tf.write_file(path, tf.image.encode_png(tf.constant(image)))
    with tf.Session() as sess:
      sess.run(write)


def load_images():
  """Yields the name and the pixels of each image."""
  if FLAGS.images:
    for path in sorted(tf.gfile.Glob(FLAGS.images)):
      yield os.path.basename(path), read_png(path)
  else:
    examples = dataset.make_examples('val', FLAGS.image_size, FLAGS.num_images)
    for i, example in enumerate(examples):
      yield 'shapes_%02d.png' % i, example.image


def draw_box(image, box, color=(255, 255, 255)):
  """Draws the outline of a box into the image, in place."""
  height, width = image.shape[:2]
  ymin, xmin, ymax, xmax = box * [height - 1, width - 1, height - 1, width - 1]
  ymin, xmin, ymax, xmax = int(ymin), int(xmin), int(ymax), int(xmax)
  image[[ymin, ymax], xmin:xmax + 1] = color
  image[ymin:ymax + 1, [xmin, xmax]] = color


def main(_):
  detector = Detector(FLAGS.frozen_graph, FLAGS.gpu_memory_fraction)
  results = {}
  for name, image in load_images():
    boxes, scores, classes = detector.detect(image)
    results[name + '/boxes'] = boxes
    results[name + '/scores'] = scores
    results[name + '/classes'] = classes
    print('%s: %d objects' % (name, np.sum(scores >= FLAGS.min_score)))
    annotated = image.copy()
    for box, score, label in zip(boxes, scores, classes):
      if score >= FLAGS.min_score:
        print('  %-10s %.3f  [%.3f %.3f %.3f %.3f]' % (
            (dataset.CLASS_NAMES[label], score) + tuple(box)))
        draw_box(annotated, box)
    if FLAGS.annotate_dir:
      tf.gfile.MakeDirs(FLAGS.annotate_dir)
      write_png(os.path.join(FLAGS.annotate_dir, name), annotated)
  if FLAGS.output:
    np.savez_compressed(FLAGS.output, **results)
  detector.close()


if __name__ == '__main__':
  tf.logging.set_verbosity(tf.logging.INFO)
  tf.app.run()
