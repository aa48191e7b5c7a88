"""Freezes a checkpoint, non-max suppression included, into one .pb file.

  python export.py --checkpoint=/tmp/ssd_mobilenet_v1/model.ckpt-400 \
      --output=/tmp/ssd_mobilenet_v1/frozen_inference_graph.pb
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import os

import tensorflow as tf
from tensorflow.python.framework import graph_util

from ssd import anchors as anchor_lib
from ssd import dataset
from ssd import inputs
from ssd import postprocess
from ssd import ssd_model

flags = tf.app.flags

flags.DEFINE_string('checkpoint', '', 'Checkpoint to freeze.')
flags.DEFINE_string('output', 'frozen_inference_graph.pb', 'File to write.')
flags.DEFINE_integer('image_size', 128, 'Height and width that the network takes.')
flags.DEFINE_float('depth_multiplier', 0.125, 'Factor for the number of channels.')
flags.DEFINE_float('moving_average_decay', 0.99, 'As in training; 0: use the plain weights.')
flags.mark_flag_as_required('checkpoint')

FLAGS = flags.FLAGS

OUTPUT_NODES = ['detection_boxes', 'detection_scores', 'detection_classes',
                'num_detections']


def build_inference_graph():
  """From images of any size to detections, by the usual tensor names."""
  image_tensor = tf.placeholder(tf.uint8, [None, None, None, 3],
                                name='image_tensor')
  images = inputs.preprocess(image_tensor, FLAGS.image_size)
  predictions, _ = ssd_model.ssd_mobilenet_v1(
      images, num_classes=dataset.NUM_CLASSES, is_training=False,
      depth_multiplier=FLAGS.depth_multiplier)
  detections = postprocess.postprocess(
      predictions, anchor_lib.generate(FLAGS.image_size))
  for name in OUTPUT_NODES:
    tf.identity(detections[name], name=name)


def main(_):
  with tf.Graph().as_default() as graph:
    build_inference_graph()
    if FLAGS.moving_average_decay > 0:
      ema = tf.train.ExponentialMovingAverage(FLAGS.moving_average_decay)
      saver = tf.train.Saver(ema.variables_to_restore())
    else:
      saver = tf.train.Saver()
    with tf.Session() as sess:
      saver.restore(sess, FLAGS.checkpoint)
      frozen = graph_util.convert_variables_to_constants(
          sess, graph.as_graph_def(), OUTPUT_NODES)
  directory = os.path.dirname(FLAGS.output)
  if directory:
    tf.gfile.MakeDirs(directory)
  with tf.gfile.GFile(FLAGS.output, 'wb') as f:
    f.write(frozen.SerializeToString())
  tf.logging.info('Wrote %d nodes to %s', len(frozen.node), FLAGS.output)


if __name__ == '__main__':
  tf.logging.set_verbosity(tf.logging.INFO)
  tf.app.run()
