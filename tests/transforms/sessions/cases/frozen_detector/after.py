"""Runs a frozen graph in the ways in which people did."""
import os
import sys

import numpy as np
from tf1_support import frozen_graph
from tf1_support import gpu

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'frozen.pb')


def load_graph(path):
  # The graph is read once.
  graph = frozen_graph.FrozenGraph(path)
  return graph


class Detector(object):

  def __init__(self, path):
    self._graph = frozen_graph.FrozenGraph(path, prefix='detector')
    self._boxes = 'detector/detection_boxes:0'

  def detect(self, image):
    return self._graph.run(self._boxes, feed_dict={'detector/image_tensor:0': image[np.newaxis]})


def detect_all(sess, images):
  return [sess.run('detection_scores:0', feed_dict={'image_tensor:0': image[np.newaxis]})
          for image in images]


def main():
  random = np.random.RandomState(1)
  images = [random.uniform(0, 1, [side, 12, 3]) for side in (8, 10)]
  gpu.configure_gpus('growth', soft_placement=True)
  graph = load_graph(PATH)
  image_tensor = 'image_tensor:0'
  boxes = 'detection_boxes:0'
  scores = 'detection_scores:0'
  found_boxes, found_scores = graph.run(
      [boxes, scores], feed_dict={image_tensor: images[0][np.newaxis]})
  all_scores = detect_all(graph, images)
  results = {'boxes': found_boxes, 'scores': found_scores, 'class': Detector(PATH).detect(images[1])}
  for i, value in enumerate(all_scores):
    results['scores_%d' % i] = value
  np.savez(sys.argv[1], **results)


if __name__ == '__main__':
  main()
