"""Input functions that fill queues of batches from slim's provider, and keep tensors for the model; what a
hook logs by name, and the summaries that a hook of the evaluation writes."""
import glob
import logging
import os
import sys

import numpy as np
import tensorflow as tf
from tensorflow.core.util import event_pb2
from tf1_support import readers
from tf1_support import estimator
from tf1_support import graph_summaries
from tf1_support import hooks
from tf1_support import initializers
from tf1_support import input_queues
from tf1_support import metrics as tf1_metrics
from tf1_support import optimizers
from tf1_support import scopes
from tf1_support import slim
from tf1_support import slim_data
from tf1_support import summary
from tf1_support import tfexample_decoder


class Anchors(object):
  """Where boxes are looked for: made by the input function, read by the model."""

  def encode(self, boxes):
    self.centers = tf.linspace(0., 1., 4)
    return tf.cast(boxes, tf.float32) - self.centers

  def decode(self, offsets):
    return offsets + self.centers


anchors = Anchors()


def write_records(folder):
  rng = np.random.RandomState(6)
  path = os.path.join(folder, 'boxes.tfrecord')
  with tf.io.TFRecordWriter(path) as writer:
    for index in range(7):
      writer.write(tf.train.Example(features=tf.train.Features(feature={
          'values': tf.train.Feature(float_list=tf.train.FloatList(value=rng.normal(size=4))),
          'seen': tf.train.Feature(int64_list=tf.train.Int64List(value=range(index % 3 + 1))),
      })).SerializeToString())
  return path


def provided(path, num_epochs):
  decoder = tfexample_decoder.TFExampleDecoder(
      {'values': tf.io.FixedLenFeature([4], tf.float32), 'seen': tf.io.VarLenFeature(tf.int64)},
      {'values': tfexample_decoder.Tensor('values'), 'seen': tfexample_decoder.Tensor('seen')})
  dataset = slim_data.Dataset(path, readers.TFRecordReader, decoder, 7, {})
  provider = slim_data.DatasetDataProvider(
      dataset, num_readers=1, shuffle=False, num_epochs=num_epochs)
  return provider.get(['values', 'seen'])


def train_input(path):
  values, seen = provided(path, None)
  with tf.control_dependencies([tf.Assert(tf.size(seen) > 0, [seen])]):
    values = tf.identity(values)
  values, boxes, seen = input_queues.batch(
      [values, anchors.encode(values * 0.5), seen], batch_size=2, dynamic_pad=True)
  return values, {'boxes': boxes, 'weights': 1. / tf.cast(1 + tf.reduce_sum(seen, 1), tf.float32)}


def eval_input(path):
  values, _ = provided(path, 1)
  batch = input_queues.batch({'values': values, 'boxes': anchors.encode(values)}, batch_size=3,
                             allow_smaller_final_batch=True)
  return batch['values'], {'boxes': batch['boxes'], 'weights': tf.ones([tf.shape(batch['values'])[0]])}


def model_fn(features, labels, mode, params):
  written = params['written']
  scale = scopes.get_variable('scale', [4], initializer=initializers.constant_initializer(0.3))
  found = anchors.decode(labels['boxes']) * scale
  errors = tf.reduce_sum(tf.square(found - features), 1) * labels['weights']
  loss = tf.reduce_mean(errors, name='mean_error')
  tf.multiply(loss, 2., name='twice')
  summary.scalar('mean_error', loss)
  summary.histogram('offsets', labels['boxes'])
  train_op = optimizers.GradientDescentOptimizer(0.1).minimize(
      loss, global_step=scopes.get_global_step())
  return estimator.EstimatorSpec(
      mode, loss=loss, train_op=train_op, eval_metric_ops={'error': tf1_metrics.mean(errors)},
      evaluation_hooks=[hooks.SummarySaverHook(
          save_steps=1, output_dir=written, summary_op=graph_summaries.merge_all())])


def summaries(folder):
  """What scalars and histograms came to, by step."""
  tags, found = [], []
  for path in glob.glob(os.path.join(folder, 'events*')):
    for record in readers.tf_record_iterator(path):
      event = event_pb2.Event.FromString(record)
      for value in event.summary.value:
        tags.append(value.tag)
        found.append([event.step, value.histo.sum if value.HasField('histo') else value.simple_value])
  return tags, found


def main(output):
  folder = os.path.dirname(os.path.abspath(output))
  path = write_records(folder)
  written = os.path.join(folder, 'written')
  fitted = estimator.Estimator(model_fn, os.path.join(folder, 'fitted'), params={'written': written})
  logged = []
  hook = hooks.LoggingTensorHook(
      {'error': 'mean_error', 'double': 'twice:0'}, every_n_iter=1,
      formatter=lambda values: logged.append([values['error'], values['double']]) or 'logged')
  fitted.train(lambda: train_input(path), hooks=[hook], steps=5)
  metrics = fitted.evaluate(lambda: eval_input(path))
  tags, found = summaries(written)
  np.savez(output, tags=[tag for tag in tags if '_full' not in tag],
           found=[value for tag, value in zip(tags, found) if '_full' not in tag],
           scale=fitted.get_variable_value('scale'), logged=logged,
           loss=metrics['loss'], error=metrics['error'])


if __name__ == '__main__':
  logging.getLogger('tensorflow').setLevel(logging.ERROR)
  main(sys.argv[1])
