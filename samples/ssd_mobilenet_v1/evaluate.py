"""Computes the mean average precision of a checkpoint on the validation images.

  python evaluate.py --train_dir=/tmp/ssd_mobilenet_v1
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import numpy as np
import tensorflow as tf

from ssd import anchors as anchor_lib
from ssd import dataset
from ssd import inputs
from ssd import metrics
from ssd import postprocess
from ssd import ssd_model

flags = tf.app.flags

flags.DEFINE_string('train_dir', '/tmp/ssd_mobilenet_v1', 'Where the checkpoints are.')
flags.DEFINE_string('checkpoint', '', 'Checkpoint to use instead of the latest one.')
flags.DEFINE_integer('image_size', 128, 'Height and width of the images.')
flags.DEFINE_integer('batch_size', 8, 'Images in a batch.')
flags.DEFINE_float('depth_multiplier', 0.125, 'Factor for the number of channels.')
flags.DEFINE_float('moving_average_decay', 0.99, 'As in training; 0: use the plain weights.')
flags.DEFINE_string('output', '', 'Writes all detections to this .npz file.')

FLAGS = flags.FLAGS


def evaluate(checkpoint, examples):
  """Runs the detector over the examples and returns their detections."""
  with tf.Graph().as_default():
    image_tensor = tf.placeholder(
        tf.uint8, [None, FLAGS.image_size, FLAGS.image_size, 3],
        name='image_tensor')
    images = inputs.preprocess(image_tensor, FLAGS.image_size)
    predictions, _ = ssd_model.ssd_mobilenet_v1(
        images, num_classes=dataset.NUM_CLASSES, is_training=False,
        depth_multiplier=FLAGS.depth_multiplier)
    detections = postprocess.postprocess(
        predictions, anchor_lib.generate(FLAGS.image_size))

    if FLAGS.moving_average_decay > 0:
      ema = tf.train.ExponentialMovingAverage(FLAGS.moving_average_decay)
      saver = tf.train.Saver(ema.variables_to_restore())
    else:
      saver = tf.train.Saver()

    results = []
    with tf.Session() as sess:
      saver.restore(sess, checkpoint)
      for start in range(0, len(examples), FLAGS.batch_size):
        batch = examples[start:start + FLAGS.batch_size]
        results.append(sess.run(
            detections,
            feed_dict={image_tensor: np.stack([e.image for e in batch])}))
  return {key: np.concatenate([result[key] for result in results])
          for key in results[0]}


def main(_):
  checkpoint = FLAGS.checkpoint or tf.train.latest_checkpoint(FLAGS.train_dir)
  if not checkpoint:
    raise ValueError('There is no checkpoint in %s' % FLAGS.train_dir)
  examples = dataset.make_examples('val', FLAGS.image_size)
  detections = evaluate(checkpoint, examples)
  precisions = metrics.average_precisions(detections, examples,
                                          dataset.NUM_CLASSES)
  for name, precision in zip(dataset.CLASS_NAMES[1:], precisions):
    print('%-10s AP@0.5 %.4f' % (name, precision))
  print('%-10s AP@0.5 %.4f' % ('mean', np.mean(precisions)))
  if FLAGS.output:
    np.savez_compressed(FLAGS.output, average_precisions=precisions, **detections)


if __name__ == '__main__':
  tf.logging.set_verbosity(tf.logging.INFO)
  tf.app.run()
