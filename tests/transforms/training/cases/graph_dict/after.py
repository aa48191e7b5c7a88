"""A helper returns the graph as a dict."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import gpu
from tf1_support import graphs
from tf1_support import optimizers
from tf1_support import scopes


def build(num_features, hidden=4, dtype=tf.float64):
  """One hidden layer."""
  images = graphs.placeholder(dtype, [None, num_features], 'images')
  targets = graphs.placeholder(dtype, [None])
  with scopes.variable_scope('hidden'):
    first = scopes.get_variable(
        'w', dtype=dtype, initializer=np.cos(np.arange(num_features * hidden)).reshape(
            num_features, hidden))
    layer = tf.nn.relu(tf.matmul(images, first))
  with scopes.variable_scope('output'):
    second = scopes.get_variable('w', dtype=dtype, initializer=np.ones([hidden, 1]) / hidden)
    outputs = tf.squeeze(tf.matmul(layer, second), 1)
  error = tf.reduce_mean(tf.square(outputs - targets))  # over the batch
  step = optimizers.MomentumOptimizer(0.05, 0.9).minimize(error)
  return {'images': images, 'targets': targets, 'outputs': outputs, 'error': error, 'step': step}


def data(seed):
  rng = np.random.RandomState(seed)
  return rng.normal(size=(6, 3)), rng.normal(size=6)


@graphs.building
def main(path):
  gpu.configure_gpus('growth', soft_placement=True)
  net = build(3)
  errors = []
  compute_step_and_error = graphs.function(
      [net['images'], net['targets']],
      [net['step'], net['error']])
  for seed in range(3):
    x, y = data(seed)
    _, error_value = compute_step_and_error(x, y)
    errors.append(error_value)
  compute_outputs = graphs.function([net['images']], net['outputs'])
  predicted = compute_outputs(x)
  np.savez(path, errors=errors, predicted=predicted)


if __name__ == '__main__':
  main(sys.argv[1])
