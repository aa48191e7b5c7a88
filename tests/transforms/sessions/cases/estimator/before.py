"""A custom estimator: model function, train_and_evaluate, predictions."""
import os
import sys

import numpy as np
import tensorflow as tf


def input_fn(repeat):
  rng = np.random.RandomState(11)
  features = rng.normal(size=(12, 4))
  labels = (features.sum(1) > 0).astype(np.int64)
  dataset = tf.data.Dataset.from_tensor_slices(({'x': features}, labels))
  if repeat:
    dataset = dataset.repeat()
  return dataset.batch(4)


def model_fn(features, labels, mode, params):
  """A linear classifier."""
  weights = tf.get_variable('weights', dtype=tf.float64,
                            initializer=np.linspace(-0.1, 0.1, 8).reshape(4, 2))
  bias = tf.get_variable('bias', [2], tf.float64, initializer=tf.zeros_initializer())
  logits = tf.nn.bias_add(tf.matmul(features['x'], weights), bias)
  predictions = {
      'classes': tf.argmax(logits, axis=1),
      'probabilities': tf.nn.softmax(logits, name='softmax'),
  }
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions=predictions)

  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  if mode == tf.estimator.ModeKeys.TRAIN:
    optimizer = tf.train.MomentumOptimizer(params['learning_rate'], 0.9)
    train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

  accuracy = tf.metrics.accuracy(labels, predictions['classes'])
  return tf.estimator.EstimatorSpec(
      mode, loss=loss, eval_metric_ops={'accuracy': accuracy})


def main(output):
  folder = os.path.join(os.path.dirname(os.path.abspath(output)), 'estimator')
  config = tf.estimator.RunConfig(model_dir=folder, save_checkpoints_steps=3)
  classifier = tf.estimator.Estimator(model_fn, params={'learning_rate': 0.1}, config=config)
  train_spec = tf.estimator.TrainSpec(lambda: input_fn(True), max_steps=6)
  eval_spec = tf.estimator.EvalSpec(lambda: input_fn(False), steps=None)
  tf.estimator.train_and_evaluate(classifier, train_spec, eval_spec)

  metrics = classifier.evaluate(lambda: input_fn(False))
  predicted = list(classifier.predict(lambda: input_fn(False)))
  np.savez(output, weights=classifier.get_variable_value('weights'),
           loss=metrics['loss'], accuracy=metrics['accuracy'], step=metrics['global_step'],
           probabilities=[p['probabilities'] for p in predicted])


if __name__ == '__main__':
  main(sys.argv[1])
