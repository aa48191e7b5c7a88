"""A small classifier whose graph, session and loop are in one function."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import optimizers
from tf1_support import scopes


def weight_variable(shape, scale):
  """Deterministic weights."""
  return scopes.Variable(scale * np.cos(np.arange(np.prod(shape))).reshape(shape))


def make_batches(count):
  rng = np.random.RandomState(1)
  for _ in range(count):
    yield rng.normal(size=(6, 5)), rng.randint(0, 3, size=6)


def train(output):
  with tf.name_scope('hidden'):
    w1 = weight_variable([5, 8], 0.5)
  with tf.name_scope('output'):
    w2 = weight_variable([8, 3], 0.3)

  optimizer = optimizers.MomentumOptimizer(0.0, 0.9)

  def forward(features):
    """Computes logits for train_step and compute_accuracy."""
    with tf.name_scope('hidden'):
      hidden = tf.nn.tanh(tf.matmul(features, w1))
    with tf.name_scope('output'):
      logits = tf.matmul(hidden, w2)
    return logits

  @tf.function(input_signature=[
      tf.TensorSpec([None, 5], tf.float64),
      tf.TensorSpec([None], tf.int64),
      tf.TensorSpec([], tf.float32),
  ])
  def train_step(features, labels, learning_rate):
    """One training step; returns loss.

    Args:
      features: float64 [None, 5]
      labels: int64 [None]
      learning_rate: float32 scalar
    """
    with tf.GradientTape() as tape:
      logits = forward(features)
      loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
          labels=labels, logits=logits))
    gradients = tape.gradient(loss, [w1, w2])
    optimizer.learning_rate = learning_rate
    optimizer.apply_gradients(zip(gradients, [w1, w2]))
    return loss

  @tf.function(input_signature=[
      tf.TensorSpec([None, 5], tf.float64),
      tf.TensorSpec([None], tf.int64),
  ])
  def compute_accuracy(features, labels):
    """Computes accuracy.

    Args:
      features: float64 [None, 5]
      labels: int64 [None]
    """
    logits = forward(features)
    # Fraction of right answers.
    correct = tf.equal(tf.argmax(logits, 1), labels)
    return tf.reduce_mean(tf.cast(correct, tf.float64))

  losses, accuracies = [], []
  for step, (batch_x, batch_y) in enumerate(make_batches(3)):
    feed_dict = {'features': batch_x, 'labels': batch_y}
    # The rate falls with the steps.
    feed_dict['learning_rate'] = 0.5 / (step + 1)
    loss_value = train_step(**feed_dict).numpy()
    losses.append(loss_value)
    accuracies.append(compute_accuracy(batch_x, batch_y).numpy())
  final_w1, final_w2 = w1.numpy(), w2.numpy()
  np.savez(output, losses=losses, accuracies=accuracies, w1=final_w1, w2=final_w2)


if __name__ == '__main__':
  train(sys.argv[1])
