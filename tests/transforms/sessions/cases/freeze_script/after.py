"""Freezes a graph with variables and runs what it wrote."""
import os
import sys
import tempfile

import numpy as np
import tensorflow as tf
from tf1_support import freezing
from tf1_support import frozen_graph
from tf1_support import scopes
from tf1_support import checkpoint as tf1_checkpoint

OUTPUTS = ['logits', 'probabilities']


def build(images):
  """A linear classifier."""
  weights = scopes.get_variable('weights', [4, 3])
  logits = tf.matmul(images, weights)
  # These names are what the callers know.
  return {'logits': logits, 'probabilities': tf.nn.softmax(logits)}


def freeze(checkpoint, path):
  with scopes.VariableStore().as_default():
    input_signature = [tf.TensorSpec([None, 4], tf.float32, 'images')]
    graph_function = scopes.graph_function(build, input_signature=input_signature)
    graph_function.graph()  # makes the variables
    saver = tf1_checkpoint.Saver()
    saver.restore(checkpoint)
    frozen = freezing.freeze(graph_function, input_signature, output_names=OUTPUTS)
  with tf.io.gfile.GFile(path, 'wb') as f:
    f.write(frozen.SerializeToString())


def run(path, images):
  graph = frozen_graph.FrozenGraph(path)
  return graph.run(['logits:0', 'probabilities:0'], feed_dict={'images:0': images})


def main():
  path = os.path.join(tempfile.mkdtemp(), 'frozen.pb')
  here = os.path.dirname(os.path.abspath(__file__))
  freeze(os.path.join(here, 'model.ckpt'), path)
  logits, probabilities = run(path, np.random.RandomState(0).uniform(-1, 1, [5, 4]))
  np.savez(sys.argv[1], logits=logits, probabilities=probabilities)


if __name__ == '__main__':
  main()
