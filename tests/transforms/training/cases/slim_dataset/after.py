"""A slim network trained from a tf.data iterator, with decay, averages and batch norm."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import scopes
from tf1_support import checkpoint
from tf1_support import losses as tf1_losses
from tf1_support import moving_averages
from tf1_support import optimizers
from tf1_support import schedules
from tf1_support import slim
from tf1_support import training


def input_fn(steps, batch_size):
  rng = np.random.RandomState(3)
  images = rng.normal(size=(steps * batch_size, 6, 6, 2))
  labels = rng.randint(0, 3, size=steps * batch_size)
  dataset = tf.data.Dataset.from_tensor_slices((images, labels))
  dataset = dataset.batch(batch_size)
  return dataset


def fixed(shape, dtype=None, partition_info=None):
  """Deterministic initial weights."""
  return tf.constant(0.3 * np.sin(np.arange(np.prod(shape))).reshape(shape), dtype)


def network(images, is_training):
  with slim.arg_scope([slim.conv2d, slim.fully_connected],
                      weights_initializer=fixed,
                      weights_regularizer=slim.l2_regularizer(0.01)):
    net = slim.conv2d(images, 4, [3, 3], normalizer_fn=slim.batch_norm,
                      normalizer_params={'is_training': is_training, 'decay': 0.9,
                                         'fused': False},
                      scope='conv')
    net = tf.reduce_mean(net, [1, 2])
    return slim.fully_connected(net, 3, activation_fn=None, scope='logits')


def main(output):
  with scopes.VariableStore().as_default() as store:
    global_step = training.get_or_create_global_step()
    train_dataset = input_fn(3, 4)
    batches = iter(train_dataset)

    learning_rate = schedules.exponential_decay(
        0.05, global_step, 2, 0.5, staircase=True)
    optimizer = optimizers.RMSPropOptimizer(learning_rate, decay=0.9, momentum=0.9)
    ema = moving_averages.ExponentialMovingAverage(0.99, global_step)

    @tf.function(input_signature=train_dataset.element_spec)
    def train_step(images, labels):
      """One training step; returns total_loss."""
      with store.run(apply_updates=True), tf.GradientTape() as tape:
        logits = network(images, is_training=True)
        tf1_losses.sparse_softmax_cross_entropy(labels, logits)
        total_loss = tf1_losses.get_total_loss()
      variables = store.trainable_variables
      gradients = tape.gradient(total_loss, variables)
      optimizer.apply_gradients(zip(gradients, variables), global_step=global_step)
      ema.apply(scopes.trainable_variables())
      return total_loss

    # Tracing makes the variables, which the checkpoint needs.
    train_step.get_concrete_function()

    losses = []
    try:
      while True:
        loss_value = train_step(*next(batches)).numpy()
        losses.append(loss_value)
    except StopIteration:
      print('end of the data')
    steps = global_step.numpy()
    saver = checkpoint.Saver()
    path = saver.save(output + '.ckpt', global_step=steps)
  np.savez(output, losses=losses, steps=steps)
  return path


if __name__ == '__main__':
  main(sys.argv[1])
