"""Trains the detector from TFRecords, going on from the latest checkpoint.

  python train.py --data_dir=/tmp/shapes --train_dir=/tmp/ssd --max_steps=400
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import os
import time

import tensorflow as tf

from ssd import dataset
from ssd import inputs
from ssd import ssd_model

slim = tf.contrib.slim

flags = tf.app.flags

flags.DEFINE_string('data_dir', '/tmp/shapes', 'Where the TFRecords are; they are made if missing.')
flags.DEFINE_string('train_dir', '/tmp/ssd_mobilenet_v1', 'Where checkpoints and summaries go.')
flags.DEFINE_string('init_checkpoint', '', 'Checkpoint whose model variables to start from.')
flags.DEFINE_integer('max_steps', 400, 'Number of training steps.')
flags.DEFINE_integer('batch_size', 8, 'Images in a batch.')
flags.DEFINE_integer('image_size', 128, 'Height and width of the images.')
flags.DEFINE_float('depth_multiplier', 0.125, 'Factor for the number of channels.')
flags.DEFINE_enum('dtype', 'float32', ['float32', 'float64'], 'Type of all computation.')
flags.DEFINE_boolean('shuffle', True, 'Whether to shuffle the examples.')
flags.DEFINE_boolean('augment', True, 'Whether to mirror images at random.')
flags.DEFINE_integer('seed', 1, 'Seed of the initial weights and of the shuffling.')

flags.DEFINE_float('learning_rate', 0.004, 'Initial learning rate.')
flags.DEFINE_float('learning_rate_decay', 0.95, 'Factor of the learning rate.')
flags.DEFINE_integer('decay_steps', 50, 'Steps after which the rate decays.')
flags.DEFINE_float('momentum', 0.9, 'Momentum of RMSProp.')
flags.DEFINE_float('weight_decay', 0.00004, 'L2 weight decay.')
flags.DEFINE_float('batch_norm_decay', 0.97, 'Decay of the batch norm averages.')
flags.DEFINE_float('moving_average_decay', 0.99, 'Decay of the average of the weights.')

flags.DEFINE_integer('log_every', 10, 'Steps between two lines of the log.')
flags.DEFINE_integer('summary_every', 20, 'Steps between two summaries.')
flags.DEFINE_integer('save_every', 200, 'Steps between two checkpoints.')
flags.DEFINE_float('gpu_memory_fraction', 0.0, 'Share of the GPU memory to take; 0: as needed.')
flags.DEFINE_boolean('log_device_placement', False, 'Whether to log where each op runs.')

FLAGS = flags.FLAGS


def session_config():
  """Takes GPU memory as needed, or a fixed share of it."""
  if FLAGS.gpu_memory_fraction > 0:
    gpu_options = tf.GPUOptions(
        per_process_gpu_memory_fraction=FLAGS.gpu_memory_fraction)
  else:
    gpu_options = tf.GPUOptions(allow_growth=True)
  return tf.ConfigProto(gpu_options=gpu_options,
                        allow_soft_placement=True,
                        log_device_placement=FLAGS.log_device_placement)


def train():
  record_path = dataset.maybe_generate(FLAGS.data_dir, 'train', FLAGS.image_size)
  dtype = tf.as_dtype(FLAGS.dtype)

  with tf.Graph().as_default():
    tf.set_random_seed(FLAGS.seed)
    global_step = tf.train.get_or_create_global_step()

    images, class_targets, box_targets = inputs.train_input(
        record_path, FLAGS.image_size, FLAGS.batch_size,
        shuffle=FLAGS.shuffle, augment=FLAGS.augment, dtype=dtype,
        seed=FLAGS.seed)
    losses = ssd_model.training_losses(
        images, class_targets, box_targets,
        num_classes=dataset.NUM_CLASSES,
        depth_multiplier=FLAGS.depth_multiplier,
        weight_decay=FLAGS.weight_decay,
        batch_norm_decay=FLAGS.batch_norm_decay)
    total_loss = losses['total_loss']

    learning_rate = tf.train.exponential_decay(
        FLAGS.learning_rate, global_step, FLAGS.decay_steps,
        FLAGS.learning_rate_decay, staircase=True)
    optimizer = tf.train.RMSPropOptimizer(
        learning_rate, decay=0.9, momentum=FLAGS.momentum, epsilon=1.0)
    update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    with tf.control_dependencies(update_ops):
      apply_gradients = optimizer.minimize(total_loss, global_step=global_step)

    # Evaluation uses moving averages of the weights.
    ema = tf.train.ExponentialMovingAverage(FLAGS.moving_average_decay,
                                            num_updates=global_step)
    with tf.control_dependencies([apply_gradients]):
      train_op = ema.apply(tf.trainable_variables())

    for name, loss in sorted(losses.items()):
      tf.summary.scalar('losses/' + name, loss)
    tf.summary.scalar('learning_rate', learning_rate)
    tf.summary.image('images', images, max_outputs=2)
    summary_op = tf.summary.merge_all()

    init_op = tf.global_variables_initializer()
    saver = tf.train.Saver(max_to_keep=3)
    init_saver = tf.train.Saver(slim.get_model_variables())
    average_saver = tf.train.Saver(
        {v.op.name: ema.average(v) for v in tf.trainable_variables()})

    with tf.Session(config=session_config()) as sess:
      sess.run(init_op)
      checkpoint = tf.train.latest_checkpoint(FLAGS.train_dir)
      if checkpoint:
        tf.logging.info('Going on from %s', checkpoint)
        saver.restore(sess, checkpoint)
      elif FLAGS.init_checkpoint:
        tf.logging.info('Starting from the weights in %s', FLAGS.init_checkpoint)
        init_saver.restore(sess, FLAGS.init_checkpoint)
        # The averages begin with the same weights, not with random ones.
        average_saver.restore(sess, FLAGS.init_checkpoint)

      writer = tf.summary.FileWriter(FLAGS.train_dir, sess.graph)
      start_step = sess.run(global_step)
      start_time = time.time()
      for step in range(start_step + 1, FLAGS.max_steps + 1):
        _, loss_value, summary = sess.run([train_op, total_loss, summary_op])

        if step % FLAGS.log_every == 0 or step == FLAGS.max_steps:
          duration = (time.time() - start_time) / (step - start_step)
          tf.logging.info('step %d: loss %.4f (%.3f sec/step)', step,
                          loss_value, duration)
        if step % FLAGS.summary_every == 0:
          writer.add_summary(summary, step)
        if step % FLAGS.save_every == 0 or step == FLAGS.max_steps:
          saver.save(sess, os.path.join(FLAGS.train_dir, 'model.ckpt'),
                     global_step=step)
      writer.close()


def main(_):
  tf.gfile.MakeDirs(FLAGS.train_dir)
  train()


if __name__ == '__main__':
  tf.logging.set_verbosity(tf.logging.INFO)
  tf.app.run()
