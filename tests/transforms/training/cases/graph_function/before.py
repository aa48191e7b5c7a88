"""A small classifier whose graph, session and loop are in one function."""
import sys

import numpy as np
import tensorflow as tf


def weight_variable(shape, scale):
  """Deterministic weights."""
  return tf.Variable(scale * np.cos(np.arange(np.prod(shape))).reshape(shape))


def make_batches(count):
  rng = np.random.RandomState(1)
  for _ in range(count):
    yield rng.normal(size=(6, 5)), rng.randint(0, 3, size=6)


def train(output):
  with tf.Graph().as_default():
    features = tf.placeholder(tf.float64, shape=[None, 5], name='features')
    labels = tf.placeholder(tf.int64, shape=[None], name='labels')
    learning_rate = tf.placeholder(tf.float32, [])

    with tf.name_scope('hidden'):
      w1 = weight_variable([5, 8], 0.5)
      hidden = tf.nn.tanh(tf.matmul(features, w1))
    with tf.name_scope('output'):
      w2 = weight_variable([8, 3], 0.3)
      logits = tf.matmul(hidden, w2)

    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=labels, logits=logits))
    # Fraction of right answers.
    correct = tf.equal(tf.argmax(logits, 1), labels)
    accuracy = tf.reduce_mean(tf.cast(correct, tf.float64))

    optimizer = tf.train.MomentumOptimizer(learning_rate, 0.9)
    train_op = optimizer.minimize(loss)

    losses, accuracies = [], []
    with tf.Session() as sess:
      sess.run(tf.global_variables_initializer())
      for step, (batch_x, batch_y) in enumerate(make_batches(3)):
        feed_dict = {features: batch_x, labels: batch_y}
        # The rate falls with the steps.
        feed_dict[learning_rate] = 0.5 / (step + 1)
        _, loss_value = sess.run([train_op, loss], feed_dict=feed_dict)
        losses.append(loss_value)
        accuracies.append(sess.run(accuracy, {features: batch_x, labels: batch_y}))
      final_w1, final_w2 = sess.run([w1, w2])
  np.savez(output, losses=losses, accuracies=accuracies, w1=final_w1, w2=final_w2)


if __name__ == '__main__':
  train(sys.argv[1])
