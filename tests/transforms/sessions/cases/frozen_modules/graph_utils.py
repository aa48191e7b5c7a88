"""Loads frozen detection graphs."""
import tensorflow as tf


def load_graph(path):
  """The graph in the file at `path`."""
  detection_graph = tf.Graph()
  with detection_graph.as_default():
    od_graph_def = tf.GraphDef()
    with tf.gfile.GFile(path, 'rb') as fid:
      serialized_graph = fid.read()
      od_graph_def.ParseFromString(serialized_graph)
      tf.import_graph_def(od_graph_def, name='')
  return detection_graph


def load_inference_graph(path):
  """The graph and a session that runs it."""
  detection_graph = load_graph(path)
  # One session serves all images.
  sess = tf.Session(graph=detection_graph)
  return detection_graph, sess
