"""Freezes a graph with variables and runs what it wrote."""
import os
import sys
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import graph_util

OUTPUTS = ['logits', 'probabilities']


def build():
  """A linear classifier."""
  images = tf.placeholder(tf.float32, [None, 4], name='images')
  weights = tf.get_variable('weights', [4, 3])
  logits = tf.matmul(images, weights)
  # These names are what the callers know.
  tf.identity(logits, name='logits')
  tf.identity(tf.nn.softmax(logits), name='probabilities')


def freeze(checkpoint, path):
  with tf.Graph().as_default() as graph:
    build()
    saver = tf.train.Saver()
    with tf.Session() as sess:
      saver.restore(sess, checkpoint)
      frozen = graph_util.convert_variables_to_constants(
          sess, graph.as_graph_def(), OUTPUTS)
  with tf.gfile.GFile(path, 'wb') as f:
    f.write(frozen.SerializeToString())


def run(path, images):
  graph = tf.Graph()
  with graph.as_default():
    graph_def = tf.GraphDef()
    with open(path, 'rb') as f:
      graph_def.ParseFromString(f.read())
    tf.import_graph_def(graph_def, name='')
  with tf.Session(graph=graph) as sess:
    return sess.run(['logits:0', 'probabilities:0'], feed_dict={'images:0': images})


def main():
  path = os.path.join(tempfile.mkdtemp(), 'frozen.pb')
  here = os.path.dirname(os.path.abspath(__file__))
  freeze(os.path.join(here, 'model.ckpt'), path)
  logits, probabilities = run(path, np.random.RandomState(0).uniform(-1, 1, [5, 4]))
  np.savez(sys.argv[1], logits=logits, probabilities=probabilities)


if __name__ == '__main__':
  main()
