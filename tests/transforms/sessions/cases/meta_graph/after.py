"""Restores a trained model from its meta graph, uses it, and trains it further."""
import os
import sys

import numpy as np
from tf1_support import meta_graph

HERE = os.path.dirname(os.path.abspath(__file__))
CHECKPOINT = os.path.join(HERE, 'model.ckpt-3')


def predict(data):
  # Load the graph, then the weights.
  graph = meta_graph.MetaGraph(CHECKPOINT + '.meta')
  graph.restore(CHECKPOINT)
  x = 'input/x:0'
  prediction = 'prediction:0'
  return graph.run(prediction, feed_dict={x: data})


class Predictor(object):
  """A model that stays loaded."""

  def __init__(self, path):
    self.graph = meta_graph.MetaGraph(path + '.meta', clear_devices=True)
    self.graph.restore(path)
    self.prediction = self.graph.get_collection('predictions')[0]

  def predict(self, batch):
    return self.graph.run(self.prediction, feed_dict={'input/x:0': batch})

  def hidden(self, batch):
    tensor = 'hidden:0'
    keep_prob = 'keep_prob:0'
    return self.graph.run(tensor, {'input/x:0': batch, keep_prob: 1.0})


def fine_tune(path, data, targets, steps):
  """Further training; returns the losses and the weights."""
  losses = []
  graph = meta_graph.MetaGraph(path + '.meta')
  graph.restore(path)
  train_op = graph.get_operation_by_name('train')
  for _ in range(steps):
    _, loss = graph.run([train_op, 'loss:0'],
                       feed_dict={'input/x:0': data, 'input/y:0': targets})
    losses.append(loss)
  return losses, graph.run('w/read:0')


def main(output):
  random = np.random.RandomState(7)
  data, targets = random.normal(size=(6, 4)), random.normal(size=6)
  predictor = Predictor(CHECKPOINT)
  losses, weights = fine_tune(CHECKPOINT, data, targets, 3)
  np.savez(output, predicted=predict(data), again=predictor.predict(data[:2]),
           hidden=predictor.hidden(data), losses=losses, weights=weights)


if __name__ == '__main__':
  main(sys.argv[1])
