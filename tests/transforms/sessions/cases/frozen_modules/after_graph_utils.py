"""Loads frozen detection graphs."""
from tf1_support import frozen_graph


def load_graph(path):
  """The graph in the file at `path`."""
  detection_graph = frozen_graph.FrozenGraph(path)
  return detection_graph


def load_inference_graph(path):
  """The graph and a session that runs it."""
  detection_graph = load_graph(path)
  # One session serves all images.
  return detection_graph, detection_graph
