"""Evaluates a checkpoint of a slim network, once and in a loop."""
import os
import sys

import numpy as np
import tensorflow as tf

slim = tf.contrib.slim


def input_fn(count, batch_size):
  rng = np.random.RandomState(3)
  images = rng.normal(size=(count, 6, 6, 2)).astype(np.float32)
  labels = rng.randint(0, 3, size=count)
  dataset = tf.data.Dataset.from_tensor_slices((images, labels))
  return dataset.batch(batch_size).repeat().make_one_shot_iterator().get_next()


def fixed(shape, dtype=None, partition_info=None):
  return tf.constant(0.3 * np.sin(np.arange(np.prod(shape))).reshape(shape), dtype)


def network(images):
  net = slim.conv2d(images, 4, [3, 3], weights_initializer=fixed, scope='conv')
  return slim.fully_connected(slim.flatten(net), 3, activation_fn=None,
                              weights_initializer=fixed, scope='logits')


def save(path):
  with tf.Graph().as_default():
    images = tf.placeholder(tf.float32, [None, 6, 6, 2])
    logits = network(images)
    saver = tf.train.Saver()
    with tf.Session() as sess:
      sess.run(tf.global_variables_initializer())
      first = sess.run(logits, feed_dict={images: np.ones([1, 6, 6, 2])})
      return saver.save(sess, path, global_step=1), first


def evaluate(checkpoint_path, logdir):
  with tf.Graph().as_default():
    images, labels = input_fn(20, 4)
    logits = network(images)
    predictions = tf.argmax(logits, 1)

    # Define the metrics:
    names_to_values, names_to_updates = slim.metrics.aggregate_metric_map({
        'accuracy': slim.metrics.streaming_accuracy(predictions, labels),
        'recall_2': slim.metrics.streaming_sparse_recall_at_k(logits, labels, 2),
    })
    return slim.evaluation.evaluate_once(
        master='',
        checkpoint_path=checkpoint_path,
        logdir=logdir,
        num_evals=5,
        eval_op=list(names_to_updates.values()),
        final_op=names_to_values)


def main(output):
  folder = os.path.dirname(os.path.abspath(output))
  path, logits = save(os.path.join(folder, 'evaluated.ckpt'))
  metrics = evaluate(path, os.path.join(folder, 'eval'))
  np.savez(output, logits=logits, **metrics)


if __name__ == '__main__':
  main(sys.argv[1])
