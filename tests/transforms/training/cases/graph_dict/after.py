"""A helper returns the graph as a dict."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import gpu
from tf1_support import optimizers
from tf1_support import scopes


def data(seed):
  rng = np.random.RandomState(seed)
  return rng.normal(size=(6, 3)), rng.normal(size=6)


def main(path):
  gpu.configure_gpus('growth', soft_placement=True)
  # One hidden layer.
  num_features = 3
  hidden = 4
  dtype = tf.float64
  with scopes.variable_scope('hidden'):
    first = scopes.get_variable(
        'w', dtype=dtype, initializer=np.cos(np.arange(num_features * hidden)).reshape(
            num_features, hidden))
  with scopes.variable_scope('output'):
    second = scopes.get_variable('w', dtype=dtype, initializer=np.ones([hidden, 1]) / hidden)
  optimizer = optimizers.MomentumOptimizer(0.05, 0.9)

  @tf.function(input_signature=[
      tf.TensorSpec([None, num_features], dtype),
      tf.TensorSpec([None], dtype),
  ])
  def train_step(images, targets):
    """One training step; returns error.

    Args:
      images: dtype [None, num_features]
      targets: dtype [None]
    """
    with tf.GradientTape() as tape:
      with scopes.variable_scope('hidden'):
        layer = tf.nn.relu(tf.matmul(images, first))
      with scopes.variable_scope('output'):
        outputs = tf.squeeze(tf.matmul(layer, second), 1)
      error = tf.reduce_mean(tf.square(outputs - targets))  # over the batch
    gradients = tape.gradient(error, [first, second])
    optimizer.apply_gradients(zip(gradients, [first, second]))
    return error

  @tf.function(input_signature=[tf.TensorSpec([None, num_features], dtype)])
  def predict(images):
    """Computes outputs.

    Args:
      images: dtype [None, num_features]
    """
    with scopes.variable_scope('hidden'):
      layer = tf.nn.relu(tf.matmul(images, first))
    with scopes.variable_scope('output'):
      outputs = tf.squeeze(tf.matmul(layer, second), 1)
    return outputs

  errors = []
  for seed in range(3):
    x, y = data(seed)
    error_value = train_step(x, y).numpy()
    errors.append(error_value)
  predicted = predict(x).numpy()
  np.savez(path, errors=errors, predicted=predicted)


if __name__ == '__main__':
  main(sys.argv[1])
