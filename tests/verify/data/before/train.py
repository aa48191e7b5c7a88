"""Trains the small network for some steps, and writes a checkpoint and the losses."""
import os

import numpy as np
import tensorflow as tf

import net

flags = tf.app.flags
flags.DEFINE_string('out', '', 'Where to write.')
flags.DEFINE_string('checkpoint', '', 'Where to begin.')
FLAGS = flags.FLAGS


def main(_):
  random = np.random.RandomState(0)
  images = tf.placeholder(tf.float64, [4, 8, 8, 2])
  labels = tf.placeholder(tf.int32, [4])
  losses = net.training_loss(images, labels)
  global_step = tf.train.get_or_create_global_step()
  optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
  with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    train_op = optimizer.minimize(losses['total'], global_step=global_step)
  values = []
  with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    tf.train.Saver(tf.contrib.slim.get_model_variables()).restore(sess, FLAGS.checkpoint)
    for _ in range(3):
      _, value = sess.run([train_op, losses['total']], {
          images: random.uniform(-1, 1, [4, 8, 8, 2]),
          labels: random.randint(0, 3, [4])})
      values.append(value)
    tf.train.Saver().save(sess, os.path.join(FLAGS.out, 'model.ckpt'))
  np.savez(os.path.join(FLAGS.out, 'losses.npz'), losses=values)


if __name__ == '__main__':
  tf.app.run()
