"""A custom estimator: model function, train_and_evaluate, predictions."""
import os
import sys

import numpy as np
import tensorflow as tf
from tf1_support import estimator
from tf1_support import initializers
from tf1_support import losses
from tf1_support import metrics as tf1_metrics
from tf1_support import optimizers
from tf1_support import scopes


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
  weights = scopes.get_variable('weights', dtype=tf.float64,
                                initializer=np.linspace(-0.1, 0.1, 8).reshape(4, 2))
  bias = scopes.get_variable('bias', [2], tf.float64, initializer=initializers.zeros_initializer())
  logits = tf.nn.bias_add(tf.matmul(features['x'], weights), bias)
  predictions = {
      'classes': tf.argmax(logits, axis=1),
      'probabilities': tf.nn.softmax(logits, name='softmax'),
  }
  if mode == 'infer':
    return estimator.EstimatorSpec(mode, predictions=predictions)

  loss = losses.sparse_softmax_cross_entropy(labels, logits)
  if mode == 'train':
    optimizer = optimizers.MomentumOptimizer(params['learning_rate'], 0.9)
    train_op = optimizer.minimize(loss, global_step=scopes.get_global_step())
    return estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

  accuracy = tf1_metrics.accuracy(labels, predictions['classes'])
  return estimator.EstimatorSpec(
      mode, loss=loss, eval_metric_ops={'accuracy': accuracy})


def main(output):
  folder = os.path.join(os.path.dirname(os.path.abspath(output)), 'estimator')
  config = estimator.RunConfig(model_dir=folder, save_checkpoints_steps=3)
  classifier = estimator.Estimator(model_fn, params={'learning_rate': 0.1}, config=config)
  train_spec = estimator.TrainSpec(lambda: input_fn(True), max_steps=6)
  eval_spec = estimator.EvalSpec(lambda: input_fn(False), steps=None)
  estimator.train_and_evaluate(classifier, train_spec, eval_spec)

  metrics = classifier.evaluate(lambda: input_fn(False))
  predicted = list(classifier.predict(lambda: input_fn(False)))
  np.savez(output, weights=classifier.get_variable_value('weights'),
           loss=metrics['loss'], accuracy=metrics['accuracy'], step=metrics['global_step'],
           probabilities=[p['probabilities'] for p in predicted])


if __name__ == '__main__':
  main(sys.argv[1])
