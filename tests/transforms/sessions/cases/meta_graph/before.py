"""Restores a trained model from its meta graph, uses it, and trains it further."""
import os
import sys

import numpy as np
import tensorflow as tf

HERE = os.path.dirname(os.path.abspath(__file__))
CHECKPOINT = os.path.join(HERE, 'model.ckpt-3')


def predict(data):
  with tf.Session() as sess:
    # Load the graph, then the weights.
    saver = tf.train.import_meta_graph(CHECKPOINT + '.meta')
    saver.restore(sess, CHECKPOINT)
    graph = tf.get_default_graph()
    x = graph.get_tensor_by_name('input/x:0')
    prediction = graph.get_tensor_by_name('prediction:0')
    return sess.run(prediction, feed_dict={x: data})


class Predictor(object):
  """A model that stays loaded."""

  def __init__(self, path):
    self.graph = tf.Graph()
    with self.graph.as_default():
      self.sess = tf.Session()
      saver = tf.train.import_meta_graph(path + '.meta', clear_devices=True)
      saver.restore(self.sess, path)
      self.prediction = tf.get_collection('predictions')[0]

  def predict(self, batch):
    return self.sess.run(self.prediction, feed_dict={'input/x:0': batch})

  def hidden(self, batch):
    tensor = self.graph.get_tensor_by_name('hidden:0')
    keep_prob = self.graph.get_tensor_by_name('keep_prob:0')
    return self.sess.run(tensor, {'input/x:0': batch, keep_prob: 1.0})


def fine_tune(path, data, targets, steps):
  """Further training; returns the losses and the weights."""
  losses = []
  with tf.Graph().as_default() as graph:
    saver = tf.train.import_meta_graph(path + '.meta')
    with tf.Session(graph=graph) as sess:
      saver.restore(sess, path)
      train_op = graph.get_operation_by_name('train')
      for _ in range(steps):
        _, loss = sess.run([train_op, 'loss:0'],
                           feed_dict={'input/x:0': data, 'input/y:0': targets})
        losses.append(loss)
      return losses, sess.run(graph.get_tensor_by_name('w/read:0'))


def main(output):
  random = np.random.RandomState(7)
  data, targets = random.normal(size=(6, 4)), random.normal(size=6)
  predictor = Predictor(CHECKPOINT)
  losses, weights = fine_tune(CHECKPOINT, data, targets, 3)
  np.savez(output, predicted=predict(data), again=predictor.predict(data[:2]),
           hidden=predictor.hidden(data), losses=losses, weights=weights)


if __name__ == '__main__':
  main(sys.argv[1])
