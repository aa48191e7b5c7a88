"""Input functions that give an iterator's elements, handed to an estimator in several ways; the update of
a mean IoU, which is the confusion matrix."""
import os
import sys

import numpy as np
import tensorflow as tf
from tf1_support import iterators
from tf1_support import estimator
from tf1_support import losses
from tf1_support import metrics as tf1_metrics
from tf1_support import optimizers
from tf1_support import scopes
from tf1_support import summary


def input_fn(batch_size, repeats=1):
  rng = np.random.RandomState(11)
  features = rng.normal(size=(12, 4))
  labels = (features.sum(1) > 0).astype(np.int64)
  dataset = tf.data.Dataset.from_tensor_slices((features, labels))
  dataset = dataset.repeat(repeats).batch(batch_size)
  return dataset


def model_fn(features, labels, mode):
  """A linear classifier."""
  weights = scopes.get_variable('weights', dtype=tf.float64,
                                initializer=np.linspace(-0.1, 0.1, 8).reshape(4, 2))
  logits = tf.matmul(features, weights)
  classes = tf.argmax(logits, axis=1)
  if mode == 'infer':
    return estimator.EstimatorSpec(mode, predictions={'classes': classes})
  loss = losses.sparse_softmax_cross_entropy(labels, logits)
  mean_iou = tf1_metrics.mean_iou(labels, classes, 2)
  summary.scalar('hits', tf.reduce_sum(tf.linalg.tensor_diag_part(mean_iou[1])))
  train_op = optimizers.GradientDescentOptimizer(0.5).minimize(
      loss, global_step=scopes.get_global_step())
  return estimator.EstimatorSpec(
      mode, loss=loss, train_op=train_op, eval_metric_ops={'mean_iou': mean_iou})


def test_input_fn():
  features, labels = iterators.make_one_shot_iterator(input_fn(6)).get_next()
  return features * 2, labels


def switched_input_fn(twice):
  features = iterators.make_one_shot_iterator(tf.data.Dataset.range(9).map(
      lambda n: tf.fill([4], tf.cast(n, tf.float64))).batch(3)).get_next()
  if twice:
    features = features * 2
  return features, tf.constant([0, 1, 1])


def main(output):
  folder = os.path.join(os.path.dirname(os.path.abspath(output)), 'batches')
  classifier = estimator.Estimator(model_fn, folder)
  classifier.train(input_fn=lambda: input_fn(4, 2))
  trained = classifier.get_variable_value('weights')
  classifier.train(lambda: input_fn(3), steps=3)

  def evaluated_on():
    return input_fn(5)

  metrics = [classifier.evaluate(evaluated_on), classifier.evaluate(test_input_fn),
             classifier.evaluate(lambda: switched_input_fn(True), steps=2)]
  whole = lambda: input_fn(12)
  predicted = list(classifier.predict(whole))
  np.savez(output, trained=trained, weights=classifier.get_variable_value('weights'),
           loss=[m['loss'] for m in metrics], mean_iou=[m['mean_iou'] for m in metrics],
           step=[m['global_step'] for m in metrics], classes=[p['classes'] for p in predicted])


if __name__ == '__main__':
  main(sys.argv[1])
