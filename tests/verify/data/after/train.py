"""Trains the small network for some steps, and writes a checkpoint and the losses."""
import os

import numpy as np
import tensorflow as tf
from absl import app, flags

import net
from tf1_support import scopes
from tf1_support.checkpoint import Saver, load_tf1_checkpoint
from tf1_support.optimizers import MomentumOptimizer

flags.DEFINE_string('out', '', 'Where to write.')
flags.DEFINE_string('checkpoint', '', 'Where to begin.')
FLAGS = flags.FLAGS


def main(_):
  random = np.random.RandomState(0)
  store = scopes.VariableStore()
  optimizer = MomentumOptimizer(0.1, 0.9)
  global_step = None

  @tf.function
  def train_step(images, labels):
    with store.run(apply_updates=True):
      with tf.GradientTape() as tape:
        total = net.training_loss(images, labels)['total']
      variables = store.trainable_variables
      gradients = tape.gradient(total, variables)
      optimizer.apply_gradients(zip(gradients, variables), global_step)
    return total

  values = []
  with store.as_default():
    global_step = scopes.get_or_create_global_step()
    with store.run():
      net.training_loss(tf.zeros([4, 8, 8, 2], tf.float64), tf.zeros([4], tf.int32))
    optimizer.build(store.trainable_variables)
    load_tf1_checkpoint(FLAGS.checkpoint, scopes.model_variables())
    for _ in range(3):
      values.append(train_step(
          tf.constant(random.uniform(-1, 1, [4, 8, 8, 2])),
          tf.constant(random.randint(0, 3, [4]), tf.int32)).numpy())
    Saver().save(os.path.join(FLAGS.out, 'model.ckpt'))
  np.savez(os.path.join(FLAGS.out, 'losses.npz'), losses=values)


if __name__ == '__main__':
  app.run(main)
