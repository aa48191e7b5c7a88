"""Evaluates a checkpoint of a slim network, once and in a loop."""
import os
import sys

import numpy as np
import tensorflow as tf
from tf1_support import evaluation
from tf1_support import scopes
from tf1_support import checkpoint
from tf1_support import contrib_training
from tf1_support import metrics as tf1_metrics
from tf1_support import metrics_at_k
from tf1_support import slim


def input_fn(count, batch_size):
  rng = np.random.RandomState(3)
  images = rng.normal(size=(count, 6, 6, 2)).astype(np.float32)
  labels = rng.randint(0, 3, size=count)
  dataset = tf.data.Dataset.from_tensor_slices((images, labels))
  return dataset.batch(batch_size).repeat()


def fixed(shape, dtype=None, partition_info=None):
  return tf.constant(0.3 * np.sin(np.arange(np.prod(shape))).reshape(shape), dtype)


def network(images):
  net = slim.conv2d(images, 4, [3, 3], weights_initializer=fixed, scope='conv')
  return slim.fully_connected(slim.flatten(net), 3, activation_fn=None,
                              weights_initializer=fixed, scope='logits')


def save(path):
  with scopes.VariableStore().as_default() as store:
    @tf.function(input_signature=[tf.TensorSpec([None, 6, 6, 2], tf.float32)])
    def predict(images):
      """Computes logits.

      Args:
        images: float32 [None, 6, 6, 2]
      """
      with store.run():
        logits = network(images)
      return logits

    # Tracing makes the variables, which the checkpoint needs.
    predict.get_concrete_function()

    saver = checkpoint.Saver()
    first = predict(np.ones([1, 6, 6, 2])).numpy()
    return saver.save(path, global_step=1), first


def evaluate(checkpoint_path, logdir):
  with scopes.VariableStore().as_default() as store:
    eval_dataset = input_fn(20, 4)
    batches = iter(eval_dataset)

    @tf.function(input_signature=eval_dataset.element_spec)
    def evaluate_step(images, labels):
      """Computes names_to_values."""
      with store.run():
        logits = network(images)
        predictions = tf.argmax(logits, 1)
        # Define the metrics:
        names_to_values, names_to_updates = contrib_training.aggregate_metric_map({
            'accuracy': tf1_metrics.accuracy(labels, predictions),
            'recall_2': metrics_at_k.recall_at_k(labels, logits, 2),
        })
      return names_to_values

    return evaluation.evaluate_once(
        checkpoint_path=checkpoint_path,
        logdir=logdir,
        num_evals=5,
        eval_op=lambda: evaluate_step(*next(batches)), build=[evaluate_step])


def main(output):
  folder = os.path.dirname(os.path.abspath(output))
  path, logits = save(os.path.join(folder, 'evaluated.ckpt'))
  metrics = evaluate(path, os.path.join(folder, 'eval'))
  np.savez(output, logits=logits, **metrics)


if __name__ == '__main__':
  main(sys.argv[1])
