"""Input functions that give an iterator's elements, handed to an estimator in several ways; the update of
a mean IoU, which is the confusion matrix."""
import os
import sys

import numpy as np
import tensorflow as tf


def input_fn(batch_size, repeats=1):
  rng = np.random.RandomState(11)
  features = rng.normal(size=(12, 4))
  labels = (features.sum(1) > 0).astype(np.int64)
  dataset = tf.data.Dataset.from_tensor_slices((features, labels))
  dataset = dataset.repeat(repeats).batch(batch_size)
  iterator = dataset.make_one_shot_iterator()
  features, labels = iterator.get_next()
  return features, labels


def model_fn(features, labels, mode):
  """A linear classifier."""
  weights = tf.get_variable('weights', dtype=tf.float64,
                            initializer=np.linspace(-0.1, 0.1, 8).reshape(4, 2))
  logits = tf.matmul(features, weights)
  classes = tf.argmax(logits, axis=1)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={'classes': classes})
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  mean_iou = tf.metrics.mean_iou(labels, classes, 2)
  tf.summary.scalar('hits', tf.reduce_sum(tf.diag_part(mean_iou[1])))
  train_op = tf.train.GradientDescentOptimizer(0.5).minimize(
      loss, global_step=tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(
      mode, loss=loss, train_op=train_op, eval_metric_ops={'mean_iou': mean_iou})


def test_input_fn():
  features, labels = input_fn(6)
  return features * 2, labels


def switched_input_fn(twice):
  features = tf.data.Dataset.range(9).map(
      lambda n: tf.fill([4], tf.cast(n, tf.float64))).batch(3).make_one_shot_iterator().get_next()
  if twice:
    features = features * 2
  return features, tf.constant([0, 1, 1])


def main(output):
  folder = os.path.join(os.path.dirname(os.path.abspath(output)), 'batches')
  classifier = tf.estimator.Estimator(model_fn, folder)
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
