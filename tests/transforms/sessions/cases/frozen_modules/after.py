"""Detects in images with a frozen graph: in a loop, with masks, and in threads."""
import os
import sys
from queue import Queue
from threading import Thread

import numpy as np

import graph_utils
from inference import detect_objects
from inference import run_inference_for_single_image

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'frozen.pb')
detection_graph = graph_utils.load_graph(PATH)


def worker(input_q, output_q, graph):
  # Each thread has a session of its own.
  while True:
    item = input_q.get()
    if item is None:
      break
    index, image = item
    output_q.put((index, detect_objects(image, graph, graph)))


def threaded(images):
  input_q, output_q = Queue(maxsize=2), Queue()
  threads = [Thread(target=worker, args=(input_q, output_q, detection_graph))
             for _ in range(2)]
  for thread in threads:
    thread.daemon = True
    thread.start()
  for item in enumerate(images):
    input_q.put(item)
  for _ in threads:
    input_q.put(None)
  for thread in threads:
    thread.join()
  found = dict(output_q.get() for _ in images)
  return [found[index] for index in range(len(images))]


def in_a_loop(images):
  graph, sess = graph_utils.load_inference_graph(PATH)
  return [detect_objects(image, sess, graph) for image in images]


def show(images):
  totals = []
  for image in images:
    (boxes, num) = detection_graph.run(
        ['detection_boxes:0', 'num_detections:0'],
        feed_dict={'image_tensor:0': image[np.newaxis]})
    totals.append(boxes.sum() + num[0])
  return totals


def main(output):
  random = np.random.RandomState(4)
  images = [random.uniform(0, 1, [side, 12, 3]) for side in (8, 10, 14)]
  results = {'totals': show(images)}
  for index, (boxes, scores) in enumerate(threaded(images)):
    results['thread_boxes_%d' % index] = boxes
    results['thread_scores_%d' % index] = scores
  for index, (boxes, scores) in enumerate(in_a_loop(images)):
    results['loop_boxes_%d' % index] = boxes
  for index, image in enumerate(images):
    for key, value in run_inference_for_single_image(image, detection_graph).items():
      results['%s_%d' % (key, index)] = value
  np.savez(output, **results)


if __name__ == '__main__':
  main(sys.argv[1])
