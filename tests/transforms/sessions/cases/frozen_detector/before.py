"""Runs a frozen graph in the ways in which people did."""
import os
import sys

import numpy as np
import tensorflow as tf

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'frozen.pb')


def load_graph(path):
  # The graph is read once.
  graph = tf.Graph()
  with graph.as_default():
    od_graph_def = tf.GraphDef()
    with tf.gfile.GFile(path, 'rb') as fid:
      serialized_graph = fid.read()
      od_graph_def.ParseFromString(serialized_graph)
      tf.import_graph_def(od_graph_def, name='')
  return graph


class Detector(object):

  def __init__(self, path):
    with tf.gfile.FastGFile(path, 'rb') as f:
      graph_def = tf.GraphDef()
      graph_def.ParseFromString(f.read())
    self._graph = tf.Graph()
    with self._graph.as_default():
      tf.import_graph_def(graph_def, name='detector')
    config = tf.ConfigProto(allow_soft_placement=True)
    config.gpu_options.allow_growth = True
    self._sess = tf.Session(graph=self._graph, config=config)
    self._boxes = self._graph.get_tensor_by_name('detector/detection_boxes:0')

  def detect(self, image):
    return self._sess.run(self._boxes, feed_dict={'detector/image_tensor:0': image[np.newaxis]})


def detect_all(sess, images):
  return [sess.run('detection_scores:0', feed_dict={'image_tensor:0': image[np.newaxis]})
          for image in images]


def main():
  random = np.random.RandomState(1)
  images = [random.uniform(0, 1, [side, 12, 3]) for side in (8, 10)]
  graph = load_graph(PATH)
  with graph.as_default():
    with tf.Session(graph=graph) as sess:
      image_tensor = graph.get_tensor_by_name('image_tensor:0')
      boxes = graph.get_tensor_by_name('detection_boxes:0')
      scores = graph.get_tensor_by_name('detection_scores:0')
      found_boxes, found_scores = sess.run(
          [boxes, scores], feed_dict={image_tensor: images[0][np.newaxis]})
      all_scores = detect_all(sess, images)
  results = {'boxes': found_boxes, 'scores': found_scores, 'class': Detector(PATH).detect(images[1])}
  for i, value in enumerate(all_scores):
    results['scores_%d' % i] = value
  np.savez(sys.argv[1], **results)


if __name__ == '__main__':
  main()
