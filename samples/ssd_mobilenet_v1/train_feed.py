"""Overfits the detector on a handful of images that are fed from numpy.

If the loss does not fall here, no amount of training data will help.

  python train_feed.py --max_steps=100
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import os

import numpy as np
import tensorflow as tf

from ssd import anchors as anchor_lib
from ssd import box_coder
from ssd import dataset
from ssd import ssd_model

flags = tf.app.flags

flags.DEFINE_string('train_dir', '/tmp/ssd_overfit', 'Where the checkpoint goes.')
flags.DEFINE_string('init_checkpoint', '', 'Checkpoint whose variables to start from.')
flags.DEFINE_integer('max_steps', 100, 'Number of training steps.')
flags.DEFINE_integer('num_images', 4, 'Number of images.')
flags.DEFINE_integer('image_size', 128, 'Height and width of the images.')
flags.DEFINE_float('depth_multiplier', 0.125, 'Factor for the number of channels.')
flags.DEFINE_float('learning_rate', 0.001, 'Learning rate of Adam.')

FLAGS = flags.FLAGS


def make_batch(examples, image_size):
  """Images and training targets of some examples, as numpy arrays."""
  images = np.stack([example.image for example in examples])
  class_targets, box_targets = [], []
  with tf.Graph().as_default(), tf.Session() as sess:
    boxes = tf.placeholder(tf.float32, [None, 4])
    labels = tf.placeholder(tf.int32, [None])
    targets = box_coder.assign_targets(
        tf.constant(anchor_lib.generate(image_size)), boxes, labels)
    for example in examples:
      classes, encodings = sess.run(
          targets, feed_dict={boxes: example.boxes, labels: example.labels})
      class_targets.append(classes)
      box_targets.append(encodings)
  return (images.astype(np.float32) * (2.0 / 255.0) - 1.0,
          np.stack(class_targets), np.stack(box_targets))


def main(_):
  tf.gfile.MakeDirs(FLAGS.train_dir)
  num_anchors = anchor_lib.generate(FLAGS.image_size).shape[0]
  batch = make_batch(
      dataset.make_examples('train', FLAGS.image_size, FLAGS.num_images),
      FLAGS.image_size)

  images = tf.placeholder(
      tf.float32, [None, FLAGS.image_size, FLAGS.image_size, 3], name='images')
  class_targets = tf.placeholder(tf.int32, [None, num_anchors])
  box_targets = tf.placeholder(tf.float32, [None, num_anchors, 4])
  learning_rate = tf.placeholder(tf.float32, [], name='learning_rate')

  losses = ssd_model.training_losses(
      images, class_targets, box_targets,
      depth_multiplier=FLAGS.depth_multiplier, batch_norm_decay=0.9)
  loss = losses['total_loss']
  optimizer = tf.train.AdamOptimizer(learning_rate)
  update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
  with tf.control_dependencies(update_ops):
    train_op = optimizer.minimize(loss)
  saver = tf.train.Saver(tf.global_variables())

  config = tf.ConfigProto()
  config.gpu_options.allow_growth = True
  sess = tf.Session(config=config)
  sess.run(tf.global_variables_initializer())
  if FLAGS.init_checkpoint:
    saver.restore(sess, FLAGS.init_checkpoint)
  for step in range(FLAGS.max_steps):
    # A short warm-up keeps the first steps from spoiling Adam's averages.
    rate = FLAGS.learning_rate * min(1.0, (step + 1) / 10.0)
    feed_dict = {
        images: batch[0],
        class_targets: batch[1],
        box_targets: batch[2],
        learning_rate: rate,
    }
    _, loss_value = sess.run([train_op, loss], feed_dict=feed_dict)
    if step % 10 == 0 or step == FLAGS.max_steps - 1:
      tf.logging.info('step %d: loss %.4f', step, loss_value)
  path = saver.save(sess, os.path.join(FLAGS.train_dir, 'overfit.ckpt'))
  tf.logging.info('Saved %s', path)
  sess.close()


if __name__ == '__main__':
  tf.logging.set_verbosity(tf.logging.INFO)
  tf.app.run()
