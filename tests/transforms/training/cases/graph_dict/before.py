"""A helper returns the graph as a dict."""
import sys

import numpy as np
import tensorflow as tf


def build(num_features, hidden=4, dtype=tf.float64):
  """One hidden layer."""
  images = tf.placeholder(dtype, [None, num_features], 'images')
  targets = tf.placeholder(dtype, [None])
  with tf.variable_scope('hidden'):
    first = tf.get_variable(
        'w', dtype=dtype, initializer=np.cos(np.arange(num_features * hidden)).reshape(
            num_features, hidden))
    layer = tf.nn.relu(tf.matmul(images, first))
  with tf.variable_scope('output'):
    second = tf.get_variable('w', dtype=dtype, initializer=np.ones([hidden, 1]) / hidden)
    outputs = tf.squeeze(tf.matmul(layer, second), 1)
  error = tf.reduce_mean(tf.square(outputs - targets))  # over the batch
  step = tf.train.MomentumOptimizer(0.05, 0.9).minimize(error)
  return {'images': images, 'targets': targets, 'outputs': outputs, 'error': error, 'step': step}


def data(seed):
  rng = np.random.RandomState(seed)
  return rng.normal(size=(6, 3)), rng.normal(size=6)


def main(path):
  net = build(3)
  errors = []
  with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for seed in range(3):
      x, y = data(seed)
      _, error_value = sess.run(
          [net['step'], net['error']], feed_dict={net['images']: x, net['targets']: y})
      errors.append(error_value)
    predicted = sess.run(net['outputs'], {net['images']: x})
  np.savez(path, errors=errors, predicted=predicted)


if __name__ == '__main__':
  main(sys.argv[1])
